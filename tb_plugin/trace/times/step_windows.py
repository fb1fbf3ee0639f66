"""From when to when does a step last? The one rule, for every view; `docs/metrics.md` says it in words.

A step's device work ends after its host range. A step lasts until that work is done, and the next one begins there:

    host    |--5--||--6--|                 device   ..555555666666
    steps   |---5----||--6---|             so that kernels count in the step that launched them

The same holds where the device is several steps behind: then a step lies after its host range, and is the device's own period.

No single event decides much. An edge between two steps is where the host was, and later by the time that the device was then at
work of before it, waits for such work included: not where the last such work ends. And work that lasts long beside that of later
steps (a copy on a stream of its own) takes from these steps no time in which their own work ran. So an event moves an edge by no
more than its own length and the idle time before it; `docs/design/006-one-step-window.md` says why.

Of what runs at once the device is at what computes: an all-reduce that goes on beside the next step's kernels, or a receive that
is posted before this step's are over, takes neither step's time. Which step a receive is of, `collectives/table.py` says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.intervals import clip, join, length, subtract, union
from tb_plugin.compute.lowest import lowest_open
from tb_plugin.trace.collectives.table import collectives
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.kinds import DEVICE_KINDS, is_kind
from tb_plugin.trace.queued import queued
from tb_plugin.trace.times.idle import LONGEST_LAUNCH_GAP_NS
from tb_plugin.trace.work.taxonomy import collective_kernels

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Int32Array, Int64Array
    from tb_plugin.compute.intervals import Merged
    from tb_plugin.trace.model import Trace

_QUEUED: Final = 16
"""Once so many launches of steps stand behind earlier work, the device is idle for that. One that is lost changes little."""

# An edge is where a step ends and the next one begins: the first one begins at edge 0, step k lasts from edge k to k + 1.
_FIRST: Final = 0
_OF_NO_STEP: Final = int(np.iinfo(np.int32).max)
_IDLE: Final = _OF_NO_STEP + 1
_BESIDE: Final = _IDLE + 1
"""More of what communicates: of what is open at once the lowest is what the device is at."""

_GAP_BITS: Final = 32

_EVER: Final = int(np.iinfo(np.int64).max)


class StepWindows(NamedTuple):
    """One [start, end) per row of `trace.steps`; they do not overlap."""

    start_ns: Int64Array
    end_ns: Int64Array
    with_device_work: bool  # whether device work belongs to any step; without it a step is its host range
    is_behind: bool  # somewhere the device began a step only after the host had ended it


class TimedWork(NamedTuple):
    """What devices did, of all work in the file, and the step of each piece."""

    start_ns: Int64Array
    end_ns: Int64Array
    track: Int32Array
    step: Int64Array  # the row of `trace.steps`, or NONE
    is_launched: BoolArray  # its launch is in the file
    launch_ns: Int64Array  # when that began; means nothing without one
    n_tracks: int
    is_beside: BoolArray  # it communicates: what computes meanwhile is what the device is at


@once_per_trace
def step_windows(trace: Trace) -> StepWindows:
    """Steps as the device runs them."""
    return windows_of(trace.steps.start_ns, trace.steps.end_ns, timed_work(trace))


@once_per_trace
def timed_work(trace: Trace) -> TimedWork:
    """Of the recording, by row."""
    events = trace.events
    work = np.flatnonzero(is_kind(events.kind, DEVICE_KINDS))
    launch = events.launch[work]
    is_beside = collective_kernels(trace)[work]
    return TimedWork(
        start_ns=events.start_ns[work],
        end_ns=events.end_ns[work],
        track=events.track[work],
        step=_step_of(trace, work, is_beside),
        is_launched=launch != NONE,
        launch_ns=events.start_ns[launch],
        n_tracks=len(trace.tracks),
        is_beside=is_beside,
    )


def _step_of(trace: Trace, work: Int64Array, is_beside: BoolArray) -> Int64Array:
    """That of its launch, of a collective as its table has it."""
    step = trace.events.step[work].astype(np.int64)
    if is_beside.any():
        found = collectives(trace)
        is_there = (found.row != NONE) & ~found.is_host
        step[np.searchsorted(work, found.row[is_there])] = found.step[is_there]
    return step


@once_per_trace
def queued_before(trace: Trace) -> Int64Array:
    """Rows of device work from before the first step whose launch is not in the file: it stood in the queue when that began."""
    if len(trace.steps) == 0:
        return np.zeros(0, np.int64)
    work = timed_work(trace)
    is_before = _is_earlier(work, int(trace.steps.start_ns[0])) & ~work.is_launched
    return np.flatnonzero(is_kind(trace.events.kind, DEVICE_KINDS))[is_before]


def windows_of(start_ns: Int64Array, end_ns: Int64Array, work: TimedWork) -> StepWindows:
    """Of steps with these host ranges, in order."""
    if len(start_ns) == 0 or len(work.start_ns) == 0:
        return StepWindows(start_ns, end_ns, with_device_work=False, is_behind=False)
    edge = np.where(work.step != NONE, work.step + 1, _OF_NO_STEP)
    edge[_is_earlier(work, int(start_ns[0]))] = _FIRST
    host_ns = np.concatenate((start_ns[:1], np.maximum.accumulate(end_ns)))
    done = _done(work, edge, host_ns)
    return StepWindows(
        start_ns=np.maximum(start_ns, done[:-1]),
        end_ns=np.maximum(end_ns, done[1:]),
        with_device_work=bool(((edge > _FIRST) & (edge < _OF_NO_STEP)).any()),
        is_behind=bool((done[:-1] > end_ns).any()),
    )


def _is_earlier(work: TimedWork, first_ns: int) -> BoolArray:
    """Work that was launched before the first step; without a launch in the file, work that begins before that step, and what
    stood in a queue (`trace/queued.py`).
    """
    is_earlier: BoolArray = np.where(work.is_launched, work.launch_ns, work.start_ns) < first_ns
    own = work.is_launched & (work.step != NONE)
    return is_earlier | queued(work.start_ns, work.end_ns, work.track, work.is_launched, own)


def _done(work: TimedWork, edge: Int64Array, host_ns: Int64Array) -> Int64Array:
    """When the device is done with what came before the steps, then with each step; `edge` is the place of each work's there.

    That is when the host was, and as much later as the device was from then on at work of that edge or an earlier one. But the
    next step is left the time in which its own work ran, of what communicates that in which the device was at that step.
    """
    left, at = _device_at(work, edge, int(host_ns[0]))
    done = _behind(left, at, host_ns)
    order = np.argsort(edge, kind="stable")
    rows_of = np.split(order, np.searchsorted(edge[order], np.arange(_FIRST + 1, len(done) + 1)))[1:-1]
    for place in range(len(rows_of) - 1, -1, -1):
        rows, end = rows_of[place], int(done[place + 1])
        if done[place] > min(end, int(work.start_ns[rows].min(initial=end))):
            ran = clip(_ran(work, rows, left, at <= place), -_EVER, end)
            done[place] = min(int(done[place]), end - length(ran))
    return done


def _ran(work: TimedWork, rows: Int64Array, left: Int64Array, is_earlier: BoolArray) -> Merged:
    """When these did. `is_earlier`: of each piece, the device was at what comes before them."""
    is_beside = work.is_beside[rows]
    if not is_beside.any():
        return union(work.start_ns[rows], work.end_ns[rows])
    its, communicated = (union(work.start_ns[some], work.end_ns[some]) for some in (rows[~is_beside], rows[is_beside]))
    first, after = np.searchsorted(left, (communicated.start[0], communicated.end[-1])).tolist()
    pieces = np.flatnonzero(is_earlier[max(first - 1, 0) : after]) + max(first - 1, 0)
    earlier = union(left[pieces], np.append(left, _EVER)[pieces + 1])
    return join(its, subtract(communicated, earlier))


def _device_at(work: TimedWork, edge: Int64Array, from_ns: int) -> tuple[Int64Array, Int64Array]:
    """(left, edge): piece i is [left[i], left[i + 1]), and the device then at work of that edge; the last one has no end.

    Where kernels compute at the lowest of these; where none does at what it does next, be it to compute, or what communicates
    then or before that.
    """
    number = edge + _BESIDE * work.is_beside
    left, first = lowest_open(work.start_ns, work.end_ns, number, 2 * _BESIDE)
    if len(left) == 0:
        return left, first
    is_idle = first == 2 * _BESIDE
    computes = first < _BESIDE
    first = np.where(is_idle, _IDLE, np.where(computes, first, first - _BESIDE))
    return _with_waits(left, first, computes, from_ns, _queued_ns(work, edge))


def _behind(left: Int64Array, first: Int64Array, host_ns: Int64Array) -> Int64Array:
    """For each edge when the host was there, and as much later as the device was then at work of before it."""
    if len(left) == 0:
        return host_ns
    # Cut where the host was done, too, so that each piece counts as a whole or not: two sorted runs, of which counting tells the
    # last of either. Where both cut at one time the piece between has no length.
    cuts = np.concatenate((left, host_ns))
    order = np.argsort(cuts, kind="stable")
    cuts, is_left = cuts[order], order[:-1] < len(left)
    lasts, n_left = np.diff(cuts), np.cumsum(is_left)
    of_piece = first[np.maximum(n_left - 1, 0)]
    passed = np.arange(1, len(cuts)) - n_left
    counts = of_piece < passed
    change = np.zeros(len(host_ns) + 1, np.int64)  # from each edge to the next: a piece counts at several in a row
    np.add.at(change, of_piece[counts], lasts[counts])
    np.subtract.at(change, passed[counts], lasts[counts])
    behind: Int64Array = host_ns + np.cumsum(change)[:-1]
    return behind


def _queued_ns(work: TimedWork, edge: Int64Array) -> int:
    """When `_QUEUED` launches of steps stood behind earlier work on its streams."""
    is_early = edge == _FIRST
    if not is_early.any():
        return _EVER
    has_earlier = np.zeros(work.n_tracks, np.bool_)
    has_earlier[work.track[is_early]] = True
    launched = work.launch_ns[(edge > _FIRST) & (edge < _OF_NO_STEP) & work.is_launched & has_earlier[work.track]]
    return int(np.partition(launched, _QUEUED - 1)[_QUEUED - 1]) if len(launched) >= _QUEUED else _EVER


def _with_waits(
    left: Int64Array, first: Int64Array, computes: BoolArray, from_ns: int, queued_ns: int
) -> tuple[Int64Array, Int64Array]:
    """Where nothing computes the device waits for what it begins next, or communicates meanwhile.

    For earlier work the first step waits as between queued kernels only, until enough stands behind it.
    """
    left, first = np.insert(left, 0, min(from_ns, int(left[0]))), np.insert(first, 0, _IDLE)
    idle = np.flatnonzero(first[:-1] == _IDLE)
    # A gap is numbered, up to the kernel that ends it: from that back the lowest of what begins is what the device is at.
    gap = np.concatenate(([0, 0], np.cumsum(computes[:-1]))) << _GAP_BITS
    first = np.minimum.accumulate((first + gap)[::-1])[::-1] - gap
    following = np.where(first[idle] == _FIRST, first[idle + 1], first[idle])
    first[idle] = np.maximum(first[idle], _FIRST + 1)
    for_earlier = idle[following == _FIRST]
    seen_from = np.maximum(left[for_earlier], np.minimum(left[for_earlier + 1] - LONGEST_LAUNCH_GAP_NS, queued_ns))
    return np.insert(left, for_earlier + 1, seen_from), np.insert(first, for_earlier + 1, _FIRST)
