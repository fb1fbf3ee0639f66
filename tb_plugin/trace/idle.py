"""How does a device spend its time: does it work, or why does it not?

    host      |launch A|       |cudaStreamSynchronize|  |launch B|
    device              |---A---------------|                     |---B---|
    use       host     gap      busy         sync------- host ---- gap busy

Each instant is the first of these that holds:

    busy               a kernel, copy or set runs
    launch_gap         work was launched (the call has returned) and begins after less than 30 us of idle time
    blocked            work was launched and begins later than that: it waits for another stream, device or rank
    unknown            the work that begins next has no launch in the file
    synchronisation    a thread that launches work is in a call that waits for the device; or it was when the device ran
                       dry: then up to the next work, and for no longer than the call lasted, since that is how much
                       earlier the host could have launched
    waiting_for_host   nothing was launched
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.compute.coverage import by_priority, within
from tb_plugin.compute.intervals import Merged, subtract, union
from tb_plugin.trace.kinds import LAUNCH_KINDS, is_kind
from tb_plugin.trace.names import rows_named

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

WAIT_NAME: Final = re.compile(
    r"(?:cuda|hip|musa)(?:(?:Stream|Device|Event)Synchronize|Memcpy|MemcpyWithStream)\Z|cu(?:Stream|Ctx|Event)Synchronize\Z"
)
"""Calls that return when the device is done. `cudaMemcpyAsync` does not."""

USES: Final = ("busy", "launch_gap", "blocked", "unknown", "synchronisation", "waiting_for_host")
"""What a device's instant can be, in order of priority: the columns of `device_uses`."""

LONGEST_LAUNCH_GAP_NS: Final = 30_000
"""Back-to-back kernels of a stream are 1 to 10 us apart in all traces that we have; HTA draws the line here too."""


def device_uses(trace: Trace, work: Int64Array, t0_ns: Int64Array, t1_ns: Int64Array) -> Int64Array:
    """Time of each of USES (columns, ns) in each window [t0_ns, t1_ns) (rows); a row sums to its window.

    `work`: rows of one device's kernels, copies and sets.
    """
    events = trace.events
    busy = union(events.start_ns[work], events.end_ns[work])
    launched = work[events.launch[work] != NONE]
    pending = subtract(union(events.end_ns[events.launch[launched]], events.start_ns[launched]), busy)
    is_short = pending.end - pending.start < LONGEST_LAUNCH_GAP_NS
    gaps, blocked = (Merged(pending.start[which], pending.end[which]) for which in (is_short, ~is_short))
    pieces = by_priority([busy, gaps, blocked, _before_unknown(trace, work, busy), _synchronising(trace, launched, busy)])
    known = within(pieces, t0_ns, t1_ns)
    return np.column_stack((known, (t1_ns - t0_ns) - known.sum(axis=1)))


def _before_unknown(trace: Trace, work: Int64Array, busy: Merged) -> Merged:
    """Idle time of which it is not known when the work that ends it was launched; all, where no launch was recorded."""
    events = trace.events
    is_known = events.launch[work] != NONE
    if len(busy.start) == 0 or not is_known.any():
        return union(np.array([trace.info.start_ns]), np.array([trace.info.end_ns]))
    filled = events.end_ns[work] > events.start_ns[work]
    # Several may begin at once: one launch that is known tells.
    is_unknown = ~np.isin(busy.start, events.start_ns[work[filled & is_known]])
    left = np.concatenate(([min(trace.info.start_ns, int(busy.start[0]))], busy.end[:-1]))
    return union(left[is_unknown], busy.start[is_unknown])


def _synchronising(trace: Trace, launched: Int64Array, busy: Merged) -> Merged:
    """Calls that wait, each until the next work begins, but for no longer after the device ran dry than it lasted."""
    events = trace.events
    launches = np.zeros(len(trace.tracks), np.bool_)
    launches[events.track[events.launch[launched]]] = True
    calls = np.flatnonzero(is_kind(events.kind, LAUNCH_KINDS) & launches[events.track])
    calls = calls[rows_named(trace, calls, WAIT_NAME.match)]
    start, end = events.start_ns[calls], events.end_ns[calls]
    before = np.searchsorted(busy.start, end) - 1  # the last to begin before the call returned
    dry = np.maximum(start, np.append(busy.end, start.min(initial=0))[before])
    following = np.append(busy.start, trace.info.end_ns)[before + 1]
    explained = np.minimum(dry + (end - start), following)
    return union(start, np.where(dry <= end, np.maximum(end, explained), end))
