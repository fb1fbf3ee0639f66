"""What calls wait for: the call before on their thread, a thread that has its turn before, and work that they wait for.

thread 1 | loss 0-10 |                                   | optimizer 95-99       a gap of more than 100 us is another thread's
thread 2             | backward 20-30 | backward 60-90   |                       turn, if that one calls through most of it
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.compute.distinct import distinct
from tb_plugin.replay.edges import NOTICED_NS, Edges, Why, edges, together, usual_ns
from tb_plugin.replay.queues import queues
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.times.idle import WAITS

if TYPE_CHECKING:
    from tb_plugin.replay.points import DeviceWork, HostCalls
    from tb_plugin.trace.model import Trace

_TURN_NS: Final = 100_000
"""A gap of a thread in which another may have its turn."""

_MOSTLY: Final = 0.5
"""Of that gap, from the other's first call to its last."""

_OWN_NS: Final = 5_000
"""What a call that waits takes itself, and what it takes to return, where no recorded one tells."""

_LOOKED_AT: Final = 64
"""Pieces of work that may have ended just before a call returned, of which one is what it waited for."""


def turns(calls: HostCalls) -> Int64Array:
    """For each call the place of the call of another thread after which it begins; NONE where its own thread goes on.

    The first call of a thread begins after whatever call ended last; the first of all after none.
    """
    after = np.full(len(calls.row), NONE)
    real = np.flatnonzero(calls.row != NONE)
    by_end = real[np.argsort(calls.end_ns[real], kind="stable")]
    for first in np.flatnonzero(calls.is_first).tolist():
        before = by_end[: np.searchsorted(calls.end_ns[by_end], calls.start_ns[first], side="right")]
        elsewhere = np.flatnonzero(calls.track[before] != calls.track[first])
        if len(elsewhere):
            after[first] = before[elsewhere[-1]]
    gap_ns = calls.start_ns[1:] - calls.end_ns[:-1]
    right = np.flatnonzero((gap_ns > _TURN_NS) & ~calls.is_first[1:]) + 1  # calls before which others may have a turn
    begin, end, gap_ns = calls.end_ns[right - 1], calls.start_ns[right], gap_ns[right - 1]
    latest = np.full(len(right), np.iinfo(np.int64).min)
    for there in np.split(real, np.flatnonzero(np.diff(calls.track[real])) + 1) if len(right) and len(real) else ():
        # Others' calls that begin in the gap: the last of them ends there, and nothing of theirs runs on.
        first_there = np.searchsorted(calls.start_ns[there], begin)
        following = np.searchsorted(calls.start_ns[there], end)
        last = there[np.maximum(following - 1, 0)]
        last_ns = calls.end_ns[last]
        filled = last_ns - calls.start_ns[there[np.minimum(first_there, len(there) - 1)]]
        is_turn = (following > first_there) & (last_ns <= end) & (filled > _MOSTLY * gap_ns) & (last_ns > latest)
        is_turn &= calls.track[right] != calls.track[there[0]]
        after[right[is_turn]], latest[is_turn] = last[is_turn], last_ns[is_turn]
    return after


def awaited(trace: Trace, calls: HostCalls, work: DeviceWork) -> Edges:
    """HostCalls that return when work is done: its own copy, else the last that was launched before and was done by then."""
    own = _own_copies(trace, calls, work)
    waiting = np.flatnonzero((calls.row != NONE) & ~np.isin(np.arange(len(calls.row)), own.call))
    waiting = waiting[rows_named(trace, calls.row[waiting], WAITS.__contains__)]
    on_event = rows_named(trace, calls.row[waiting], lambda name: "Event" in name)
    on_all = rows_named(trace, calls.row[waiting], lambda name: "Device" in name or "Ctx" in name)
    parts = [_edges_of(calls, work, own)]
    parts += [
        _edges_of(calls, work, _ahead(calls, work, waiting[~on_event & is_wide], wide))
        for is_wide, wide in ((on_all, True), (~on_all, False))
    ]
    parts.append(_edges_of(calls, work, _events(calls, work, waiting[on_event])))
    return together(*parts)


class _Pairs(NamedTuple):
    call: Int64Array
    work: Int64Array


def _own_copies(trace: Trace, calls: HostCalls, work: DeviceWork) -> _Pairs:
    """HostCalls that return only after the copy that they started."""
    copies = np.flatnonzero((trace.events.kind[work.row] == Kind.COPY) & (work.call != NONE))
    call = work.call[copies]
    blocks = (work.end_ns[copies] <= calls.end_ns[call]) & (work.end_ns[copies] > calls.start_ns[call])
    call, copies = call[blocks], copies[blocks]
    by_end = np.lexsort((work.end_ns[copies], call))
    is_last = np.diff(call[by_end], append=NONE) != 0
    return _Pairs(call[by_end][is_last], copies[by_end][is_last])


def _ahead(calls: HostCalls, work: DeviceWork, waiting: Int64Array, of_all: bool) -> _Pairs:
    """The last work that was launched before on each stream, if it was done by then; of one stream that which ended last.

    Which stream a call waits for is in no file. Work that was done before is waited for by a host that comes earlier.
    """
    streams = queues(calls, work)
    if len(streams) == 0 or len(waiting) == 0:
        return _Pairs(waiting[:0], waiting[:0])
    last = np.stack([queue.last_before(calls.start_ns[waiting]) for queue in streams], axis=1)  # (calls that wait, streams)
    is_done = (last != NONE) & (work.end_ns[last] <= calls.end_ns[waiting, np.newaxis])
    if not of_all:
        end_ns = np.where(is_done, work.end_ns[last], np.iinfo(np.int64).min)[:, ::-1]
        is_last = np.arange(len(streams)) == len(streams) - 1 - end_ns.argmax(axis=1)[:, np.newaxis]
        is_done &= is_last
    call, stream = np.nonzero(is_done)
    return _Pairs(waiting[call], last[call, stream])


def _events(calls: HostCalls, work: DeviceWork, waiting: Int64Array) -> _Pairs:
    """The last work that ended within the call, launched before it; an event of earlier work tells nothing."""
    launched = np.flatnonzero(work.call != NONE)
    by_end = launched[np.argsort(work.end_ns[launched], kind="stable")]
    place = np.searchsorted(work.end_ns[by_end], calls.end_ns[waiting], side="right")
    pairs = []
    for call, last in zip(waiting.tolist(), place.tolist(), strict=True):
        candidates = by_end[max(last - _LOOKED_AT, 0) : last][::-1]
        started = calls.start_ns[call]
        within = (calls.start_ns[work.call[candidates]] < started) & (work.end_ns[candidates] > started)
        if within.any():
            pairs.append((call, int(candidates[within.argmax()])))
    found = np.array(pairs, np.int64).reshape(-1, 2)
    return _Pairs(found[:, 0], found[:, 1])


def _edges_of(calls: HostCalls, work: DeviceWork, pairs: _Pairs) -> Edges:
    start, end, done = calls.start_ns[pairs.call], calls.end_ns[pairs.call], work.end_ns[pairs.work]
    waited = done > start
    own_ns = usual_ns((end - start)[~waited], int(min(_OWN_NS, (end - start).min(initial=_OWN_NS))))
    after = (end - done)[waited]
    return_ns = usual_ns(after[after < 3 * NOTICED_NS], _OWN_NS)
    to_point, calls_once = 2 * pairs.call + 1, distinct(pairs.call)
    return together(
        edges(Why.ORDER, own_ns, from_point=2 * calls_once, to_point=2 * calls_once + 1),
        edges(Why.AWAITED, return_ns, from_work=pairs.work, to_point=to_point),
    )
