"""ExtraCUDACopyPattern: a tensor is filled on the host and moved to the device at once.

build-in method zeros          | build-in method to
    aten::zeros > aten::zero_  |     aten::to > aten::_to_copy > aten::copy_     of one type
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import in_both, numbered
from tb_plugin.trace.json_text import texts_of
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.patterns.pattern import TUNING_GUIDE, Pattern, Trial
from tb_plugin.trace.scope.recorded import SHAPES, STACKS

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Int64Array
    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.patterns.call_tree import CallTree

_MOVED: Final = ("aten::_to_copy", "aten::copy_")
_FILLS: Final = ("aten::fill_", "aten::zero_", "aten::normal_", "aten::uniform_")


class ExtraCopy(Pattern):
    """Rows of `aten::to`; copies from host to host too."""

    torch_name = "ExtraCUDACopyPattern"
    name = "Extra CUDA Copy Pattern"
    description = "Filled a CPU tensor and immediately moved it to GPU. Please initialize it on GPU."
    url = f"{TUNING_GUIDE}#create-tensors-directly-on-the-target-device"
    needs = (STACKS, SHAPES)
    trial = Trial("torch.ones(shapes[0]).to(device)", "torch.ones(shapes[0], device=device)")

    def rows(self, tree: CallTree) -> Int64Array:
        to = tree.named("aten::to".__eq__, Kind.OPERATOR)
        # Most calls find nothing to do.
        to = in_both(to, tree.trace.events.parent[tree.named(_MOVED[0].__eq__, Kind.OPERATOR)])
        copy = to
        for wanted in _MOVED:
            copy = tree.last_children(copy)
            to, copy = _those(copy != NONE, to, copy)
            to, copy = _those(rows_named(tree.trace, copy, wanted.__eq__), to, copy)
        (to,) = _those(_is_of_one_type(tree.trace, copy), to)
        above = tree.trace.events.parent[to].astype(np.int64)
        to, above = _those(above != NONE, to, above)
        row = tree.before(above)
        to, row = _those(row != NONE, to, row)
        return to[_is_filled(tree, row)]


def _those(chosen: BoolArray, *columns: Int64Array) -> tuple[Int64Array, ...]:
    return tuple(column[chosen] for column in columns)


def _is_of_one_type(trace: Trace, copies: Int64Array) -> BoolArray:
    """For each of these copies: are what it copies from and to of one type, and known?"""
    types_ids, place = numbered(trace.events.types_id[copies])
    types = [texts_of(trace.text(types_id))[:2] for types_id in types_ids.tolist()]
    return np.array([len(both) == 2 and both[0] == both[1] != "" for both in types], np.bool_)[place]


def _is_filled(tree: CallTree, rows: Int64Array) -> BoolArray:
    """For each of these rows: is its last child a fill, or the last one of that, and so on? Itself only where it has none."""
    found = np.zeros(len(rows), np.bool_)
    left = np.arange(len(rows))
    while len(left):
        child = tree.last_children(rows)
        found[left] = rows_named(tree.trace, np.where(child == NONE, rows, child), _FILLS.__contains__)
        left, rows = _those((child != NONE) & ~found[left], left, child)
    return found
