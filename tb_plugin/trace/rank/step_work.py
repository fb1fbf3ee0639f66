"""What a rank did in each step: the same parts for every rank, so that they can be held against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.coverage import by_priority, within
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.grouping import group_by, sum_by
from tb_plugin.compute.intervals import EMPTY, Merged, clip, intersect, join, length_within, subtract, union
from tb_plugin.compute.nesting import marked_around
from tb_plugin.trace.collectives.table import HOST_RANGE
from tb_plugin.trace.kinds import DATA_LOADER_NAME, DEVICE_KINDS, STEP_NAME, Kind, is_kind
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.rank.full_queue import full_queue
from tb_plugin.trace.rank.pause_events import LEAST_NS, MOST_NAME, PauseEvent, idle_in, pause_events
from tb_plugin.trace.work.collective_names import HOST_COLLECTIVE_NAME, HOST_MESSAGE_NAME, HOST_WAIT_NAME
from tb_plugin.trace.work.kernel_launches import kernel_launches
from tb_plugin.trace.work.taxonomy import collective_kernels

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace

PAUSES: Final = ("pause", "pause_2", "pause_3", "pause_4")
"""Lengths of the longest times of a step in which nothing ran, the longest first."""

IN_PAUSES: Final = tuple(f"in_{name}" for name in PAUSES)
"""What the host was in then, places in `RankSummary.pause_events`, or NONE."""

COPIES: Final = "copies"
"""The name of those that took longest in a step, a place there too."""

_COLLECTION: Final = ("Python GC", "gc.collect", "<built-in function collect>")


class StepWork(NamedTuple):
    """The columns of `summary.WORK` but those of `passes.py`, one row a window, and what IN_PAUSES and COPIES are places in."""

    columns: dict[str, Int64Array]
    pause_events: list[PauseEvent]


class Busy(NamedTuple):
    """When a rank computed, communicated and copied."""

    computation: Merged
    communication: Merged
    copies: Merged
    is_on_host: bool
    beyond_ranges: Merged  # of the communication of a host what no range of a collective covers: see `busy`

    @property
    def all(self) -> Merged:
        """Of one rank on a device; on the host threads do both."""
        return union(
            np.concatenate((self.computation.start, self.communication.start, self.copies.start)),
            np.concatenate((self.computation.end, self.communication.end, self.copies.end)),
        )


def busy(trace: Trace) -> Busy:
    """Of a device: kernels. Without one: operators that neither communicate nor are the loader's, and the ranges of gloo's
    threads with when the host stood still until a functional collective was over, or in the call of a send or receive.

    main thread   all_reduce |      wait_tensor      | mm      communication from where wait_tensor begins, or gloo does
    gloo's            |gloo:all_reduce |                       beyond_ranges: from here on until wait_tensor ends
    """
    events = trace.events
    work = is_kind(events.kind, DEVICE_KINDS)
    if work.any():
        is_collective = collective_kernels(trace)
        kernels = events.kind == Kind.KERNEL
        return Busy(
            _union(trace, np.flatnonzero(kernels & ~is_collective)),
            _union(trace, np.flatnonzero(is_collective)),
            _union(trace, np.flatnonzero(work & ~kernels)),
            is_on_host=False,
            beyond_ranges=EMPTY,
        )
    host = np.flatnonzero(is_kind(events.kind, (Kind.OPERATOR, Kind.ANNOTATION)))
    ranges = _union(trace, host[rows_named(trace, host, HOST_RANGE.match)])
    waits = host[rows_named(trace, host, _waits)]
    waits = waits[events.duration_ns(waits) >= LEAST_NS]  # else the collective was over, and this is the call itself
    beyond = subtract(_union(trace, waits), ranges)
    return Busy(_computing_on_host(trace), join(ranges, beyond), EMPTY, is_on_host=True, beyond_ranges=beyond)


def computing_operators(trace: Trace) -> Int64Array:
    """Rows of what computes where no device does: operators but those that communicate or are the loader's, and what is in these.

    enumerate(DataLoader)# 0-50 > aten::randn 5-45 | autograd 60-90 > c10d::allreduce_ 70-80, aten::mul 81-89
        computing: autograd and aten::mul
    """
    events = trace.events
    rows, apart = np.flatnonzero(events.kind == Kind.OPERATOR), np.zeros(len(events), np.bool_)
    apart[_apart_on_host(trace)] = True
    computing: Int64Array = rows[marked_around(events.nest_parent, apart, rows) == NONE]
    return computing


def computation_of_file(trace: Trace, what: Busy) -> Merged:
    """As other tools count it. Without a device: all operators that do not communicate, the loader's too."""
    if not what.is_on_host:
        return what.computation
    rows = np.flatnonzero(trace.events.kind == Kind.OPERATOR)
    return _union(trace, rows[~rows_named(trace, rows, _communicates)])


def _waits(name: str) -> bool:
    return HOST_WAIT_NAME.match(name) is not None or HOST_MESSAGE_NAME.match(name) is not None


def _communicates(name: str) -> bool:
    return HOST_COLLECTIVE_NAME.match(name) is not None


def _apart_on_host(trace: Trace) -> Int64Array:
    host = np.flatnonzero(is_kind(trace.events.kind, (Kind.OPERATOR, Kind.ANNOTATION)))
    communicates = (trace.events.kind[host] == Kind.OPERATOR) & rows_named(trace, host, _communicates)
    apart: Int64Array = host[communicates | rows_named(trace, host, DATA_LOADER_NAME.match)]
    return apart


def _computing_on_host(trace: Trace) -> Merged:
    """An operator that waits for the call of a collective in it does not compute meanwhile."""
    return without_on_thread(trace, computing_operators(trace), _apart_on_host(trace))


def without_on_thread(trace: Trace, rows: Int64Array, apart: Int64Array) -> Merged:
    """Time in the first of these rows, less on each thread that in the others, which may lie within them."""
    track = trace.events.track
    parts = [_union(trace, rows[~np.isin(track[rows], track[apart])])]
    for each in distinct(track[apart]).tolist():
        on_track, its = (_union(trace, some[track[some] == each]) for some in (rows, apart))
        parts.append(subtract(on_track, its))
    return union(*(np.concatenate(edges) for edges in zip(*parts, strict=True)))


def has_ranges(trace: Trace) -> bool:
    """Whether it was recorded what the host was in: else that it was never in its loader says nothing."""
    rows = np.flatnonzero(is_kind(trace.events.kind, (Kind.OPERATOR, Kind.ANNOTATION)))
    return bool((~rows_named(trace, rows, lambda name: STEP_NAME.match(name) is not None)).any())


def work_of_steps(trace: Trace, what: Busy, start: Int64Array, end: Int64Array) -> StepWork:
    """Computation, exposed, copy and idle add up to a window."""
    parts = within(by_priority([what.computation, what.communication, what.copies]), start, end)
    communication = length_within(what.communication, start, end)
    events = trace.events
    host = np.flatnonzero(is_kind(events.kind, (Kind.OPERATOR, Kind.ANNOTATION, Kind.PYTHON, Kind.OVERHEAD)))
    loader = host[rows_named(trace, host, DATA_LOADER_NAME.match)]
    collection = host[rows_named(trace, host, is_collection)]
    launches = kernel_launches(trace)
    place = events.step[launches]  # not the window: the host may be steps ahead of its device
    inside = place != NONE
    took = _launching(trace, launches)[inside]
    pauses, begin = _longest_idle(what.all, start, end)
    in_pauses = pause_events(trace, begin.ravel(), pauses.ravel(), np.concatenate((loader, collection)))
    copies = _longest_copies(trace, len(start))
    events_told = list(dict.fromkeys([*in_pauses.events, *(each for each in copies if each is not None)]))
    columns = {
        "computation": parts[:, 0],
        "communication": communication,
        "exposed": parts[:, 1],
        "copy": parts[:, 2],
        "idle": (end - start) - parts.sum(axis=1),
        "loader": length_within(subtract(_union(trace, loader), what.all), start, end),
        "collection": length_within(_union(trace, collection), start, end),
        **idle_in(trace, what.all, start, end),
        "launch": np.bincount(place[inside], weights=took, minlength=len(start)).astype(np.int64),
        "n_launches": np.bincount(place[inside], minlength=len(start)).astype(np.int64),
        **dict(zip(PAUSES, pauses.T, strict=True)),
        "pause_at": begin[:, 0],
        **dict(zip(IN_PAUSES, in_pauses.of_gap.reshape(pauses.shape).T, strict=True)),
        COPIES: np.array([NONE if each is None else events_told.index(each) for each in copies], np.int64),
    }
    return StepWork(columns, events_told)


def _longest_copies(trace: Trace, n_windows: int) -> list[PauseEvent | None]:
    """Of each window, by name."""
    events = trace.events
    rows = np.flatnonzero(is_kind(events.kind, (Kind.COPY, Kind.SET)) & (events.step != NONE))
    longest: list[PauseEvent | None] = [None] * n_windows
    groups = group_by(events.step[rows], events.name_id[rows])
    total = sum_by(groups, events.duration_ns(rows))
    for group in np.argsort(total, kind="stable").tolist():
        row = int(rows[groups.first[group]])
        longest[int(events.step[row])] = PauseEvent(name=trace.text(int(events.name_id[row]))[:MOST_NAME], told="other")
    return longest


def is_collection(name: str) -> bool:
    """Whether Python collects garbage in it."""
    return any(word in name for word in _COLLECTION)


def hiding(what: Busy) -> Merged:
    """When the rank computed while it communicated."""
    return intersect(what.computation, what.communication)


def _longest_idle(active: Merged, start: Int64Array, end: Int64Array) -> tuple[Int64Array, Int64Array]:
    """(length of each of PAUSES, 0 where there are not so many; where it begins) in each window."""
    pauses = np.zeros((len(start), len(PAUSES)), np.int64)
    begin = np.repeat(start, len(PAUSES)).reshape(pauses.shape)
    for at, (t0, t1) in enumerate(zip(start.tolist(), end.tolist(), strict=True)):
        gaps = subtract(Merged(np.array([t0]), np.array([t1])), clip(active, t0, t1))
        length = gaps.end - gaps.start
        longest = np.argsort(-length, kind="stable")[: len(PAUSES)]
        pauses[at, : len(longest)], begin[at, : len(longest)] = length[longest], gaps.start[longest]
    return pauses, begin


def _launching(trace: Trace, launches: Int64Array) -> Int64Array:
    """How long each of these calls took, without what it waited for room in the queue."""
    queue = full_queue(trace)
    by_call = np.argsort(queue.call)
    place = np.searchsorted(queue.call[by_call], launches).clip(0, max(len(by_call) - 1, 0))
    took: Int64Array = trace.events.duration_ns(launches)
    if len(by_call) == 0:
        return took
    found = by_call[place]
    return np.where(queue.call[found] == launches, took - queue.blocked_ns[found], took)


def _union(trace: Trace, rows: Int64Array) -> Merged:
    return union(trace.events.start_ns[rows], trace.events.end_ns[rows])
