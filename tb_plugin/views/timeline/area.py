"""What is in an area: a stretch of time on some tracks, summed by name, category, module, class of modules or step."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.errors import UsageError
from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute import intervals, keyed_sums
from tb_plugin.compute.alike import within_alike
from tb_plugin.compute.grouping import group_by as grouped
from tb_plugin.trace.kept import LastAnswers, once_per_trace
from tb_plugin.trace.kinds import DEVICE_KINDS, Kind, is_kind
from tb_plugin.trace.modules.classes import classes_of
from tb_plugin.trace.modules.paths import module_paths
from tb_plugin.trace.track_names import track_name
from tb_plugin.views.timeline.area_sums import SumTable, parts_of, sums_of
from tb_plugin.views.timeline.asked import asked_tracks
from tb_plugin.views.timeline.index import LABEL_KINDS
from tb_plugin.views.timeline.kept import filtered_rows
from tb_plugin.views.timeline.own import NO_WORK, own_times
from tb_plugin.views.timeline.paint import PAINTS
from tb_plugin.views.timeline.result import AreaDevice, AreaName, AreaParams, AreaTrack, TimelineArea
from tb_plugin.views.timeline.track_event import ref

if TYPE_CHECKING:
    import numpy.typing as npt

    from tb_plugin.compute.intervals import Merged
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.timeline.index import Index
    from tb_plugin.views.timeline.result import AreaGroup


def area(trace: Trace, index: Index, params: AreaParams) -> TimelineArea:
    """Events that overlap [t0, t1), marks in it included, with the time that lies inside. UsageError for an empty area."""
    if params.t1_ns <= params.t0_ns:
        raise UsageError("an area ends after it starts")
    if (params.then_by is None) != (params.of_row is None):
        raise UsageError("then_by, what rows are on the second level, and of_row, whose they are, go together")
    if params.of_row is not None and not 0 <= params.of_row < len(trace.events):
        raise UsageError(f"of_row: there is no row {params.of_row}")
    events, length_ns = trace.events, params.t1_ns - params.t0_ns
    tracks = asked_tracks(params.tracks, len(trace.tracks))
    table = _table_of(trace, index, params.group_by, params.then_by)
    by = params.then_by or params.group_by
    kept = filtered_rows(trace, params)
    parts = parts_of(trace, tracks, params.t0_ns, params.t1_ns, kept)
    sums = sums_of(trace, table, parts, params.t0_ns, params.t1_ns)
    found = np.flatnonzero(sums.n_rows)
    of_side = [int(sums.own[found][table.on_device[found] == side].sum()) for side in (False, True)]
    if params.then_by is not None:
        found = found[_is_in_group(trace, index, params, sums.longest_row[found])]
    names_others = table.names_others[found]
    on_device = table.on_device[found]
    # Times of threads and of devices pass side by side: a step on a thread is no longer than the kernels in it.
    in_order = np.lexsort((found, -sums.length[found], -sums.own[found], names_others))
    listed = np.concatenate([in_order[on_device[in_order] == side][: params.top] for side in (True, False)])
    return TimelineArea(
        t0_ns=params.t0_ns,
        t1_ns=params.t1_ns,
        group_by=params.group_by,
        then_by=params.then_by,
        n_names=len(found),
        count=int(sums.n_rows.sum()),
        host_self_ns=of_side[False],
        device_self_ns=of_side[True],
        devices=_devices(trace, tracks, params, kept),
        tracks=[
            AreaTrack(
                id=track,
                name=track_name(trace, track),
                count=part.n_events,
                self_ns=part.self_ns,
                idle_ns=length_ns - part.self_ns if kept is None else None,
            )
            for track, part in zip(tracks.tolist(), parts, strict=True)
            if part.n_events
        ][: params.top],
        rows=[
            AreaName(
                name=_name(trace, index, by, row),
                on_device=bool(on_device[place]),
                kind=Kind(int(events.kind[row])).name.lower() if by == "name" else None,
                count=int(sums.n_rows[key]),
                time_ns=int(sums.length[key]),
                mean_ns=int(sums.length[key]) / int(sums.n_rows[key]),
                self_ns=None if names_others[place] else int(sums.own[key]),
                share=None
                if names_others[place] or not (all_ns := of_side[int(on_device[place])])
                else int(sums.own[key]) / all_ns,
                longest=ref(trace, index, row),
            )
            for place, key, row in zip(
                listed.tolist(), found[listed].tolist(), sums.longest_row[found[listed]].tolist(), strict=True
            )
        ],
    )


NAMING: Final = "steps, annotations, waits"
"""Of a device, in no module: what lies over its work and is none."""

ON_STREAMS: Final = (*DEVICE_KINDS, Kind.SYNC, *LABEL_KINDS)
"""What is on streams: the other side than that of threads."""


@once_per_trace
def _tables(_trace: Trace) -> LastAnswers[tuple[AreaGroup, AreaGroup | None], SumTable]:
    return LastAnswers(7)  # all of one level, and two of two


def _table_of(trace: Trace, index: Index, group_by: AreaGroup, then_by: AreaGroup | None) -> SumTable:
    return _tables(trace).get((group_by, then_by), lambda: _table(trace, index, group_by, then_by))


def _is_in_group(trace: Trace, index: Index, params: AreaParams, rows: Int64Array) -> BoolArray:
    """Whether each row is of the group that `of_row` is of."""
    key = _table_of(trace, index, params.group_by, None).key
    return np.equal(key[rows], key[params.of_row])


def _table(trace: Trace, index: Index, group_by: AreaGroup, then_by: AreaGroup | None) -> SumTable:
    events = trace.events
    on_device = is_kind(events.kind, ON_STREAMS)
    columns = [column for by in (group_by, then_by) if by is not None for column in _columns(trace, index, by)]
    groups = grouped(on_device.astype(np.int8), *columns)
    names_others = np.ones(len(groups), np.bool_)
    names_others[groups.of[~is_kind(events.kind, NO_WORK)]] = False
    inside = within_alike(events.track.astype(np.int64) * len(groups) + groups.of, events.end_ns)
    sums = keyed_sums.build(groups.of, events.end_ns - events.start_ns, own_times(trace).own_ns, inside)
    return SumTable(groups.of.astype(np.int32), names_others, on_device[groups.first], sums, inside)


def _columns(trace: Trace, index: Index, group_by: AreaGroup) -> tuple[npt.NDArray[np.integer], ...]:
    """What all events of a group have alike, by row."""
    match group_by:
        case "name":
            return trace.events.kind, trace.events.name_id
        case "category":
            return (index.paint,)
        case "module":
            return module_paths(trace).of_row, _is_naming(trace)
        case "class":
            paths = module_paths(trace)
            classes = classes_of(paths.names, paths.class_names, paths.qualified, paths.parent.tolist())
            return np.append(classes.of_path, NONE)[paths.of_row], _is_naming(trace)
        case "step":
            return (trace.events.step,)


def _is_naming(trace: Trace) -> npt.NDArray[np.int8]:
    """What runs in no module and has no time: a step on a device, as long as all its kernels, would be the longest of them."""
    is_naming: npt.NDArray[np.int8] = is_kind(trace.events.kind, NO_WORK) & (module_paths(trace).of_row == NONE)
    return is_naming.astype(np.int8)


def _name(trace: Trace, index: Index, group_by: AreaGroup, row: int) -> str | None:
    """Of the group that `row` is of."""
    match group_by:
        case "name":
            return trace.text(int(trace.events.name_id[row]))
        case "category":
            return PAINTS[int(index.paint[row])]
        case "module" | "class":
            paths = module_paths(trace)
            path = paths.of(row)
            texts = paths.texts if group_by == "module" else paths.class_names
            if path != NONE:
                return texts[path]
            return NAMING if is_kind(trace.events.kind[row], NO_WORK) else None
        case "step":
            step = int(trace.events.step[row])
            return f"ProfilerStep#{trace.steps.number[step]}" if step != NONE else None


@once_per_trace
def _busy_of_tracks(trace: Trace) -> dict[int, Merged]:
    """When each track of a device works; tracks without device work have none."""
    return _busy(trace, None)


def _busy(trace: Trace, kept: BoolArray | None) -> dict[int, Merged]:
    """The same with the work that is kept."""
    events = trace.events
    is_work = is_kind(events.kind, DEVICE_KINDS)
    work = np.flatnonzero(is_work if kept is None else is_work & kept)
    bounds = np.searchsorted(events.track[work], np.arange(len(trace.tracks) + 1)).tolist()
    return {
        track: intervals.union(events.start_ns[work[low:high]], events.end_ns[work[low:high]])
        for track, (low, high) in enumerate(itertools.pairwise(bounds))
        if high > low and trace.tracks.device[track] != NONE
    }


def _devices(trace: Trace, tracks: Int64Array, params: AreaParams, kept: BoolArray | None) -> list[AreaDevice]:
    """The work of each device that the area has a stream of, drawn over or not. One that did nothing in it is idle; one with
    nothing that filters keep is not told.
    """
    of_track = _busy_of_tracks(trace) if kept is None else _busy(trace, kept)
    of_area = set(tracks.tolist())
    of_device: dict[int, list[int]] = {}
    for track in of_track:
        of_device.setdefault(int(trace.tracks.device[track]), []).append(track)

    def busy_ns(streams: list[int]) -> int:
        parts = [intervals.clip(of_track[track], params.t0_ns, params.t1_ns) for track in streams]
        return intervals.length(intervals.join(*parts))

    return [
        AreaDevice(
            device=device,
            busy_ns=(busy := busy_ns(streams)),
            gaps_ns=params.t1_ns - params.t0_ns - busy if kept is None else None,
            n_streams=len(streams),
            area_streams=[track_name(trace, track) for track in drawn],
            area_busy_ns=busy_ns(drawn),
        )
        for device, streams in sorted(of_device.items())
        if (drawn := [track for track in streams if track in of_area])
    ]
