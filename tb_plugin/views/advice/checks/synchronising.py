"""Do calls that wait for the device empty its queue in the middle of the work?

    host    |launch A| |cudaStreamSynchronize| |launch B|
    device       |-----------A-----------|         |B|       idle between A and B: what the wait costs
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, Int64Array, format_ns
from tb_plugin.compute.intervals import Merged, intersect, length, union
from tb_plugin.trace.kinds import Kind
from tb_plugin.views.advice.check import Check, Seen
from tb_plugin.views.advice.needs import DEVICE, LAUNCHES
from tb_plugin.views.advice.result import Evidence

if TYPE_CHECKING:
    from tb_plugin.views.advice.facts import Facts

_WAITS: Final = re.compile(
    r"(?:cuda|hip|musa)(?:(?:Stream|Device|Event)Synchronize|Memcpy|MemcpyWithStream)\Z|cu(?:Stream|Ctx|Event)Synchronize\Z"
)
"""Calls that return when the device is done. `cudaMemcpyAsync` does not."""

_LEAST_SHARE: Final = 0.01
_CALLERS_SHOWN: Final = 5
_CALLERS: Final = ("aten::item", "aten::_local_scalar_dense", "aten::nonzero", "aten::is_nonzero", "aten::to", "aten::copy_")


def find(facts: Facts) -> Seen | None:
    rows = synchronising_calls(facts)
    if len(rows) == 0:
        return None
    drained = intersect(_drained(facts, rows), facts.idle)
    gain_ns = length(drained)
    if facts.share(gain_ns) < _LEAST_SHARE:
        return None
    waited_ns = facts.window_part(facts.union_of(rows))
    callers = Counter(_caller(facts, row) for row in rows.tolist())
    evidence = [
        Evidence(text="time the host waited in these calls", value=waited_ns, unit="ns"),
        Evidence(text="device idle from the wait to the next work", value=gain_ns, unit="ns"),
    ]
    evidence += [
        Evidence(text=f"calls from {name}", value=count, unit="count") for name, count in callers.most_common(_CALLERS_SHOWN)
    ]
    return Seen(
        title="Take calls that wait for the device out of the loop: .item(), .cpu(), print of a tensor, synchronize()",
        what=f"{len(rows)} calls waited for the device, most from {callers.most_common(1)[0][0]}. The host waited "
        f"{format_ns(waited_ns)}, and the device had nothing to do for {format_ns(gain_ns)} "
        f"({percent(facts.share(gain_ns))}) after them.",
        evidence=evidence,
        rows=rows,
        gain_ns=gain_ns,
        gain_how="idle time of the busiest device from the start of a wait to the first work launched after it.",
        confidence="likely",
    )


def synchronising_calls(facts: Facts) -> Int64Array:
    """Calls in the window after which work was still launched: the profiler's own wait at the end is not among them."""
    events = facts.trace.events
    calls = facts.in_window(facts.named(_WAITS.match, Kind.RUNTIME, Kind.DRIVER))
    launches = events.launch[facts.device_rows]
    last = events.start_ns[launches[launches != NONE]].max(initial=np.iinfo(np.int64).min)
    return calls[events.end_ns[calls] <= last]


def _drained(facts: Facts, calls: Int64Array) -> Merged:
    """From each wait's start to the first start of work that was launched after the wait."""
    events = facts.trace.events
    work = facts.busiest[events.launch[facts.busiest] != NONE]
    launched = events.start_ns[events.launch[work]]
    order = np.argsort(launched, kind="stable")
    # The first to start of all that is launched from there on.
    earliest = np.minimum.accumulate(events.start_ns[work[order]][::-1])[::-1]
    place = np.searchsorted(launched[order], events.end_ns[calls])
    followed = place < len(order)
    return union(events.start_ns[calls[followed]], earliest[place[followed]])


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
