"""How does a device spend its time: does it work, or why does it not?

    host      |launch A|       |cudaStreamSynchronize|  |launch B|
    device              |---A---------------|                     |---B---|
    use       host     gap      busy         sync------- host ---- gap busy

Each instant is the first of these that holds:

    busy               a kernel, copy or set runs
    launch_gap         work was launched (the call has returned) and begins after less than 30 us of idle time
    blocked            work was launched and begins later than that: it waits for another stream, device or rank
    unknown            the work that begins next has no launch in the file; or all work that was launched and does not begin
                       for 30 us is the first of its stream: what the stream ran until then is in no file
    synchronisation    a thread that launches work is in a call that waits for the device; or it was when the device ran
                       dry: then up to the next work, and for no longer than the call lasted, since that is how much
                       earlier the host could have launched
    waiting_for_host   nothing was launched
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple, get_args

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.compute.coverage import Pieces, by_priority, times_of, within
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.intervals import Merged, intersect, join, subtract, union
from tb_plugin.trace import vendors
from tb_plugin.trace.kept import LastAnswers, once_per_trace
from tb_plugin.trace.kinds import DEVICE_KINDS, LAUNCH_KINDS, is_kind
from tb_plugin.trace.names import rows_named

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

WAITS: Final = frozenset(name for vendor in vendors.ALL for name in vendor.waits)
"""Calls that return when the device is done."""

Use = Literal["busy", "launch_gap", "blocked", "unknown", "synchronisation", "waiting_for_host"]

USES: Final[tuple[Use, ...]] = get_args(Use)
"""What a device's instant can be, in order of priority: the columns of `device_uses`."""

_DEVICES_KEPT: Final = 2

LONGEST_LAUNCH_GAP_NS: Final = 30_000
"""Back-to-back kernels of a stream are 1 to 10 us apart in all traces that we have; HTA draws the line here too."""


@once_per_trace
def device_work(trace: Trace) -> dict[int, Int64Array]:
    """Rows of kernels, copies and sets by device, devices by index. Those that are only listed in the file had nothing to do."""
    work = np.flatnonzero(is_kind(trace.events.kind, DEVICE_KINDS))
    device = trace.tracks.device[trace.events.track[work]]
    return {index: work[device == index] for index in distinct(device).tolist()}


def device_uses(trace: Trace, work: Int64Array, t0_ns: Int64Array, t1_ns: Int64Array) -> Int64Array:
    """Time of each of USES (columns, ns) in each window [t0_ns, t1_ns) (rows); a row sums to its window.

    `work`: rows of one device's kernels, copies and sets.
    """
    known = within(use_pieces(trace, work), t0_ns, t1_ns)
    return np.column_stack((known, (t1_ns - t0_ns) - known.sum(axis=1)))


def when_used(pieces: Pieces, use: Use, window: Merged) -> Merged:
    """When a device was at this use, in the window; `pieces` of `use_pieces`."""
    if use != USES[-1]:
        return intersect(times_of(pieces, USES.index(use)), window)
    others = pieces.category[:-1] < pieces.n_categories
    return subtract(window, union(pieces.left[:-1][others], pieces.left[1:][others]))


def use_pieces(trace: Trace, work: Int64Array) -> Pieces:
    """Which of USES holds at each instant of one device; where none of the first ones does, it waits for the host."""
    index = int(trace.tracks.device[trace.events.track[work[0]]]) if len(work) else NONE
    if len(work) != len(device_work(trace).get(index, ())):
        return _use_pieces(trace, work)
    return _of_devices(trace).get(index, lambda: _use_pieces(trace, work))


@once_per_trace
def _of_devices(_trace: Trace) -> LastAnswers[int, Pieces]:
    """Of all work of each device: the sentence, the charts and the checks ask for the same."""
    return LastAnswers(_DEVICES_KEPT)


def _use_pieces(trace: Trace, work: Int64Array) -> Pieces:
    busy = _union_of(trace, work)
    gaps, blocked, unknown = _queued(trace, work, busy)
    calls = waits(trace, work)
    waiting = union(trace.events.start_ns[calls.row], calls.until_ns)
    return by_priority([busy, gaps, blocked, join(_before_unknown(trace, work, busy), unknown), waiting])


def unknown_queue(trace: Trace, work: Int64Array) -> Merged:
    """When a device did nothing and all that was queued is the first of its stream: what ran there is in no file."""
    return _queued(trace, work, _union_of(trace, work))[2]


def _queued(trace: Trace, work: Int64Array, busy: Merged) -> tuple[Merged, Merged, Merged]:
    """When nothing ran and work was launched that had not begun: (launch gaps, blocked, not known)."""
    events = trace.events
    launched = work[events.launch[work] != NONE]
    called, start, track = events.end_ns[events.launch[launched]], events.start_ns[launched], events.track[launched]
    begun = np.full(len(trace.tracks), np.iinfo(np.int64).max)
    np.minimum.at(begun, events.track[work], events.start_ns[work])
    pending = subtract(union(called, start), busy)
    is_short = pending.end - pending.start < LONGEST_LAUNCH_GAP_NS
    gaps, long = (Merged(pending.start[which], pending.end[which]) for which in (is_short, ~is_short))
    known = union(np.maximum(called, begun[track]), start)
    return gaps, intersect(long, known), subtract(long, known)


class Waits(NamedTuple):
    """Calls that wait for the device, on threads that launch its work."""

    row: Int64Array
    until_ns: Int64Array  # until when the call explains that the device is idle


def _union_of(trace: Trace, rows: Int64Array) -> Merged:
    return union(trace.events.start_ns[rows], trace.events.end_ns[rows])


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


def waits(trace: Trace, work: Int64Array) -> Waits:
    """Each until the next work begins, but for no longer after the device ran dry than the call lasted."""
    events, busy = trace.events, _union_of(trace, work)
    launched = work[events.launch[work] != NONE]
    launches = np.zeros(len(trace.tracks), np.bool_)
    launches[events.track[events.launch[launched]]] = True
    calls = np.flatnonzero(is_kind(events.kind, LAUNCH_KINDS) & launches[events.track])
    calls = calls[rows_named(trace, calls, WAITS.__contains__)]
    start, end = events.start_ns[calls], events.end_ns[calls]
    before = np.searchsorted(busy.start, end) - 1  # the last to begin before the call returned
    dry = np.maximum(start, np.append(busy.end, start.min(initial=0))[before])
    following = np.append(busy.start, trace.info.end_ns)[before + 1]
    explained = np.minimum(dry + (end - start), following)
    return Waits(calls, np.where(dry <= end, np.maximum(end, explained), end))
