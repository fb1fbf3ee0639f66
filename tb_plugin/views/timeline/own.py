"""Own times of all events, worked out once: self times of an area are then sums, but for the few events that its edges cut.

track   a |--------------------|      own(a) = all of it without b and c
        b   |-----|                   what a has before t: up to where c begins, without what lies between
        c            |----t--|
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.nesting import nest, sum_over_children
from tb_plugin.compute.own_time import lasting_ends, until_outlived
from tb_plugin.trace.compact import compact
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.kinds import HOST_KINDS, Kind, is_kind
from tb_plugin.views.timeline.index import LABEL_KINDS

if TYPE_CHECKING:
    import numpy.typing as npt

    from tb_plugin.trace.model import Trace

NO_WORK: Final = (*LABEL_KINDS, Kind.SPAN, Kind.SYNC)
"""What lies on a track and is no work there: names of what runs in it, and waits of a stream, beside which others may work."""


@dataclass(frozen=True, kw_only=True)
class OwnTimes:
    """Of each event row its own time, and of those that another one outlives until when they have any."""

    track_first: Int64Array  # row, and the number of rows
    own_ns: npt.NDArray[np.integer]
    cut_rows: Int64Array  # in order
    cut_ends: Int64Array

    def lasting(self, end_ns: Int64Array, rows: Int64Array) -> Int64Array:
        """Until when each of these rows has its time, ns. `end_ns`: of all rows."""
        ends = end_ns[rows]
        if len(self.cut_rows):
            place = np.minimum(np.searchsorted(self.cut_rows, rows), len(self.cut_rows) - 1)
            is_cut = self.cut_rows[place] == rows
            ends[is_cut] = self.cut_ends[place[is_cut]]
        return ends


@once_per_trace
def own_times(trace: Trace) -> OwnTimes:
    """Times of what is no work are 0, on a stream in no tree but that of its times, on a thread in the trace's own."""
    events, n_tracks = trace.events, len(trace.tracks)
    bounds = np.searchsorted(events.track, np.arange(n_tracks + 1)).astype(np.int64)
    timed = (events.end_ns > events.start_ns) & ~is_kind(events.kind, NO_WORK)
    of_host = np.flatnonzero(timed & _on_threads(trace, bounds, timed))
    own = np.zeros(len(events), np.int64)
    lasts: Int64Array = events.end_ns.copy()
    start, end = events.start_ns[of_host], events.end_ns[of_host]
    parent = _places(trace, of_host)
    lasts[of_host] = lasting_ends(parent, start, end, events.track[of_host])
    own[of_host] = lasts[of_host] - start - sum_over_children(parent, lasts[of_host] - start)
    timed[of_host] = False
    for first, end_row in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        rows = np.flatnonzero(timed[first:end_row]) + first
        if len(rows):
            start, end = events.start_ns[rows], events.end_ns[rows]
            lasts[rows] = until_outlived(start, end)
            own[rows] = _own(start, lasts[rows])
    cut = np.flatnonzero(lasts != events.end_ns)
    return OwnTimes(track_first=bounds, own_ns=compact(own, NONE, np.dtype(np.int32)), cut_rows=cut, cut_ends=lasts[cut])


def open_at(trace: Trace, own: OwnTimes, track: int, t_ns: int) -> tuple[Int64Array, Int64Array]:
    """(rows of a track that have begun before `t_ns` and end after it, the own time that each has had by then)."""
    events, first = trace.events, int(own.track_first[track])
    begun = first + int(np.searchsorted(events.start_ns[first : own.track_first[track + 1]], t_ns))
    rows = np.flatnonzero(events.end_ns[first:begun] > t_ns) + first
    had_ns = own.own_ns[rows].astype(np.int64)
    still = (own.lasting(events.end_ns, rows) > t_ns) & ~is_kind(events.kind[rows], NO_WORK)
    # Those lie one in the other: each has had its time up to the next, but for what was open and closed between them.
    chain = rows[still]
    until = np.append(events.start_ns[chain[1:]], t_ns) if len(chain) else chain
    between = [
        int(own.own_ns[a + 1 : b].sum(dtype=np.int64)) for a, b in zip(chain.tolist(), [*chain[1:].tolist(), begun], strict=False)
    ]
    had_ns[still] = until - events.start_ns[chain] - np.array(between, np.int64)
    return rows, had_ns


def _on_threads(trace: Trace, bounds: Int64Array, timed: BoolArray) -> BoolArray:
    """For each row: are all timed events of its track in the trace's tree?"""
    outside = np.concatenate(([0], np.cumsum(timed & ~is_kind(trace.events.kind, HOST_KINDS))))
    all_inside = outside[bounds[1:]] == outside[bounds[:-1]]
    found: BoolArray = np.repeat(all_inside, np.diff(bounds))
    return found


def _places(trace: Trace, rows: Int64Array) -> npt.NDArray[np.int32]:
    """Of each of these rows the place of its parent among them."""
    place = np.full(len(trace.events) + 1, NONE, np.int32)  # one entry more: NONE (-1) falls on it
    place[rows] = np.arange(len(rows))
    return place[trace.events.nest_parent[rows]]


def _own(start: Int64Array, lasts: Int64Array) -> Int64Array:
    """Of events that lie one in the other or apart."""
    if (lasts[:-1] <= start[1:]).all():
        return lasts - start
    parent, _ = nest(start, lasts)
    return lasts - start - sum_over_children(parent, lasts - start)
