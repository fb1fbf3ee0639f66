"""Names are judged once each, not once per row: a trace has 10^6 events and 10^3 names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.base.units import BoolArray
    from tb_plugin.trace.model import Trace

OVERLOAD: Final = re.compile(r"(\w+::\w+)\.(\w+)\Z")
"""What `capture_overload_names` makes of a name in the file. Sample: `aten::add.Tensor`."""


def without_overload(name: str) -> str:
    """`aten::add` of `aten::add.Tensor`."""
    split = OVERLOAD.match(name)
    return split[1] if split else name


def judged(trace: Trace, rows: npt.NDArray[np.integer], judge: Callable[[str], int], not_named: int = 0) -> npt.NDArray[np.uint8]:
    """What `judge` makes of the name of each of these event rows; `not_named` where it has none."""
    ids = trace.events.name_id[rows]
    # One place more than there are strings: NONE (-1) falls on it.
    seen = np.zeros(len(trace.strings) + 1, np.bool_)
    seen[ids] = True
    of_name = np.full(len(trace.strings) + 1, not_named, np.uint8)
    for name_id in np.flatnonzero(seen[:-1]).tolist():
        of_name[name_id] = judge(trace.strings[name_id])
    result: npt.NDArray[np.uint8] = of_name[ids]
    return result


def rows_named(trace: Trace, rows: npt.NDArray[np.integer], is_wanted: Callable[[str], object]) -> BoolArray:
    """For each of these event rows: does its name satisfy the predicate (a compiled pattern's `search`, for example)?"""
    return judged(trace, rows, lambda name: bool(is_wanted(name))).view(np.bool_)
