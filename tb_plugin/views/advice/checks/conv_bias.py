"""torch's Conv2dBiasFollowedByBatchNorm2dPattern: the norm subtracts what the bias added.

nn.Module: Conv2d_0                          | nn.Module: BatchNorm2d_0
    ... > aten::conv2d with a third input    |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.trace.kinds import Kind
from tb_plugin.views.advice.check import Check, Seen
from tb_plugin.views.advice.inputs import input_types
from tb_plugin.views.advice.needs import FRAMES, HOST, SHAPES
from tb_plugin.views.advice.result import Evidence
from tb_plugin.views.advice.words import counted

if TYPE_CHECKING:
    from tb_plugin.views.advice.facts import Facts

_NO_TENSOR: Final = ("", "Scalar", "ScalarList", "GenericList")
_BIAS: Final = 2


def find(facts: Facts) -> Seen | None:
    rows = facts.in_window(matches(facts))
    if len(rows) == 0:
        return None
    return Seen(
        title="Build convolutions before a batch norm with bias=False",
        what=f"{counted(len(rows), 'call')} of Conv2d added a bias that the BatchNorm2d after it subtracts again.",
        evidence=[Evidence(text="calls", value=len(rows), unit="count")],
        rows=rows,
        gain_ns=None,
        gain_how="unknown: adding the bias is part of the convolution. It costs its gradient, and memory for both.",
        confidence="sure",
    )


def matches(facts: Facts) -> Int64Array:
    """Rows of `aten::conv2d`, as torch's pattern finds them."""
    rows = facts.named(lambda name: name == "aten::conv2d", Kind.OPERATOR)
    return np.array([row for row in rows.tolist() if _is_match(facts, row)], np.int64)


def _is_match(facts: Facts, row: int) -> bool:
    types = input_types(facts.trace, row)
    if len(types) <= _BIAS or types[_BIAS] in _NO_TENSOR:
        return False
    while row != NONE and not facts.name(row).startswith("nn.Module: Conv2d"):
        row = facts.family.up(row)
    following = NONE if row == NONE else facts.family.after(row)
    return following != NONE and facts.name(following).startswith("nn.Module: BatchNorm2d")


CHECK: Final = Check(id="conv_bias", looks_for="a bias before a batch norm", needs=(HOST, FRAMES, SHAPES), find=find)
