"""Do calls that wait for the device empty its queue in the middle of the work?

host    |launch A| |cudaStreamSynchronize| |launch B|
device       |-----------A-----------|         |B|       idle between A and B: what the wait costs
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, BoolArray, Int64Array, format_ns
from tb_plugin.compute.intervals import intersect, length, length_within, subtract, union
from tb_plugin.findings import worth
from tb_plugin.findings.callers import WRITTEN, caller, operators_around
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.trace.scope.recorded import DEVICE, LAUNCHES, WHOLE
from tb_plugin.trace.times.idle import Waits, waits

if TYPE_CHECKING:
    from tb_plugin.findings.facts import Facts

_CALLERS_SHOWN: Final = 5
_NEVER_NS: Final = np.iinfo(np.int64).max
_ANYTHING: Final = ".item(), .cpu(), print of a tensor, synchronize()"


def find(facts: Facts) -> Seen | None:
    calls = synchronising_calls(facts)
    if len(calls.row) == 0:
        return None
    start_ns, idle = (
        facts.trace.events.start_ns[calls.row],
        subtract(facts.when("synchronisation"), facts.union_of(facts.loader_rows)),
    )
    held_up = intersect(union(start_ns, calls.until_ns), idle)
    gain_ns = length(held_up)
    if facts.share(gain_ns) < worth.REWRITE:
        return None
    rows, waited_ns = calls.row, facts.window_part(facts.union_of(calls.row))
    callers = Counter(caller(facts, row) for row in rows.tolist())
    most = callers.most_common(1)[0][0]
    evidence = [
        Evidence(text="time the host waited in these calls", value=waited_ns, unit="ns"),
        Evidence(text="device idle in them, and as much longer as they lasted", value=gain_ns, unit="ns"),
    ]
    evidence += [
        Evidence(text=f"calls from {name}", value=count, unit="count") for name, count in callers.most_common(_CALLERS_SHOWN)
    ]
    return Seen(
        title=f"Take calls that wait for the device out of the loop: {WRITTEN.get(most, _ANYTHING)}",
        what=f"{counted(len(rows), 'call')} waited for the device, most from {most}. The host waited "
        f"{format_ns(waited_ns)}; for {format_ns(gain_ns)} ({percent(facts.share(gain_ns))}) the device was idle then or after.",
        evidence=evidence,
        rows=rows,
        weight=length_within(idle, start_ns, calls.until_ns),
        gain_ns=gain_ns,
        time=held_up,
        gain_how="time in which nothing was queued on the busiest device and a call waited for it, and after it as much longer "
        "as the call had lasted: the host could have launched that much earlier. The overview calls it "
        "synchronisation; time in the DataLoader is left out.",
        confidence="likely",
        without=("sync=0",),
    )


def synchronising_calls(facts: Facts) -> Waits:
    """Calls in the window after which work was still launched: the profiler's own wait at the end is not among them, nor those
    with which a harness begins and ends a step.
    """
    events = facts.trace.events
    calls = waits(facts.trace, facts.busiest)
    launches = events.launch[facts.device_rows]
    last = events.start_ns[launches[launches != NONE]].max(initial=np.iinfo(np.int64).min)
    kept = np.isin(calls.row, facts.in_window(calls.row)) & (events.end_ns[calls.row] <= last) & ~_of_harness(facts, calls.row)
    return Waits(calls.row[kept], calls.until_ns[kept])


def _of_harness(facts: Facts, calls: Int64Array) -> BoolArray:
    """Calls of no operator before the first or after the last launch of their step: they measure it."""
    events = facts.trace.events
    launches = events.launch[facts.device_rows]
    launches = launches[launches != NONE]
    launches = launches[events.step[launches] != NONE]
    of_launch, step = events.step[launches], events.step[calls]
    first_ns = np.full(len(facts.trace.steps), _NEVER_NS)
    last_ns = np.zeros(len(facts.trace.steps), np.int64)
    np.minimum.at(first_ns, of_launch, events.start_ns[launches])
    np.maximum.at(last_ns, of_launch, events.start_ns[launches])
    result: BoolArray = step != NONE
    of_step = step[result]
    result[result] = (events.end_ns[calls[result]] <= first_ns[of_step]) | (events.start_ns[calls[result]] >= last_ns[of_step])
    alone = np.array([not operators_around(facts, row) for row in calls[result].tolist()], np.bool_)
    result[result] = alone
    return result


CHECK: Final = Check(
    id="synchronising",
    looks_for="calls that wait for the device in the middle of the work",
    needs=(DEVICE, LAUNCHES, WHOLE),
    find=find,
    code="""\
total += loss.detach()  # instead of loss.item() in each step
if step % 100 == 0:
    print(total.item() / 100)""",
    unless="the value decides what is done next.",
    link="https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html",
)
