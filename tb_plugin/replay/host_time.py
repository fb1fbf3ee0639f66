"""How much of the host's time lasts how long: sets of time of threads, each with a factor.

loader 0-50 x 0, host function 40-60 x 0.5       0-50 x 0, 50-60 x 0.5: where both hold, both factors do
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.intervals import EMPTY, Merged, covers, intersect, length, subtract, union

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.base.units import BoolArray, Int64Array
    from tb_plugin.trace.model import Trace

ByTrack = dict[int, Merged]


def times_of(trace: Trace, rows: Int64Array) -> ByTrack:
    """When any of these host events was open, on each of their threads."""
    events = trace.events
    tracks = events.track[rows]
    found = {}
    for track in distinct(tracks).tolist():
        mine = rows[tracks == track]
        found[track] = union(events.start_ns[mine], events.end_ns[mine])
    return found


def without(times: ByTrack, others: ByTrack) -> ByTrack:
    """Time in the first and not in the others."""
    return {track: subtract(merged, others.get(track, EMPTY)) for track, merged in times.items()}


class HostTime:
    """Disjoint sets of time, each with its factor; all other time has the factor 1."""

    def __init__(self) -> None:
        self._pieces: dict[int, list[tuple[Merged, float]]] = {}

    def scale(self, times: ByTrack, factor: float) -> None:
        """Has this time last `factor` as long, on top of what held before."""
        for track, merged in times.items():
            pieces: list[tuple[Merged, float]] = []
            left = merged
            for there, before in self._pieces.get(track, []):
                both = intersect(there, merged)
                pieces += [(both, before * factor), (subtract(there, merged), before)]
                left = subtract(left, there)
            pieces.append((left, factor))
            self._pieces[track] = [(there, each) for there, each in pieces if length(there)]

    def lasting(self, track: Int64Array, start: Int64Array, end: Int64Array) -> Int64Array:
        """How long each of these spans of a thread lasts, ns."""
        lasts: Int64Array = (end - start).copy()
        self._each(track, lambda mine, merged, factor: _shorten(lasts, mine, start, end, merged, factor))
        return np.maximum(lasts, 0)

    def is_gone(self, track: Int64Array, time_ns: Int64Array) -> BoolArray:
        """Whether what a thread did at this time is not done at all."""
        gone = np.zeros(len(track), np.bool_)

        def mark(mine: Int64Array, merged: Merged, factor: float) -> None:
            if factor == 0:
                gone[mine] |= covers(merged, time_ns[mine])

        self._each(track, mark)
        return gone

    def _each(self, track: Int64Array, do: Callable[[Int64Array, Merged, float], None]) -> None:
        for each, pieces in self._pieces.items():
            mine = np.flatnonzero(track == each)
            for merged, factor in pieces:
                do(mine, merged, factor)


def _shorten(lasts: Int64Array, mine: Int64Array, start: Int64Array, end: Int64Array, merged: Merged, factor: float) -> None:
    covered = _covered_until(merged, end[mine]) - _covered_until(merged, start[mine])
    lasts[mine] -= np.rint((1 - factor) * covered).astype(np.int64)


def _covered_until(merged: Merged, time_ns: Int64Array) -> Int64Array:
    """How much of the set lies before each of these times."""
    before = np.concatenate(([0], np.cumsum(merged.end - merged.start)))
    place = np.searchsorted(merged.start, time_ns, side="right")
    within = np.minimum(time_ns, np.append(merged.end, 0)[place - 1]) - np.append(merged.start, 0)[place - 1]
    covered: Int64Array = np.where(place > 0, before[place - 1] + within, 0)
    return covered
