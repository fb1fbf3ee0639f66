"""Conv2dBiasFollowedByBatchNorm2dPattern: the norm subtracts what the bias added.

nn.Module: Conv2d_0                          | nn.Module: BatchNorm2d_0
    ... > aten::conv2d with a third input    |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.patterns.inputs import input_types
from tb_plugin.trace.patterns.pattern import TUNING_GUIDE, Pattern
from tb_plugin.trace.scope.recorded import SHAPES

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.patterns.call_tree import CallTree

_NO_TENSOR: Final = ("", "Scalar", "ScalarList", "GenericList")
_BIAS: Final = 2


class ConvBias(Pattern):
    """Rows of `aten::conv2d`."""

    torch_name = "Conv2dBiasFollowedByBatchNorm2dPattern"
    name = "Enabling Bias in Conv2d Followed By BatchNorm Pattern"
    description = "Detected bias enabled in Conv2d that is followed by BatchNorm2d. Please set 'bias=False' in Conv2d."
    url = f"{TUNING_GUIDE}#disable-bias-for-convolutions-directly-followed-by-a-batch-norm"
    needs = (SHAPES,)

    def rows(self, tree: CallTree) -> Int64Array:
        rows = tree.named("aten::conv2d".__eq__, Kind.OPERATOR)
        return np.array([row for row in rows.tolist() if _is_match(tree, row)], np.int64)


def _is_match(tree: CallTree, row: int) -> bool:
    types = input_types(tree.trace, row)
    if len(types) <= _BIAS or types[_BIAS] in _NO_TENSOR:
        return False
    # Without such a module around it torch goes on from the outermost event.
    while not tree.name(row).startswith("nn.Module: Conv2d") and tree.up(row) != NONE:
        row = tree.up(row)
    following = tree.after(row)
    return following != NONE and tree.name(following).startswith("nn.Module: BatchNorm2d")
