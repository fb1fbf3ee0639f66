"""What is in an area: a stretch of time on some tracks, summed by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.errors import UsageError
from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.selection import numbers_in
from tb_plugin.views.timeline.details import ref
from tb_plugin.views.timeline.result import AreaName, AreaParams, TimelineArea

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.timeline.index import Index


def area(trace: Trace, index: Index, params: AreaParams) -> TimelineArea:
    """Events that overlap [t0, t1), marks in it included, with the time that lies inside. UsageError for an empty area."""
    if params.t1_ns <= params.t0_ns:
        raise UsageError("an area ends after it starts")
    events = trace.events
    tracks = np.arange(len(trace.tracks)) if params.tracks is None else np.unique(numbers_in(params.tracks, "tracks"))
    parts = [_part(trace, track, params) for track in tracks.tolist()]
    rows, inside_ns, self_ns = (np.concatenate(columns) for columns in zip(_NOTHING, *parts, strict=True))
    # One number for (kind, name), so that sums need no sorting.
    key = events.kind[rows].astype(np.int64) * (len(trace.strings) + 1) + events.name_id[rows]
    count = np.bincount(key)
    total, own = (np.bincount(key, weights=times).astype(np.int64) for times in (inside_ns, self_ns))
    longest = _first_longest(key, inside_ns, len(count))
    found = np.flatnonzero(count)
    listed = found[np.lexsort((found, -total[found], -own[found]))][: max(params.top, 0)]
    return TimelineArea(
        t0_ns=params.t0_ns,
        t1_ns=params.t1_ns,
        n_names=len(found),
        count=len(rows),
        self_ns=int(self_ns.sum()),
        rows=[
            AreaName(
                name=trace.text(int(events.name_id[row])),
                kind=Kind(int(events.kind[row])).name.lower(),
                count=int(count[k]),
                time_ns=int(total[k]),
                self_ns=int(own[k]),
                longest=ref(trace, index, row),
            )
            for k, row in zip(listed.tolist(), rows[longest[listed]].tolist(), strict=True)
        ],
    )


class _Part(NamedTuple):
    """The events of one track that overlap the area: their rows, and their times inside it."""

    rows: Int64Array
    inside_ns: Int64Array
    self_ns: Int64Array


_NOTHING: Final = _Part(*(np.empty(0, np.int64),) * 3)


def _part(trace: Trace, track: int, params: AreaParams) -> _Part:
    """Self times leave out nested events. Crossing siblings may be longer than what they are in: then it is 0."""
    events, t0 = trace.events, params.t0_ns
    low, high = np.searchsorted(events.track, [track, track + 1]).tolist()
    high = low + int(np.searchsorted(events.start_ns[low:high], params.t1_ns))  # sorted by start within a track
    start, end = events.start_ns[low:high], events.end_ns[low:high]
    overlaps = (end > t0) | ((start == end) & (start == t0))
    inside_ns = np.where(overlaps, np.minimum(end, params.t1_ns) - np.maximum(start, t0), 0)
    parent = events.nest_parent[low:high]
    nested = np.flatnonzero(parent != NONE)
    children_ns = np.bincount(parent[nested] - low, weights=inside_ns[nested], minlength=high - low).astype(np.int64)
    here = np.flatnonzero(overlaps)
    return _Part(here + low, inside_ns[here], np.maximum(inside_ns - children_ns, 0)[here])


def _first_longest(key: Int64Array, length: Int64Array, n_keys: int) -> Int64Array:
    """For each key the place of its longest member, of equal ones the first; -1 for keys without one."""
    longest = np.full(n_keys, -1, np.int64)
    np.maximum.at(longest, key, length)
    places = np.flatnonzero(length == longest[key])[::-1]
    found = np.full(n_keys, NONE, np.int64)
    found[key[places]] = places  # the last one written stays
    return found
