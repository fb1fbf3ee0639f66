"""Which tracks there are, in the order and with the names to show them, and how busy each device is over the whole window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, BoolArray
from tb_plugin.compute import intervals
from tb_plugin.compute.distinct import distinct
from tb_plugin.trace.kinds import DEVICE_KINDS, Kind, is_kind
from tb_plugin.trace.times.step_windows import step_windows
from tb_plugin.trace.track_names import main_tracks, natural, process_name, track_name
from tb_plugin.views.timeline.index import PARTS
from tb_plugin.views.timeline.paint import PAINTS
from tb_plugin.views.timeline.result import Density, KindCount, StepMark, TimelineTracks, TrackGroup, TrackPart, TrackRow
from tb_plugin.views.timeline.values import tracks_of_counts

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.timeline.index import Index

N_PARTS: Final = 512
"""Parts of the overview strip."""

_LEAST: Final = 0.001  # of a part in which anything ran: 0 is a part in which nothing did
_MOST_DENSITIES: Final = 64  # strips that one can tell apart; each device has its tracks besides


class _Group(NamedTuple):
    """Sorts devices first: few lanes, so they stay in sight above host stacks of a hundred. Then processes, the profiler last."""

    rank: int
    sort_index: int
    natural: tuple[tuple[int, int, str], ...]
    name: str
    device: int | None


def tracks(trace: Trace, index: Index) -> TimelineTracks:
    events, window = trace.events, trace.info
    main = main_tracks(trace)
    group_of = [_group(trace, track) for track in range(len(trace.tracks))]
    counts, recorded = tracks_of_counts(trace), np.flatnonzero(index.n_events).tolist()
    shown = [t for t in recorded if t not in counts] or recorded
    groups = sorted({group_of[t] for t in shown})
    place_of = {group: place for place, group in enumerate(groups)}
    order = sorted(shown, key=lambda t: (group_of[t], t not in main, _sort_key(trace, t)))
    return TimelineTracks(
        start_ns=window.start_ns,
        end_ns=window.end_ns,
        base_ns=window.base_ns,
        n_events=len(events),
        groups=[TrackGroup(name=g.name, device=g.device) for g in groups],
        tracks=[
            TrackRow(
                id=t,
                group=place_of[group_of[t]],
                name=track_name(trace, t) + (" main" if t in main else ""),
                device=group_of[t].device,
                stream=int(trace.tracks.stream[t]) if trace.tracks.stream[t] != NONE else None,
                thread=trace.text(int(trace.tracks.tid_id[t])) if trace.tracks.device[t] == NONE else None,
                lanes=int(index.part_lanes[t].sum()),
                parts=[TrackPart(kind=kind, lanes=n) for kind, n in zip(PARTS, index.part_lanes[t].tolist(), strict=True) if n],
                marks=bool(index.has_marks[t]),
                n_events=int(index.n_events[t]),
            )
            for t in order
        ],
        steps=_steps(trace),
        kinds=_kinds(trace),
        paints=list(PAINTS),
        n_of_paint=np.bincount(index.paint, minlength=len(PAINTS)).tolist(),
        density=_density(trace),
    )


def _group(trace: Trace, track: int) -> _Group:
    table = trace.tracks
    pid = trace.text(table.pid_id[track])
    device = int(table.device[track])
    if device != NONE:
        known = next((d.name for d in trace.info.devices if d.index == device), "")
        label = f"device {device}" + (f" {known}" if known else "")
        return _Group(0, device, natural(pid), label, device)
    first, last = np.searchsorted(trace.events.track, [track, track + 1])
    if is_kind(trace.events.kind[first:last], (Kind.SPAN, Kind.INSTANT, Kind.OVERHEAD)).all():
        return _Group(2, 0, (), "profiler", None)  # its own window and marks, which files spread over odd processes
    return _Group(1, int(table.sort_index[track]), natural(pid), process_name(trace, track), None)


def _sort_key(trace: Trace, track: int) -> tuple[tuple[int, int, str], ...]:
    return natural(trace.text(trace.tracks.tid_id[track]))


def _steps(trace: Trace) -> list[StepMark]:
    steps, timed = trace.steps, step_windows(trace)
    return [
        StepMark(
            name=f"ProfilerStep#{steps.number[row]}",
            number=int(steps.number[row]),
            start_ns=int(steps.start_ns[row]),
            end_ns=int(steps.end_ns[row]),
            timed_start_ns=int(timed.start_ns[row]),
            timed_end_ns=int(timed.end_ns[row]),
            complete=bool(steps.complete[row]),
        )
        for row in range(len(steps))
    ]


def _kinds(trace: Trace) -> list[KindCount]:
    pairs = trace.events.category_id.astype(np.int64) * 256 + trace.events.kind
    found, counts = np.unique(pairs, return_counts=True)
    rows = [
        KindCount(kind=Kind(int(pair & 255)).name.lower(), category=trace.text(int(pair >> 8)), count=int(count))
        for pair, count in zip(found, counts, strict=True)
    ]
    return sorted(rows, key=lambda r: -r.count)


def _density(trace: Trace) -> list[Density]:
    events = trace.events
    working = is_kind(events.kind, DEVICE_KINDS)
    # Work on a track that names no device still is device work.
    device = trace.tracks.device[events.track] if len(trace.tracks) else np.empty(0, np.int32)
    found = [
        _density_of(trace, f"device {number}" if number != NONE else "device", number, working & (device == number))
        for number in distinct(device[working]).tolist()[:_MOST_DENSITIES]
    ]
    operators = events.kind == Kind.OPERATOR
    if operators.any():
        found.insert(0, _density_of(trace, "host operators", None, operators))
    return found


def _density_of(trace: Trace, name: str, device: int | None, rows: BoolArray) -> Density:
    return Density(name=name, device=device, busy=_busy_parts(trace, rows), points=_point_parts(trace, rows))


def _point_parts(trace: Trace, rows: BoolArray) -> list[int]:
    events, info = trace.events, trace.info
    at = events.start_ns[rows & (events.start_ns == events.end_ns)]
    if len(at) == 0:
        return []
    part = (at - info.start_ns) * (N_PARTS / max(info.end_ns - info.start_ns, 1))
    counts: list[int] = np.bincount(part.astype(np.int64).clip(0, N_PARTS - 1), minlength=N_PARTS).tolist()
    return counts


def _busy_parts(trace: Trace, rows: BoolArray) -> list[float]:
    merged = intervals.union(trace.events.start_ns[rows], trace.events.end_ns[rows])
    edges = np.linspace(trace.info.start_ns, trace.info.end_ns, N_PARTS + 1)
    if len(merged.start) == 0 or edges[0] == edges[-1]:
        return [0.0] * N_PARTS
    # Busy time before an instant is piecewise linear: flat in gaps, rising with slope 1 inside an interval.
    times = np.stack((merged.start, merged.end), axis=1).ravel()
    before = np.concatenate(([0], np.cumsum(merged.end - merged.start)))
    at_times = np.stack((before[:-1], before[1:]), axis=1).ravel()
    busy = np.diff(np.interp(edges, times, at_times)) / np.diff(edges)
    return [max(round(x, 3), _LEAST) if x > 0 else 0.0 for x in busy.clip(0, 1).tolist()]
