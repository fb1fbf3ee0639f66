"""What a call tree calls an event: all steps have one name and, where they are asked for by class, so have all modules of one.

nn.Module: Block_0, nn.Module: Block_1                     nn.Module: Block_*
[pl][module]my.Block: layer.0, [pl][module]my.Block: b     [pl][module]my.Block: *
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.compute.distinct import distinct
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.modules.scopes import FRAME_PREFIX, LABEL_PREFIX
from tb_plugin.trace.times.operator_times import key_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.base.units import BoolArray, Int64Array
    from tb_plugin.trace.model import Trace

_FRAME: Final = re.compile(rf"({re.escape(FRAME_PREFIX)}.*_)\d+\Z", re.DOTALL)
_LABEL: Final = re.compile(rf"({re.escape(LABEL_PREFIX)}.*?: ).*\Z", re.DOTALL)


class CallNames(NamedTuple):
    """Keys are those of `name_keys`, and behind them those of `classes`."""

    trace: Trace
    class_of: Int64Array  # by key: that of its class, else itself
    classes: tuple[str, ...]

    def text(self, key: int) -> str:
        """The name of a key."""
        n_names = len(self.class_of)
        return key_text(self.trace, key) if key < n_names else self.classes[key - n_names]

    def judged(self, keys: Int64Array, is_wanted: Callable[[str], bool]) -> BoolArray:
        """For each of these keys: does its name satisfy the predicate?"""
        wanted = np.zeros(len(self.class_of) + len(self.classes), np.bool_)
        for key in distinct(keys).tolist():
            wanted[key] = is_wanted(self.text(key))
        return wanted[keys]

    def n_instances(self, keys: Int64Array) -> int:
        """How many of these keys are one of several of their class."""
        of_class = np.bincount(self.class_of[distinct(keys)])
        return int(of_class[of_class > 1].sum())


def class_text(name: str) -> str:
    """What all modules of its class are called; of all else the name."""
    found = _FRAME.match(name) or _LABEL.match(name)
    return f"{found[1]}*" if found else name


@once_per_trace
def call_names(trace: Trace) -> CallNames:
    class_of = np.arange(len(trace.strings) + 1)
    numbers: dict[str, int] = {}
    for name_id, name in enumerate(trace.strings):
        if name.startswith((FRAME_PREFIX, LABEL_PREFIX)) and (of_class := class_text(name)) != name:
            class_of[name_id] = len(class_of) + numbers.setdefault(of_class, len(numbers))
    return CallNames(trace, class_of, tuple(numbers))
