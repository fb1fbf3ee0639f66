"""What device work waits for: its launch, the work before on its stream, another stream's event.

thread 1 | launch A 0-4 | launch B 5-9
stream 7     | A 6-30              | B 31-40        B begins 1 us after A is done, not 6 us after its launch
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.replay.edges import Edges, Why, edges, usual_ns
from tb_plugin.replay.queues import queues
from tb_plugin.trace.kinds import DEVICE_KINDS
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.times.idle import LONGEST_LAUNCH_GAP_NS

if TYPE_CHECKING:
    from tb_plugin.replay.points import DeviceWork, HostCalls
    from tb_plugin.trace.model import Trace

_LAUNCH_NS: Final = 6_000
"""From the begin of a launch to its work on an idle stream, where none was recorded."""

_CLOCKS_NS: Final = 1_000
"""Work may seem to begin this much before what it waits for is done."""

_JUST_BEFORE_NS: Final = 20_000
"""Work of another stream that ended so shortly before late work began is taken for its cause."""

_EARLIEST: Final = np.iinfo(np.int64).min // 4


def launches(trace: Trace, calls: HostCalls, work: DeviceWork, before: Int64Array) -> Edges:
    """Work begins a while after the begin of its launch: the median over work for an idle stream, of kernels, copies, sets.

    Where the recording has less, that.
    """
    first = np.flatnonzero(work.is_first)
    called = calls.start_ns[work.call[first]]
    delay, kind = work.start_ns[first] - called, trace.events.kind[work.row[first]]
    idle = _ends_of(work, before[first]) <= called
    usual = usual_ns(delay[idle], _LAUNCH_NS)
    constant = np.zeros(len(first), np.int64)
    for each in DEVICE_KINDS:
        constant[kind == each] = usual_ns(delay[idle & (kind == each)], usual)
    return edges(Why.LAUNCH, np.minimum(constant, delay), from_point=2 * work.call[first], to_work=first)


def before_on_stream(work: DeviceWork) -> Int64Array:
    """For each work the one before on its stream that ends last; NONE for the first of a stream."""
    before = np.full(len(work.row), NONE)
    for low, high in work.streams():
        reach = np.maximum.accumulate(work.end_ns[low:high])
        is_last = work.end_ns[low:high] == reach
        latest = np.maximum.accumulate(np.where(is_last, np.arange(low, high), 0))
        before[low + 1 : high] = latest[:-1]
    return before


def streams(trace: Trace, calls: HostCalls, work: DeviceWork, before: Int64Array) -> Edges:
    """A stream runs in order. Between work that queues lies the mean gap of such; where the recording has less, that."""
    following = np.flatnonzero((before != NONE) & (work.call != NONE))
    gap = work.start_ns[following] - work.end_ns[before[following]]
    call, kind = work.call[following], trace.events.kind[work.row[following]]
    queued = (calls.end_ns[call] <= work.end_ns[before[following]]) | ~work.is_first[following]
    queued &= (gap >= 0) & (gap < LONGEST_LAUNCH_GAP_NS)
    constant = np.zeros(len(following), np.int64)
    for each in DEVICE_KINDS:
        of_kind = gap[queued & (kind == each)]
        constant[kind == each] = int(of_kind.mean()) if len(of_kind) else 0
    constant = np.where(gap < 0, gap, constant)
    return edges(Why.STREAM, constant, from_work=before[following], to_work=following)


def events(trace: Trace, calls: HostCalls, work: DeviceWork) -> Edges:
    """The next launch after `*StreamWaitEvent` waits for what was launched last on other streams, unless it began before."""
    real = np.flatnonzero(calls.row != NONE)
    waiting = real[rows_named(trace, calls.row[real], lambda name: name.endswith("StreamWaitEvent"))]
    first = np.flatnonzero(work.is_first)
    first = first[np.argsort(work.call[first], kind="stable")]
    launching = work.call[first]  # calls are by thread and in order, so the next one is the next of the thread
    place = np.searchsorted(launching, waiting, side="right")
    device, streams = trace.tracks.device, queues(calls, work)
    same_thread = place < len(first)
    same_thread[same_thread] = calls.track[launching[place[same_thread]]] == calls.track[waiting[same_thread]]
    waiting, waits = waiting[same_thread], first[place[same_thread]]
    if len(streams) == 0 or len(waiting) == 0:
        return edges(Why.EVENT, 0, from_work=waiting[:0], to_work=waiting[:0])
    last = np.stack([queue.last_before(calls.start_ns[waiting]) for queue in streams], axis=1)  # (calls, streams)
    track, of_stream = work.track[waits][:, np.newaxis], np.array([queue.track for queue in streams])
    holds = (last != NONE) & (of_stream != track) & (device[of_stream] == device[track])
    holds &= work.end_ns[last] <= work.start_ns[waits][:, np.newaxis] + _CLOCKS_NS
    call, stream = np.nonzero(holds)
    cause, effect = last[call, stream], waits[call]
    once = np.sort(np.unique(cause * len(work.row) + effect, return_index=True)[1])
    return edges(Why.EVENT, 0, from_work=cause[once], to_work=effect[once])


def inferred(trace: Trace, work: DeviceWork, is_late: BoolArray) -> Edges:
    """For late work the work on another stream of its device that ended just before it began."""
    by_end = np.argsort(work.end_ns, kind="stable")
    end = work.end_ns[by_end]
    pairs = []
    lates = np.flatnonzero(is_late)
    lows, highs = (np.searchsorted(end, work.start_ns[lates] - ns, side="right").tolist() for ns in (_JUST_BEFORE_NS, 0))
    for late, low, high in zip(lates.tolist(), lows, highs, strict=True):
        for cause in by_end[low:high][::-1].tolist():
            other, mine = work.track[cause], work.track[late]
            if other != mine and trace.tracks.device[other] == trace.tracks.device[mine]:
                pairs.append((cause, late))
                break
    found = np.array(pairs, np.int64).reshape(-1, 2)
    gap = work.start_ns[found[:, 1]] - work.end_ns[found[:, 0]]
    return edges(Why.INFERRED, usual_ns(gap, 0), from_work=found[:, 0], to_work=found[:, 1])


def not_launched(work: DeviceWork) -> Edges:
    """Work without a launch in the file stays where it was."""
    rows = np.flatnonzero(work.call == NONE)
    return edges(Why.RECORDED, work.start_ns[rows], to_work=rows)


def _ends_of(work: DeviceWork, places: Int64Array) -> Int64Array:
    """When this work was done; before everything for NONE."""
    return np.append(work.end_ns, _EARLIEST)[places]
