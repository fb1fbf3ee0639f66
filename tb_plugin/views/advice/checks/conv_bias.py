"""A bias that the batch norm after it takes away: torch's Conv2dBiasFollowedByBatchNorm2dPattern."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.trace.patterns.conv_bias import ConvBias
from tb_plugin.views.advice.check import Check, Seen
from tb_plugin.views.advice.needs import FRAMES, HOST, SHAPES
from tb_plugin.views.advice.result import Evidence
from tb_plugin.views.advice.words import counted

if TYPE_CHECKING:
    from tb_plugin.views.advice.facts import Facts


def find(facts: Facts) -> Seen | None:
    rows = facts.in_window(ConvBias().rows(facts.tree))
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


CHECK: Final = Check(id="conv_bias", looks_for="a bias before a batch norm", needs=(HOST, FRAMES, SHAPES), find=find)
