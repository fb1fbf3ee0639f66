"""Gradients that are filled with zeros instead of dropped: torch's GradNotSetToNonePattern.

Without Python stacks torch's own range `Optimizer.zero_grad#SGD.zero_grad` says the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.base.units import format_ns
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.replay.less import Less
from tb_plugin.trace.patterns.zeroed_gradients import ZeroedGradients, zeroing
from tb_plugin.trace.scope.recorded import HOST

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts


def find(facts: Facts) -> Seen | None:
    rows = facts.in_window(ZeroedGradients().rows(facts.tree))
    if len(rows) == 0:
        rows = facts.in_window(zeroing(facts.tree, lambda name: name.startswith("Optimizer.zero_grad#")))
    if len(rows) == 0:
        return None
    gain_ns = facts.cost_ns(rows)
    return Seen(
        title="Drop gradients instead of zeroing them: zero_grad(set_to_none=True), the default since torch 2.0",
        what=f"{counted(len(rows), 'call')} of zero_grad wrote zeros, which took {format_ns(gain_ns)}.",
        evidence=[Evidence(text="calls of zero_grad", value=len(rows), unit="count")],
        rows=rows,
        gain_ns=gain_ns,
        gain_how="time of these calls, host and device.",
        less=Less(work=facts.work_of(rows), host=rows),
        confidence="sure",
    )


CHECK: Final = Check(
    id="zeroed_gradients",
    looks_for="gradients set to zero instead of None",
    needs=(HOST,),
    find=find,
    code="optimizer.zero_grad(set_to_none=True)",
    unless="Code of yours reads gradients that are zero.",
    link="https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html",
)
