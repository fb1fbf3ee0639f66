"""Does the recording hold the start of the process? All other checks leave that time out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import format_ns
from tb_plugin.compute.intervals import length
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.scope.recorded import LAUNCHES
from tb_plugin.trace.times.start_up import start_up_calls
from tb_plugin.trace.work.copy_names import FROM_PAGEABLE

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts

_CALLS_SHOWN: Final = 5


def find(facts: Facts) -> Seen | None:
    rows, events = start_up_calls(facts.trace), facts.trace.events
    if len(rows) == 0:
        return None
    spent_ns, info = length(facts.union_of(rows)), facts.trace.info
    longest = rows[np.argsort(-facts.duration(rows), kind="stable")][:_CALLS_SHOWN].tolist()
    ends_ns = int(events.end_ns[rows].max())
    before = facts.busiest[events.start_ns[facts.busiest] < ends_ns]
    pageable = before[rows_named(facts.trace, before, FROM_PAGEABLE.match)]
    return Seen(
        title="Record after start-up: run a few steps before the profiler starts, or use its schedule",
        what=f"{counted(len(rows), 'call')} with which the process starts to use the device took {format_ns(spent_ns)} of the "
        f"{format_ns(info.end_ns - info.start_ns)} that were recorded. A longer job pays them once. Shares, other findings and "
        f"What if are of the {format_ns(facts.window_ns)} after the last of them.",
        evidence=[
            *(Evidence(text=facts.name(row), value=int(facts.duration(np.array([row]))[0]), unit="ns") for row in longest),
            Evidence(text="device work until the last of them ends", value=length(facts.union_of(before)), unit="ns"),
            Evidence(text="of it copies from pageable memory", value=length(facts.union_of(pageable)), unit="ns"),
        ],
        rows=rows,
        gain_ns=None,
        gain_how="not of the work: these calls come once.",
        confidence="sure",
        is_first=True,
    )


CHECK: Final = Check(
    id="start_up",
    looks_for="the start of the process in the recording",
    needs=(LAUNCHES,),
    find=find,
    code="""\
schedule = torch.profiler.schedule(wait=1, warmup=2, active=3)
with torch.profiler.profile(schedule=schedule, ...) as profiler:
    for batch in loader:
        train_step(batch)
        profiler.step()""",
    unless="start-up is what you measure: then CUDA_MODULE_LOADING=LAZY and fewer libraries shorten it.",
    link="https://docs.pytorch.org/docs/stable/profiler.html",
)
