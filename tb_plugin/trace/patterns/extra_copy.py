"""ExtraCUDACopyPattern: a tensor is filled on the host and moved to the device at once.

build-in method zeros          | build-in method to
    aten::zeros > aten::zero_  |     aten::to > aten::_to_copy > aten::copy_     of one type
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import in_both
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.patterns.inputs import input_types
from tb_plugin.trace.patterns.pattern import TUNING_GUIDE, Pattern, Trial
from tb_plugin.trace.scope.recorded import SHAPES, STACKS

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
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
        return np.array([row for row in to.tolist() if _is_match(tree, row)], np.int64)


def _is_match(tree: CallTree, to: int) -> bool:
    row = to
    for wanted in _MOVED:
        row = tree.last_child(row)
        if row == NONE or tree.name(row) != wanted:
            return False
    types = input_types(tree.trace, row)
    if len(types) < 2 or not types[0] or types[0] != types[1]:
        return False
    above = tree.up(to)
    row = NONE if above == NONE else tree.before(above)
    if row == NONE:
        return False
    while (child := tree.last_child(row)) != NONE:
        row = child
        if tree.name(row) in _FILLS:
            return True
    return tree.name(row) in _FILLS
