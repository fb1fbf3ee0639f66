"""Does the optimizer's own arithmetic take much of the step, as Shampoo's roots of matrices do?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.compute.grouping import group_by, sum_by
from tb_plugin.compute.intervals import intersect, length
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.replay.edits import written
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.scope.recorded import DEVICE, HOST, LAUNCHES, WHOLE

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts

_RANGE: Final = "Optimizer.step#"
_MUCH: Final = 0.2
"""Of the time. Updates of SGD and Adam take less, where they do not launch a kernel for each parameter."""

_SHORT_CALLS: Final = 200
"""Kernels and copies a step, from which launching them is the cost: that is `optimizer_launches`'."""


def find(facts: Facts) -> Seen | None:
    rows = facts.in_window(facts.named(lambda name: name.startswith(_RANGE), Kind.ANNOTATION, Kind.OPERATOR))
    if len(rows) == 0:
        return None
    groups = group_by(facts.trace.events.name_id[rows])
    mine = rows[groups.of == int(np.argmax(sum_by(groups, facts.duration(rows))))]
    took, work = facts.union_of(mine), facts.work_of(mine)
    on_host_ns = facts.window_part(took)
    if facts.share(on_host_ns) < _MUCH or len(work) > _SHORT_CALLS * len(mine):
        return None
    waited = intersect(took, facts.when("waiting_for_host"))
    gain_ns, on_device_ns, name = length(waited), facts.window_part(facts.union_of(work)), facts.name(int(mine[0]))
    optimizer = name.removeprefix(_RANGE).partition(".")[0]
    return Seen(
        title=f"Do the costly part of {optimizer} less often: its step takes {percent(facts.share(on_host_ns))} of the time",
        what=f"{counted(len(mine), 'call')} of {name} took {format_ns(on_host_ns)} on the host and {format_ns(on_device_ns)} of "
        f"the device, in {counted(len(work), 'kernel or copy', 'kernels and copies')}; for {format_ns(gain_ns)} the device "
        "waited for the host in them.",
        evidence=[
            Evidence(text=f"{optimizer}, on the host", value=on_host_ns, unit="ns"),
            Evidence(text="its work on the device", value=on_device_ns, unit="ns"),
            Evidence(text="its calls", value=len(mine), unit="count"),
        ],
        rows=mine,
        gain_ns=gain_ns,
        time=waited,
        gain_how="time of these calls in which the busiest device waited for the host, as on the overview; their work on the "
        "device comes on top.",
        without=written("operator", name, 0),
        confidence="likely",
    )


CHECK: Final = Check(
    id="optimizer_time",
    looks_for="optimizers whose own arithmetic takes much of the step",
    needs=(HOST, DEVICE, LAUNCHES, WHOLE),
    find=find,
    code="""\
# of Shampoo the roots of matrices, every 50 steps:
optimizer = DistributedShampoo(parameters, precondition_frequency=50)""",
    unless="fewer steps to the same loss are worth it.",
    link="https://docs.pytorch.org/docs/stable/optim.html",
)
