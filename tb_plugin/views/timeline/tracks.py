"""Which tracks there are, in the order and with the names to show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.kinds import Kind, is_kind
from tb_plugin.trace.times.step_windows import step_windows
from tb_plugin.trace.track_names import main_tracks, natural, process_name, track_name
from tb_plugin.views.timeline.index import PARTS
from tb_plugin.views.timeline.paint import PAINTS
from tb_plugin.views.timeline.result import KindCount, StepMark, TimelineTracks, TrackGroup, TrackPart, TrackRow
from tb_plugin.views.timeline.strip import density
from tb_plugin.views.timeline.values import tracks_of_counts

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.timeline.index import Index


class _Group(NamedTuple):
    """Sorts devices first: few lanes, so they stay in sight above host stacks of a hundred. Then processes, the profiler last."""

    rank: int
    sort_index: int
    natural: tuple[tuple[int, int, str], ...]
    name: str
    device: int | None


def tracks(trace: Trace, index: Index) -> TimelineTracks:
    events, window, names = trace.events, trace.info, names_of_tracks(trace)
    order = in_order(trace, index)
    group_of = {t: _group(trace, t) for t in order}
    groups = sorted(set(group_of.values()))
    place_of = {group: place for place, group in enumerate(groups)}
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
                name=names[t],
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
        density=density(trace),
    )


def in_order(trace: Trace, index: Index) -> list[int]:
    """The tracks that are shown."""
    main, counts = main_tracks(trace), tracks_of_counts(trace)
    recorded = np.flatnonzero(index.n_events).tolist()
    shown = [t for t in recorded if t not in counts] or recorded
    return sorted(shown, key=lambda t: (_group(trace, t), t not in main, _sort_key(trace, t)))


@once_per_trace
def names_of_tracks(trace: Trace) -> tuple[str, ...]:
    main = main_tracks(trace)
    return tuple(track_name(trace, t) + (" main" if t in main else "") for t in range(len(trace.tracks)))


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
