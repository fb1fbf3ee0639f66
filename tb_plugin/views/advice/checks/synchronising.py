"""Do calls that wait for the device empty its queue in the middle of the work?

host    |launch A| |cudaStreamSynchronize| |launch B|
device       |-----------A-----------|         |B|       idle between A and B: what the wait costs
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, Int64Array, format_ns
from tb_plugin.compute.coverage import by_priority, within
from tb_plugin.compute.intervals import intersect, length, union
from tb_plugin.trace.idle import WAIT_NAME
from tb_plugin.trace.kinds import Kind
from tb_plugin.views.advice.check import Check, Seen
from tb_plugin.views.advice.needs import DEVICE, LAUNCHES
from tb_plugin.views.advice.result import Evidence
from tb_plugin.views.advice.words import counted

if TYPE_CHECKING:
    from tb_plugin.views.advice.facts import Facts

_LEAST_SHARE: Final = 0.01
_CALLERS_SHOWN: Final = 5
_CALLERS: Final = ("aten::item", "aten::_local_scalar_dense", "aten::nonzero", "aten::is_nonzero", "aten::to", "aten::copy_")


def find(facts: Facts) -> Seen | None:
    rows = synchronising_calls(facts)
    if len(rows) == 0:
        return None
    after_ns, idle_ns = _drained(facts, rows)
    gain_ns = min(int(np.minimum(after_ns, facts.duration(rows)).sum()), idle_ns)
    if facts.share(gain_ns) < _LEAST_SHARE:
        return None
    waited_ns = facts.window_part(facts.union_of(rows))
    callers = Counter(_caller(facts, row) for row in rows.tolist())
    evidence = [
        Evidence(text="time the host waited in these calls", value=waited_ns, unit="ns"),
        Evidence(text="device idle from a wait to the next work", value=idle_ns, unit="ns"),
    ]
    evidence += [
        Evidence(text=f"calls from {name}", value=count, unit="count") for name, count in callers.most_common(_CALLERS_SHOWN)
    ]
    return Seen(
        title="Take calls that wait for the device out of the loop: .item(), .cpu(), print of a tensor, synchronize()",
        what=f"{counted(len(rows), 'call')} waited for the device, most from {callers.most_common(1)[0][0]}. The host waited "
        f"{format_ns(waited_ns)}; until the next work began, the device was idle for {format_ns(idle_ns)} "
        f"({percent(facts.share(idle_ns))}).",
        evidence=evidence,
        rows=rows,
        weight=np.minimum(after_ns, facts.duration(rows)),
        gain_ns=gain_ns,
        gain_how="of each call the shorter of its length and of the idle time of the busiest device from its start to the first "
        "work launched after it: without the wait, that work could have begun so much earlier.",
        confidence="likely",
    )


def synchronising_calls(facts: Facts) -> Int64Array:
    """Calls in the window after which work was still launched: the profiler's own wait at the end is not among them."""
    events = facts.trace.events
    calls: Int64Array = facts.in_window(facts.named(WAIT_NAME.match, Kind.RUNTIME, Kind.DRIVER))
    launches = events.launch[facts.device_rows]
    last = events.start_ns[launches[launches != NONE]].max(initial=np.iinfo(np.int64).min)
    early: Int64Array = calls[events.end_ns[calls] <= last]
    return early


def _drained(facts: Facts, calls: Int64Array) -> tuple[Int64Array, int]:
    """Idle time from each wait's start to the first start of work that was launched after it: of each call, and in all."""
    events = facts.trace.events
    work = facts.busiest[events.launch[facts.busiest] != NONE]
    launched = events.start_ns[events.launch[work]]
    order = np.argsort(launched, kind="stable")
    # The first to start of all that is launched from there on.
    earliest = np.minimum.accumulate(events.start_ns[work[order]][::-1])[::-1]
    place = np.searchsorted(launched[order], events.end_ns[calls])
    followed = place < len(order)
    start, end = events.start_ns[calls], events.start_ns[calls].copy()
    end[followed] = np.maximum(earliest[place[followed]], end[followed])
    after_ns = within(by_priority([facts.idle]), start, end)[:, 0]
    return after_ns, length(intersect(union(start, end), facts.idle))


def _caller(facts: Facts, row: int) -> str:
    """The operator that calls it, by its best known name: `aten::item` rather than what it calls."""
    events = facts.trace.events
    above: list[str] = []
    at = int(events.nest_parent[row])
    while at != NONE:
        if events.kind[at] == Kind.OPERATOR:
            above.append(facts.name(at))
        at = int(events.nest_parent[at])
    known = next((name for name in _CALLERS if name in above), None)
    return known or (above[0] if above else facts.name(row))


CHECK: Final = Check(
    id="synchronising", looks_for="calls that wait for the device in the middle of the work", needs=(DEVICE, LAUNCHES), find=find
)
