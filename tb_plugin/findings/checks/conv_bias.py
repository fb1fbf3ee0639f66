"""A bias that the batch norm after it takes away: torch's Conv2dBiasFollowedByBatchNorm2dPattern."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.trace.patterns.conv_bias import ConvBias
from tb_plugin.trace.scope.recorded import FRAMES, HOST, TYPES

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts


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


CHECK: Final = Check(
    id="conv_bias",
    looks_for="a bias before a batch norm",
    needs=(HOST, FRAMES, TYPES),
    find=find,
    code="torch.nn.Conv2d(channels, filters, kernel_size, bias=False)",
    unless="The batch norm is left out or frozen elsewhere.",
    link="https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html",
)
