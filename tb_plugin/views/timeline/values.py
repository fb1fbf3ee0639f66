"""Values over time: memory, how much of a device is busy, how many launches wait for it, and the counters of the file.

Most are steps: a value holds until the next one. A reply has the least and the most of each of its buckets, so that no peak is
lost at any zoom, and the mean over its time, so that one is not drawn wider than it is.

    allocated   |--512--|------2048------|-512-        bucket   0     1     2
    bucket      0          1          2                least  512  2048   512
                                                       most  2048  2048  2048
                                                       mean   973  2048  1280
"""

from __future__ import annotations

import itertools
import math
from operator import itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.errors import UsageError
from tb_plugin.base.units import NONE, BoolArray, Float64Array, Int64Array
from tb_plugin.compute import intervals
from tb_plugin.compute.distinct import distinct
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.kinds import DEVICE_KINDS, Kind, is_kind
from tb_plugin.trace.memory.devices import title_of
from tb_plugin.trace.memory.series import all_series
from tb_plugin.trace.track_names import process_name
from tb_plugin.views.timeline.kept import kept_rows
from tb_plugin.views.timeline.result import TimelineValues, ValuesParams, ValueTrack

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tb_plugin.compute.intervals import Merged
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.timeline.result import ValueUnit

_MOST_COUNTS: Final = 200_000
"""Counter events that are read: each is a line of JSON."""

_MOST_TRACKS: Final = 64


class StepTrack(NamedTuple):
    """`value[i]` holds from `time_ns[i]` on; before the first it is `before`, NaN where nobody knows."""

    id: str
    title: str
    unit: ValueUnit
    device: int | None
    time_ns: Int64Array
    value: Float64Array
    before: float


def values(trace: Trace, params: ValuesParams) -> TimelineValues:
    """The value tracks in [t0, t1), cut into `width_px` equal buckets. UsageError where there is no such stretch."""
    t0_ns = trace.info.start_ns if params.t0_ns is None else params.t0_ns
    t1_ns = max(trace.info.end_ns, t0_ns + 1) if params.t1_ns is None else params.t1_ns
    if t1_ns <= t0_ns or params.width_px <= 0:
        raise UsageError(f"no values: t0_ns={t0_ns}, t1_ns={t1_ns}, width_px={params.width_px}")
    edges = np.linspace(t0_ns, t1_ns, params.width_px + 1)
    lit = kept_rows(trace, params)
    kept = {} if lit is None else _busy_of(trace, lit)
    tracks = [_busy_track(device, busy, edges, kept.get(device)) for device, busy in _busy(trace).items()]
    tracks += [value_track(steps, edges) for steps in _steps(trace)]
    return TimelineValues(t0_ns=t0_ns, t1_ns=t1_ns, tracks=tracks[:_MOST_TRACKS], is_lit=lit is not None)


def value_track(steps: StepTrack, edges: Float64Array) -> ValueTrack:
    value = np.append(steps.before, steps.value)  # the place before the first is one of them
    place = np.searchsorted(steps.time_ns, edges, side="right")
    ends = np.maximum(np.searchsorted(steps.time_ns, edges[1:], side="left"), place[:-1]) + 1
    # Of each bucket what held at its start and all that came in it. NaN is passed by.
    ranges = np.stack((place[:-1], ends), axis=1).reshape(-1)
    padded = np.append(value, math.nan)
    least, most = (reduce.reduceat(padded, ranges)[::2] for reduce in (np.fmin, np.fmax))
    known = value[~np.isnan(value)]
    lowest, highest = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
    decimals = 6 - len(str(int(max(highest, -lowest))))
    return ValueTrack(
        id=steps.id,
        title=steps.title,
        unit=steps.unit,
        device=steps.device,
        lowest=lowest,
        highest=highest,
        least=_plain(least),
        most=_plain(most),
        mean=_plain(np.round(_mean(steps.time_ns, value, edges), decimals).clip(least, most)),
    )


def _mean(time_ns: Int64Array, value: Float64Array, edges: Float64Array) -> Float64Array:
    """Of each bucket over the time in which the value is known; NaN where it never is. `value[i]` holds until `time_ns[i]`."""
    low, high = np.searchsorted(time_ns, edges[0], side="right"), np.searchsorted(time_ns, edges[-1], side="left")
    # Since the first edge: the sum since the recording began has no digits left for a bucket of a few nanoseconds.
    changes = np.concatenate(([0.0], time_ns[low:high] - edges[0], [edges[-1] - edges[0]]))
    held, length = value[low : high + 1], np.diff(changes)
    known = ~np.isnan(held)
    until = [np.append(0.0, np.cumsum(np.where(known, of, 0.0) * length)) for of in (held, known)]
    area, time = (np.diff(np.interp(edges - edges[0], changes, column)) for column in until)
    mean: Float64Array = np.divide(area, time, out=np.full(len(area), math.nan), where=time > 0)
    return mean


def _plain(column: Float64Array) -> list[float | None]:
    return [None if value != value else value for value in column.tolist()]


def _busy_track(device: int, busy: Merged, edges: Float64Array, kept: Merged | None) -> ValueTrack:
    """The share of each bucket in which the device works."""
    share = _shares(busy, edges)
    title = f"device {device} busy" if device != NONE else "device busy"
    return ValueTrack(
        id=f"busy-{device}",
        title=title,
        unit="share",
        device=device,
        lowest=0,
        highest=1,
        least=share,
        most=share,
        mean=share,
        kept=None if kept is None else _shares(kept, edges),
    )


def _shares(busy: Merged, edges: Float64Array) -> list[float | None]:
    # Busy time before an instant rises with slope 1 inside an interval and is flat between two.
    times = np.stack((busy.start, busy.end), axis=1).reshape(-1)
    before = np.concatenate(([0], np.cumsum(busy.end - busy.start)))
    at_times = np.stack((before[:-1], before[1:]), axis=1).reshape(-1)
    # Work without length makes no interval.
    until = np.interp(edges, times, at_times) if len(times) else np.zeros(len(edges))
    return [round(x, 4) for x in (np.diff(until) / np.diff(edges)).clip(0, 1).tolist()]


@once_per_trace
def _busy(trace: Trace) -> dict[int, Merged]:
    """When each device works."""
    return _busy_of(trace, np.ones(len(trace.events), np.bool_))


def _busy_of(trace: Trace, kept: BoolArray) -> dict[int, Merged]:
    """The same with no other work; of every device, also of one of which none is kept."""
    events = trace.events
    work = np.flatnonzero(is_kind(events.kind, DEVICE_KINDS))
    device = trace.tracks.device[events.track[work]] if len(work) else np.empty(0, np.int32)
    return {
        number: intervals.union(events.start_ns[rows], events.end_ns[rows])
        for number in distinct(device).tolist()
        for rows in [work[(device == number) & kept[work]]]
    }


@once_per_trace
def _steps(trace: Trace) -> tuple[StepTrack, ...]:
    return (*_memory(trace), *_queues(trace), *_counters(trace))


def _memory(trace: Trace) -> list[StepTrack]:
    found = []
    for series in all_series(trace):
        name, key = title_of(series.device_type, series.device_index), f"{series.device_type}-{series.device_index}"
        device = series.device_index if series.device_index >= 0 else None
        # The curve of a file without totals is of no total: what was held all along is not in it.
        kind, title = ("allocated", "allocated") if series.has_totals else ("allocated-above", "above its least")
        held = series.allocated.astype(np.float64)
        found.append(StepTrack(f"{kind}-{key}", f"{name} {title}", "bytes", device, series.time_ns, held, float(series.before)))
        if series.reserved is not None:
            reserved = series.reserved.astype(np.float64)
            found.append(StepTrack(f"reserved-{key}", f"{name} reserved", "bytes", device, series.time_ns, reserved, math.nan))
    return found


def _queues(trace: Trace) -> list[StepTrack]:
    """Of each device, how many kernels, copies and sets were called for and have not begun.

    thread 1 |            call   call
    stream 7 | K0  K1  K2     K3      K4       K0 to K2 were called for before the recording
    queue      ?   ?   ?      1       0
    """
    events = trace.events
    all_work = np.flatnonzero(is_kind(events.kind, DEVICE_KINDS))
    known_from = _queue_known_from(trace, all_work)
    work = all_work[events.launch[all_work] != NONE]
    called = events.start_ns[events.launch[work]]
    waits = called < events.start_ns[work]  # clocks that do not agree tell of no queue
    work, called = work[waits], called[waits]
    device = trace.tracks.device[events.track[work]] if len(work) else np.empty(0, np.int32)
    found = []
    for number in distinct(device).tolist():
        mine = device == number
        since = known_from.get(number, trace.info.start_ns)
        times = np.concatenate((called[mine], events.start_ns[work[mine]], [since]))
        change = np.append(np.repeat([1, -1], int(mine.sum())), 0)
        order = np.lexsort((-change, times))
        title = f"device {number} launch queue" if number != NONE else "launch queue"
        length = np.where(times[order] < since, math.nan, np.cumsum(change[order]))
        before = math.nan if number in known_from else 0.0
        found.append(StepTrack(f"queue-{number}", title, "count", number, times[order], length, before))
    return found


def _queue_known_from(trace: Trace, work: Int64Array) -> dict[int, int]:
    """By device, where its queue is not known from the beginning: since when.

    A stream runs in order. One that begins with work whose launch is not in the file has more of that in its queue, nobody knows
    how much, until the first with a launch begins; without such a one until its last has begun.
    """
    events, found = trace.events, dict[int, int]()
    bounds = np.flatnonzero(np.diff(events.track[work], prepend=NONE, append=NONE))  # rows of a track are together, by start
    for low, high in itertools.pairwise(bounds.tolist()):
        launched = np.flatnonzero(events.launch[work[low:high]] != NONE)
        first = int(launched[0]) if len(launched) else high - low - 1
        if events.launch[work[low]] == NONE:
            device = int(trace.tracks.device[events.track[work[low]]])
            found[device] = max(found.get(device, trace.info.start_ns), int(events.start_ns[work[low + first]]))
    return found


def _counters(trace: Trace) -> list[StepTrack]:
    """The file's own: power, clocks, bandwidth, whatever it counts, by its process, the counter's name and that of its value.

    The threads of a process share a counter: so viewers of Chrome traces read the format. What CUPTI counted in a range of its
    profiler, a kernel's floating point instructions, holds from the start of the range to its end.
    """
    events, pids = trace.events, trace.tracks.pid_id
    rows = np.flatnonzero(is_kind(events.kind, (Kind.COUNTER, Kind.PROFILER_RANGE)))[:_MOST_COUNTS]
    rows = rows[np.argsort(events.start_ns[rows], kind="stable")]
    points: dict[tuple[int, str, str], list[tuple[int, float]]] = {}
    first_track: dict[int, int] = {}
    for row in rows.tolist():
        track = int(events.track[row])
        pid = int(pids[track])
        first_track.setdefault(pid, track)
        for key, number in _numbers(trace, row).items():
            is_range = events.kind[row] == Kind.PROFILER_RANGE  # which has the name of a kernel
            of_key = points.setdefault((pid, key if is_range else trace.text(int(events.name_id[row])), key), [])
            of_key.append((int(events.start_ns[row]), number))
            if is_range:
                of_key.append((int(events.end_ns[row]), math.nan))
    keys_of, pids_of = _grouped((name, key) for _, name, key in points), _grouped((name, pid) for pid, name, _ in points)
    found = []
    for place, ((pid, name, key), of_key) in enumerate(points.items()):
        title = name if len(keys_of[name]) == 1 else f"{name} {key}"
        if len(pids_of[name]) > 1:
            title += f" of {process_name(trace, first_track[pid])}"
        times, value = zip(*sorted(of_key, key=itemgetter(0)), strict=True)
        found.append(
            StepTrack(f"counter-{place}", title, "number", None, np.array(times, np.int64), np.array(value, np.float64), math.nan)
        )
    return found


def tracks_of_counts(trace: Trace) -> set[int]:
    """Tracks that hold nothing but counters with a number: all of theirs is drawn as values. Looks at one event of each name."""
    events = trace.events
    is_count = events.kind == Kind.COUNTER
    if np.count_nonzero(is_kind(events.kind, (Kind.COUNTER, Kind.PROFILER_RANGE))) > _MOST_COUNTS:
        return set()
    found = set()
    for track in distinct(events.track[is_count]).tolist():
        rows = slice(*np.searchsorted(events.track, [track, track + 1]).tolist())
        first = rows.start + np.unique(events.name_id[rows], return_index=True)[1]
        if is_count[rows].all() and all(_numbers(trace, row) for row in first.tolist()):
            found.add(track)
    return found


def _numbers(trace: Trace, row: int) -> dict[str, int | float]:
    """What the event counts."""
    args = trace.args.get(int(trace.events.order[row]))
    return {k: v for k, v in args.items() if isinstance(v, int | float) and not isinstance(v, bool) and math.isfinite(v)}


def _grouped(pairs: Iterable[tuple[str, object]]) -> dict[str, set[object]]:
    found: dict[str, set[object]] = {}
    for name, other in pairs:
        found.setdefault(name, set()).add(other)
    return found
