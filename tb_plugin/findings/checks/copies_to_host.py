"""Does the host wait until copies from the device have arrived?

host    |launch A| |cudaMemcpyAsync: waits for A and the copy| |launch B|
device       |-----A-----|         |Memcpy DtoH (Device -> Pageable)|    |B|     nothing is queued behind the copy

A copy to pageable memory always waits, whatever its call is named; so does AMD's `hipMemcpyWithStream`. What tells is that the
call lasts until the copy has ended.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, format_ns
from tb_plugin.compute.intervals import intersect, join, length, subtract, union
from tb_plugin.findings import worth
from tb_plugin.findings.callers import WRITTEN, caller
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.scope.recorded import DEVICE, LAUNCHES, WHOLE
from tb_plugin.trace.work.copy_names import copy_ends

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.compute.intervals import Merged
    from tb_plugin.findings.facts import Facts

_CALLERS_SHOWN: Final = 3
_EARLY_NS: Final = 20_000
"""The clocks of host and device differ by as much."""


def find(facts: Facts) -> Seen | None:
    copies = _waited_for(facts)
    if len(copies) == 0:
        return None
    events = facts.trace.events
    alone = subtract(facts.union_of(copies), facts.computation)
    held_up = intersect(join(alone, _idle_after(facts, copies)), facts.window)
    gain_ns = length(held_up)
    if facts.share(gain_ns) < worth.ONE_LINE:
        return None
    calls = events.launch[copies].astype(np.int64)
    callers = Counter(caller(facts, row) for row in calls.tolist()).most_common(_CALLERS_SHOWN)
    written = WRITTEN.get(callers[0][0], callers[0][0])
    waited_ns = facts.window_part(facts.union_of(calls))
    return Seen(
        title=f"Do not wait for copies to the host: read {written} later, or copy to pinned memory with non_blocking=True",
        what=f"The host waited for {counted(len(copies), 'copy', 'copies')} from the device, {format_ns(waited_ns)} in all, "
        f"most from {callers[0][0]}. For {format_ns(gain_ns)} ({percent(facts.share(gain_ns))}) the device only copied, or had "
        "nothing to do since the next work was not launched yet.",
        evidence=[
            Evidence(text="copies that the host waited for", value=len(copies), unit="count"),
            Evidence(text="time of these copies with no kernel beside", value=facts.window_part(alone), unit="ns"),
            Evidence(text="time that the host waited in their calls", value=waited_ns, unit="ns"),
            *(Evidence(text=f"calls from {name}", value=count, unit="count") for name, count in callers),
        ],
        rows=copies,
        time=held_up,
        gain_ns=gain_ns,
        gain_how="time of these copies with no kernel beside, and for as long as each call lasted the time after it in which the "
        "device waited for the host.",
        confidence="likely",
    )


def _waited_for(facts: Facts) -> Int64Array:
    """Copies to the host in the window whose call lasts until they have ended, while work is still launched after it."""
    events = facts.trace.events
    rows = facts.in_window(facts.busiest[events.kind[facts.busiest] == Kind.COPY])
    rows = rows[events.launch[rows] != NONE]
    to_host = [copy_ends(facts.name(row)) == ("device", "host") for row in rows.tolist()]
    rows = rows[np.array(to_host, np.bool_)]
    launch = events.launch[rows]
    last_ns = events.start_ns[events.launch[facts.busiest[events.launch[facts.busiest] != NONE]]].max(initial=0)
    waits = (events.end_ns[launch] + _EARLY_NS >= events.end_ns[rows]) & (events.end_ns[launch] > events.start_ns[rows])
    found: Int64Array = rows[waits & (events.end_ns[launch] <= last_ns)]
    return found


def _idle_after(facts: Facts, copies: Int64Array) -> Merged:
    """When the device waited for the host after them, for as long as the call lasted: so much earlier it could have launched."""
    events = facts.trace.events
    end_ns, call_ns = events.end_ns[copies], facts.duration(events.launch[copies])
    following = facts.next_work(end_ns)
    next_ns = np.where(following == NONE, facts.trace.info.end_ns, events.start_ns[following])
    return intersect(union(end_ns, np.minimum(next_ns, end_ns + call_ns)), facts.when("waiting_for_host"))


CHECK: Final = Check(
    id="copies_to_host",
    looks_for="copies to the host that it waits for",
    needs=(DEVICE, LAUNCHES, WHOLE),
    find=find,
    code="""\
result = torch.empty_like(output, device="cpu", pin_memory=True)
result.copy_(output, non_blocking=True)
copied = torch.cuda.current_stream().record_event()
# launch what comes next, and only then
copied.synchronize()""",
    unless="what is launched next depends on the value.",
    link="https://docs.pytorch.org/tutorials/intermediate/pinmem_nonblock.html",
)
