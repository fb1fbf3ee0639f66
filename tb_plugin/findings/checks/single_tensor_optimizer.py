"""torch's OptimizerSingleTensorPattern: an optimizer that updates one parameter after the other, with many short kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.trace.patterns.single_tensor_optimizer import SingleTensorOptimizer
from tb_plugin.trace.scope.recorded import DEVICE, FRAMES

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts


def find(facts: Facts) -> Seen | None:
    rows = facts.in_window(SingleTensorOptimizer().rows(facts.tree))
    kernels = facts.work_of(rows)
    if len(kernels) == 0:
        return None  # on the CPU one tensor at a time is no slower
    gain_ns = facts.cost_ns(rows)
    return Seen(
        title="Update all parameters at once: pass foreach=True (or fused=True) to the optimizer",
        what=f"{counted(len(rows), 'optimizer step')} updated one tensor at a time, with {len(kernels)} launches, "
        f"in {format_ns(gain_ns)} ({percent(facts.share(gain_ns))}).",
        evidence=[
            Evidence(text="optimizer steps", value=len(rows), unit="count"),
            Evidence(text="kernels and copies launched by them", value=len(kernels), unit="count"),
        ],
        rows=rows,
        gain_ns=gain_ns,
        gain_how="time of these updates, host and device.",
        confidence="likely",
    )


CHECK: Final = Check(
    id="single_tensor_optimizer",
    looks_for="optimizers that update one tensor at a time",
    needs=(DEVICE, FRAMES),
    find=find,
    code="optimizer = torch.optim.AdamW(model.parameters(), lr=lr, fused=True)",
    unless="Parameters lie on several devices, or are no floats.",
    link="https://docs.pytorch.org/docs/stable/optim.html",
)
