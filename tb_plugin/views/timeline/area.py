"""What is in an area: a stretch of time on some tracks, summed by name, category, module or step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.errors import UsageError
from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.compute import intervals
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.nesting import nest, sum_over_children
from tb_plugin.compute.own_time import lasting_ends
from tb_plugin.trace.kinds import DEVICE_KINDS, HOST_KINDS, Kind, is_kind
from tb_plugin.trace.modules.paths import module_paths
from tb_plugin.trace.track_names import track_name
from tb_plugin.views.timeline.asked import asked_tracks
from tb_plugin.views.timeline.details import ref
from tb_plugin.views.timeline.index import LABEL_KINDS
from tb_plugin.views.timeline.paint import PAINTS
from tb_plugin.views.timeline.result import AreaDevice, AreaName, AreaParams, AreaTrack, TimelineArea

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.timeline.index import Index
    from tb_plugin.views.timeline.result import AreaGroup


def area(trace: Trace, index: Index, params: AreaParams) -> TimelineArea:
    """Events that overlap [t0, t1), marks in it included, with the time that lies inside. UsageError for an empty area."""
    if params.t1_ns <= params.t0_ns:
        raise UsageError("an area ends after it starts")
    events, length_ns = trace.events, params.t1_ns - params.t0_ns
    tracks = asked_tracks(params.tracks, len(trace.tracks)).tolist()
    parts = [_part(trace, track, params) for track in tracks]
    rows, inside_ns, self_ns = (np.concatenate(columns) for columns in zip(_NOTHING, *parts, strict=True))
    key = _keys(trace, index, params.group_by, rows)
    count = np.bincount(key)
    total, own = (np.bincount(key, weights=times).astype(np.int64) for times in (inside_ns, self_ns))
    longest = _first_longest(key, inside_ns, len(count))
    found = np.flatnonzero(count)
    names_others = np.bincount(key, weights=~is_kind(events.kind[rows], NAMES_OTHERS))[found] == 0
    listed = np.lexsort((found, -total[found], -own[found], names_others))[: params.top]
    return TimelineArea(
        t0_ns=params.t0_ns,
        t1_ns=params.t1_ns,
        group_by=params.group_by,
        n_names=len(found),
        count=len(rows),
        self_ns=int(self_ns.sum()),
        devices=_devices(trace, rows, params),
        tracks=[
            AreaTrack(id=track, name=track_name(trace, track), count=len(part.rows), self_ns=own_ns, idle_ns=length_ns - own_ns)
            for track, part in zip(tracks, parts, strict=True)
            if len(part.rows)
            for own_ns in (int(part.self_ns.sum()),)
        ][: params.top],
        rows=[
            AreaName(
                name=_name(trace, params.group_by, k, row),
                kind=Kind(int(events.kind[row])).name.lower() if params.group_by == "name" else None,
                count=int(count[k]),
                time_ns=int(total[k]),
                self_ns=None if names_others[place] else int(own[k]),
                longest=ref(trace, index, row),
            )
            for place, k, row in zip(listed.tolist(), found[listed].tolist(), rows[longest[found[listed]]].tolist(), strict=True)
        ],
    )


def _keys(trace: Trace, index: Index, group_by: AreaGroup, rows: Int64Array) -> Int64Array:
    """For each row a small number that all of its group have, so that sums need no sorting."""
    events = trace.events
    match group_by:
        case "name":
            return events.kind[rows].astype(np.int64) * (len(trace.strings) + 1) + events.name_id[rows]
        case "category":
            return index.paint[rows].astype(np.int64)
        case "module":
            return module_paths(trace).of_rows(rows).astype(np.int64) - NONE
        case "step":
            return events.step[rows].astype(np.int64) - NONE


def _name(trace: Trace, group_by: AreaGroup, key: int, row: int) -> str | None:
    """Of the group with this key, which `row` is of."""
    match group_by:
        case "name":
            return trace.text(int(trace.events.name_id[row]))
        case "category":
            return PAINTS[key]
        case "module":
            return module_paths(trace).texts[key + NONE] if key + NONE != NONE else None
        case "step":
            return f"ProfilerStep#{trace.steps.number[key + NONE]}" if key + NONE != NONE else None


NAMES_OTHERS: Final = (*LABEL_KINDS, Kind.SPAN)
"""Ranges that name what runs in them, on a track where they are no work themselves."""


class _Part(NamedTuple):
    """The events of one track that overlap the area: their rows, and their times inside it."""

    rows: Int64Array
    inside_ns: Int64Array
    self_ns: Int64Array


_NOTHING: Final = _Part(*(np.empty(0, np.int64),) * 3)


def _part(trace: Trace, track: int, params: AreaParams) -> _Part:
    """Self times leave out nested events, and where events cut across each other what began later has the time."""
    events, t0, t1 = trace.events, params.t0_ns, params.t1_ns
    low, high = np.searchsorted(events.track, [track, track + 1]).tolist()
    high = low + int(np.searchsorted(events.start_ns[low:high], t1))  # sorted by start within a track
    start, end, kind = events.start_ns[low:high], events.end_ns[low:high], events.kind[low:high]
    overlaps = (end > t0) | ((start == end) & (start == t0))
    inside_ns = np.where(overlaps, np.minimum(end, t1) - np.maximum(start, t0), 0)
    timed = np.flatnonzero((end > start) & ~is_kind(kind, NAMES_OTHERS))
    if is_kind(kind[timed], HOST_KINDS).all():
        place = np.full(high - low + 1, NONE, np.int32)  # one entry more: NONE (-1) falls on it
        place[timed] = np.arange(len(timed))
        above = events.nest_parent[low:high][timed]
        parent = place[np.where(above == NONE, NONE, above - low)]
    else:  # device work is in no tree of the trace
        parent, _ = nest(start[timed], end[timed])
    lasts_ns = np.minimum(lasting_ends(parent, start[timed], end[timed]), t1) - np.maximum(start[timed], t0)
    lasts_ns = np.maximum(lasts_ns, 0)
    self_ns = np.zeros(high - low, np.int64)
    self_ns[timed] = lasts_ns - sum_over_children(parent, lasts_ns)
    here = np.flatnonzero(overlaps)
    return _Part(here + low, inside_ns[here], self_ns[here])


def _devices(trace: Trace, rows: Int64Array, params: AreaParams) -> list[AreaDevice]:
    """The work of each device: the union over its streams in the area."""
    events = trace.events
    work = rows[is_kind(events.kind[rows], DEVICE_KINDS)]
    device = trace.tracks.device[events.track[work]]
    found = []
    for number in distinct(device[device != NONE]).tolist():
        mine = work[device == number]
        busy_ns = intervals.length(
            intervals.clip(intervals.union(events.start_ns[mine], events.end_ns[mine]), params.t0_ns, params.t1_ns)
        )
        found.append(AreaDevice(device=number, busy_ns=busy_ns, gaps_ns=params.t1_ns - params.t0_ns - busy_ns))
    return found


def _first_longest(key: Int64Array, length: Int64Array, n_keys: int) -> Int64Array:
    """For each key the place of its longest member, of equal ones the first; -1 for keys without one."""
    longest = np.full(n_keys, -1, np.int64)
    np.maximum.at(longest, key, length)
    places = np.flatnonzero(length == longest[key])[::-1]
    found = np.full(n_keys, NONE, np.int64)
    found[key[places]] = places  # the last one written stays
    return found
