"""All that a search finds as a list, sorted and cut here: a page never holds more than it shows of a million hits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from msgspec.structs import replace

from tb_plugin.compute.distinct import distinct
from tb_plugin.trace.kept import LastAnswers, once_per_trace
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.scope.patterns import name_matcher
from tb_plugin.trace.track_names import natural
from tb_plugin.views.timeline.result import HitsParams, TimelineHit, TimelineHits
from tb_plugin.views.timeline.search import matching_names
from tb_plugin.views.timeline.tracks import in_order, names_of_tracks

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from tb_plugin.base.units import BoolArray, Int64Array, IntArray
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.timeline.index import Index
    from tb_plugin.views.timeline.result import HitSort

_ORDERS_KEPT: Final = 4  # somebody scrolls through one, and goes back to another
_KINDS: Final = {int(kind): kind.name.lower() for kind in Kind}


class _List(NamedTuple):
    """How many the search finds, and rows of those listed, in order."""

    total: int
    rows: IntArray


def hits(trace: Trace, index: Index, params: HitsParams) -> TimelineHits:
    # Scrolling changes `offset` only, and another selection `row`.
    wanted = replace(params, offset=0, limit=0, row=None)
    total, rows = _lists(trace).get(wanted, lambda: _listed(trace, index, params))
    at = np.flatnonzero(rows == (-1 if params.row is None else params.row))
    return TimelineHits(
        total=total,
        n_listed=len(rows),
        offset=params.offset,
        place=int(at[0]) if len(at) > 0 else None,
        rows=_rows(trace, index, rows[params.offset : params.offset + params.limit]),
    )


@once_per_trace
def _lists(_trace: Trace) -> LastAnswers[HitsParams, _List]:
    return LastAnswers(_ORDERS_KEPT)


def _listed(trace: Trace, index: Index, params: HitsParams) -> _List:
    events = trace.events
    rows = np.flatnonzero(matching_names(trace, params.q, regex=params.regex)[events.name_id])
    total = len(rows)
    if params.among:
        rows = rows[_is_among(trace, rows, params.among)]
    by = _key(trace, index, rows, params.sort)
    # Of equal ones the first in time comes first, both ways.
    return _List(total, rows[np.lexsort((events.start_ns[rows], -by if params.descending else by))])


def _is_among(trace: Trace, rows: IntArray, pattern: str) -> BoolArray:
    """Which have a match in what the list says of them in words. Each name, kind and track is judged once."""
    events, matches = trace.events, name_matcher(pattern)
    found = matching_names(trace, pattern, regex=True)[events.name_id[rows]]
    tracks = dict(enumerate(names_of_tracks(trace)))
    for column, words in ((events.kind[rows], _KINDS), (events.track[rows], tracks)):
        found |= np.isin(column, [number for number in distinct(column).tolist() if matches(words[number])])
    return found


def _key(trace: Trace, index: Index, rows: IntArray, sort: HitSort) -> Int64Array:
    """By which the rows are in order."""
    events = trace.events
    if sort == "start_ns":
        return events.start_ns[rows]
    if sort == "duration_ns":
        return events.end_ns[rows] - events.start_ns[rows]
    if sort == "name":
        return _ranks(events.name_id[rows], lambda number: natural(trace.strings[number].casefold()))
    if sort == "kind":
        return _ranks(events.kind[rows], _KINDS.__getitem__)
    place = {track: place for place, track in enumerate(in_order(trace, index))}
    return _ranks(events.track[rows], lambda track: place.get(track, len(place)))


def _ranks(column: npt.NDArray[np.integer], key: Callable[[int], Any]) -> Int64Array:
    """The place of each row's number among those that are there. Each of these is judged once."""
    there = sorted(distinct(column).tolist(), key=key)
    ranks = np.zeros(max(there, default=0) + 1, np.int64)
    ranks[there] = np.arange(len(there))
    by: Int64Array = ranks[column]
    return by


def _rows(trace: Trace, index: Index, rows: IntArray) -> list[TimelineHit]:
    events, tracks = trace.events, names_of_tracks(trace)
    start = events.start_ns[rows]
    columns = (rows, events.name_id[rows], start, events.end_ns[rows] - start, events.kind[rows], events.track[rows])
    return [
        TimelineHit(
            row=row,
            name=trace.text(name),
            start_ns=start_ns,
            duration_ns=duration_ns,
            kind=_KINDS[kind],
            track=track,
            lane=lane,
            track_name=tracks[track],
        )
        for row, name, start_ns, duration_ns, kind, track, lane in zip(
            *(column.tolist() for column in (*columns, index.depth[rows])), strict=True
        )
    ]
