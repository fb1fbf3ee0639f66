"""Does a step of the optimizer launch a kernel for each parameter, most of them shorter than a launch? Needs no stacks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.compute.distinct import all_but
from tb_plugin.compute.intervals import Merged, subtract
from tb_plugin.findings import worth
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.replay.edits import written
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.scope.recorded import DEVICE, HOST, LAUNCHES

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.findings.facts import Facts

_MANY: Final = 50
"""Kernels a step: one that updates all parameters at once has some ten a group of parameters and type."""

_SHORT_NS: Final = 10_000
"""About what a launch takes the host."""

_MOSTLY: Final = 0.6
"""Of the kernels, as for storms of them anywhere."""

_CLASS: Final = re.compile(r"Optimizer\.step#(\w+)\.step")
"""torch names a step by its class: `Optimizer.step#SGD.step`."""

_FUSED: Final = ("Adam", "AdamW", "SGD")
_FOREACH: Final = ("ASGD", "Adadelta", "Adagrad", "Adamax", "NAdam", "RAdam", "RMSprop", "Rprop")
"""Of torch.optim: which have a fused update on a device, and which one over lists of tensors alone."""


def find(facts: Facts) -> Seen | None:
    steps, _ = facts.launching(facts.named(lambda name: name.startswith("Optimizer.step"), Kind.ANNOTATION, Kind.OPERATOR))
    if len(steps) == 0:
        return None
    kernels = facts.work_of(steps)
    is_short = facts.duration(kernels) < _SHORT_NS
    if len(kernels) < _MANY * len(steps) or is_short.mean() <= _MOSTLY:
        return None
    gain_ns, host_ns = facts.cost_ns(steps), facts.window_part(facts.union_of(steps))
    if facts.share(gain_ns) < worth.ONE_LINE:
        return None
    n_steps = len(steps)
    title, code = _advice({match[1] for row in steps.tolist() if (match := _CLASS.match(facts.name(row)))})
    return Seen(
        title=title,
        code=code,
        what=f"Each of {counted(len(steps), 'optimizer step')} launched {len(kernels) // n_steps} kernels and copies, "
        f"{percent(float(is_short.mean()))} of them shorter than {format_ns(_SHORT_NS)}, and took the host "
        f"{format_ns(host_ns // n_steps)} ({percent(facts.share(host_ns))} in all).",
        evidence=[
            Evidence(text="optimizer steps", value=len(steps), unit="count"),
            Evidence(text="kernels and copies launched by them", value=len(kernels), unit="count"),
            Evidence(text="host time in them", value=host_ns, unit="ns"),
            Evidence(text="device time of the kernels", value=int(facts.duration(kernels).sum()), unit="ns"),
            Evidence(text="kernels shorter than a launch", value=float(np.mean(is_short)), unit="share"),
        ],
        rows=steps,
        time=_without_other_work(facts, steps, kernels),
        gain_ns=gain_ns,
        gain_how="time of the optimizer's steps on the host and of their kernels; less where the device has work meanwhile.",
        confidence="likely",
        without=tuple(edit for name in sorted({facts.name(row) for row in steps.tolist()}) for edit in _fused(name)),
        says_also=("single_tensor_optimizer",),
    )


def _advice(classes: set[str]) -> tuple[str, str]:
    """(what to do, what to write) for optimizers of these classes."""
    known = sorted(classes.intersection(_FUSED)) or sorted(classes.intersection(_FOREACH))
    if classes and not known:
        name = ", ".join(sorted(classes))
        return f"Let {name} update all parameters at once: use its foreach option, or torch.compile its step", (
            "optimizer.step = torch.compile(optimizer.step)"
        )
    option = "foreach" if known and known[0] in _FOREACH else "fused"
    name = known[0] if known else "AdamW"
    else_foreach = "" if option == "foreach" else " (or foreach=True)"
    of = f" to {name}" if known else " to the optimizer"
    return f"Update all parameters at once: pass {option}=True{else_foreach}{of}", (
        f"optimizer = torch.optim.{name}(model.parameters(), lr=lr, {option}=True)"
    )


def _fused(name: str) -> tuple[str, ...]:
    """What fused updates take of the host's time and of the device's."""
    return *written("host", name, 0.05), *written("operator", name, 0.5)


def _without_other_work(facts: Facts, steps: Int64Array, kernels: Int64Array) -> Merged:
    """When the optimizer's steps or their kernels run, and nothing else on the busiest device."""
    other = facts.union_of(all_but(facts.busiest, kernels))
    return subtract(facts.union_of(np.concatenate((steps, kernels))), other)


CHECK: Final = Check(
    id="optimizer_launches",
    looks_for="optimizers that launch a kernel for each parameter",
    needs=(HOST, DEVICE, LAUNCHES),
    find=find,
    unless="The optimizer is not one of torch.optim, or parameters lie on several devices.",
    link="https://docs.pytorch.org/docs/stable/optim.html",
)
