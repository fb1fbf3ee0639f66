"""What a replay moves: the calls of the host into the driver, the marks of steps, and the work of devices.

    thread 1 | ProfilerStep#1 0-50 | cudaLaunchKernel 10-14 | cudaStreamSynchronize 20-45
    calls      mark 0-0   10-14   20-45   mark 50-50          points 2c and 2c + 1 are the start and end of call c

Python, operators and loaders lie between calls: they are gaps, and take the time that they took.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.trace.kinds import DEVICE_KINDS, HOST_KINDS, LAUNCH_KINDS, is_kind
from tb_plugin.trace.times.start_up import last_of_start_up

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


@dataclass(frozen=True, kw_only=True)
class HostCalls:
    """Outermost calls and marks of steps, as calls without length; by thread, then in order.

    row  track  start_ns  end_ns  begins  ends
     -1      0         0       0       0    -1     step 0 begins
      7      0    10_000  14_000      -1    -1
     -1      0    50_000  50_000      -1     0
    """

    row: Int64Array
    track: Int64Array
    start_ns: Int64Array
    end_ns: Int64Array
    begins: Int64Array  # the step (row of `steps`) that this marks the begin of, else NONE
    ends: Int64Array

    @property
    def is_first(self) -> BoolArray:
        """Of its thread."""
        changes: BoolArray = np.diff(self.track, prepend=NONE - 1) != 0
        return changes


@dataclass(frozen=True, kw_only=True)
class DeviceWork:
    """Kernels, copies and sets, by stream and start; `call`: the place in HostCalls of what launched it, or NONE."""

    row: Int64Array
    track: Int64Array
    start_ns: Int64Array
    end_ns: Int64Array
    call: Int64Array
    is_first: BoolArray  # of its launch, on its stream: what else a graph runs there follows on the stream

    @property
    def duration_ns(self) -> Int64Array:
        return self.end_ns - self.start_ns

    def streams(self) -> list[tuple[int, int]]:
        """[low, high) of each."""
        bounds = np.flatnonzero(np.diff(self.track, prepend=NONE, append=NONE) != 0).tolist()
        return list(itertools.pairwise(bounds))


def calls_of(trace: Trace) -> HostCalls:
    """Without steps the recording is one: from the end of the process's start, else from its first event on the host, to its
    last one there.
    """
    events, steps = trace.events, trace.steps
    rows = np.flatnonzero(is_kind(events.kind, LAUNCH_KINDS))
    rows = rows[_is_outermost(events.track[rows].astype(np.int64), events.start_ns[rows], events.end_ns[rows])]
    if len(steps):
        first = last = steps.row.astype(np.int64)
        start, end = steps.start_ns, steps.end_ns
    else:
        host = np.flatnonzero(is_kind(events.kind, HOST_KINDS))
        first = host[np.argsort(events.start_ns[host], kind="stable")[:1]]
        last = host[np.argsort(-events.end_ns[host], kind="stable")[:1]]
        start, end = events.start_ns[first], events.end_ns[last]
        started = last_of_start_up(trace)
        if started != NONE:
            first, start = np.array([started]), events.end_ns[[started]]
    step, none = np.arange(len(first)), np.full(len(first), NONE)
    nothing = np.full(len(rows), NONE)
    columns = {
        "row": np.concatenate((rows, none, none)),
        "track": np.concatenate((events.track[rows], events.track[first], events.track[last])).astype(np.int64),
        "start_ns": np.concatenate((events.start_ns[rows], start, end)),
        "end_ns": np.concatenate((events.end_ns[rows], start, end)),
        "begins": np.concatenate((nothing, step, none)),
        "ends": np.concatenate((nothing, none, step)),
    }
    # At one instant a step ends, another begins, and then its first call does.
    rank = np.where(columns["ends"] != NONE, 0, np.where(columns["begins"] != NONE, 1, 2))
    in_order = np.lexsort((rank, columns["start_ns"], columns["track"]))
    ordered = {name: column[in_order] for name, column in columns.items()}
    # A mark within a call (times are rounded) is where that call ends.
    reach = _reach(ordered["track"], ordered["end_ns"])
    is_mark = ordered["row"] == NONE
    for name in ("start_ns", "end_ns"):
        ordered[name] = np.where(is_mark, reach, ordered[name])
    return HostCalls(**ordered)


def work_of(trace: Trace, calls: HostCalls) -> DeviceWork:
    """Work whose launch is in the file has the outermost call around that launch."""
    events = trace.events
    rows = np.flatnonzero(is_kind(events.kind, DEVICE_KINDS))
    launch = events.launch[rows].astype(np.int64)
    call = np.where(launch == NONE, NONE, call_around(trace, calls, launch))
    track = events.track[rows].astype(np.int64)
    by_launch = np.lexsort((events.start_ns[rows], track, launch))
    is_first = np.zeros(len(rows), np.bool_)
    changes = (np.diff(launch[by_launch], prepend=NONE - 1) != 0) | (np.diff(track[by_launch], prepend=NONE) != 0)
    is_first[by_launch] = changes
    return DeviceWork(
        row=rows,
        track=track,
        start_ns=events.start_ns[rows],
        end_ns=events.end_ns[rows],
        call=call,
        is_first=is_first & (call != NONE),
    )


def call_around(trace: Trace, calls: HostCalls, rows: Int64Array) -> Int64Array:
    """For event rows on host threads the place of the last call that began there by then, which holds it if one does."""
    events, real = trace.events, np.flatnonzero(calls.row != NONE)
    # Rows are in (track, start, longest first) order, so the outermost comes first.
    place = np.searchsorted(calls.row[real], rows, side="right") - 1
    found = real[np.maximum(place, 0)] if len(real) else np.full(len(rows), NONE)
    same = (place >= 0) & (calls.track[found] == events.track[rows]) if len(real) else np.zeros(len(rows), np.bool_)
    return np.where(same, found, NONE)


def _is_outermost(track: Int64Array, start: Int64Array, end: Int64Array) -> BoolArray:
    """Of calls in (track, start, longest first) order those that begin when all before them on their thread are over."""
    before = np.concatenate(([0], _reach(track, end)[:-1]))
    is_first = np.diff(track, prepend=NONE - 1) != 0
    outermost: BoolArray = is_first | (start >= before)
    return outermost


def _reach(track: Int64Array, end: Int64Array) -> Int64Array:
    """The latest end so far on the track, of events that are by track."""
    if len(end) == 0:
        return end
    low = int(end.min())
    span = int(end.max()) - low + 1
    ordinal = np.cumsum(np.diff(track, prepend=track[0]) != 0)
    reach: Int64Array = np.maximum.accumulate(end - low + ordinal * span) - ordinal * span + low
    return reach
