"""Sets of time as merged intervals: disjoint, sorted, half-open [start, end), empty ones dropped.

union(start=[5, 0, 3], end=[9, 4, 6])  ->  Merged(start=[0], end=[9])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from tb_plugin.base.units import BoolArray, Int64Array


class Merged(NamedTuple):
    """Disjoint intervals in order; neighbours do not touch."""

    start: Int64Array
    end: Int64Array


EMPTY = Merged(np.empty(0, np.int64), np.empty(0, np.int64))


def union(start: Int64Array, end: Int64Array) -> Merged:
    """The time covered by any of the intervals (ns, any order, may overlap). Those with end <= start cover nothing."""
    filled = end > start
    if not filled.all():
        start, end = start[filled], end[filled]
    if len(start) == 0:
        return EMPTY
    if (start[1:] < start[:-1]).any():
        by_start = np.argsort(start, kind="stable")
        start, end = start[by_start], end[by_start]
    reach = np.maximum.accumulate(end)
    first = np.flatnonzero(np.concatenate(([True], start[1:] > reach[:-1])))
    last = np.concatenate((first[1:] - 1, [len(start) - 1]))
    return Merged(start[first], reach[last])


def length(merged: Merged) -> int:
    """Total time, ns."""
    return int((merged.end - merged.start).sum())


def union_length(start: Int64Array, end: Int64Array) -> int:
    """Time covered by any of the intervals, each instant once, ns."""
    return length(union(start, end))


def union_length_by(start: Int64Array, end: Int64Array, of: Int64Array, n: int) -> Int64Array:
    """[n]: time covered by any of the intervals of each, ns. `of`: of each interval whose it is, 0 to n - 1."""
    result = np.zeros(n, np.int64)
    if len(start) == 0:
        return result
    # One after the other on one axis, with an instant between.
    low = int(start.min())
    width = int(end.max()) - low + 1
    merged = union(start - low + of * width, end - low + of * width)
    np.add.at(result, merged.start // width, merged.end - merged.start)
    return result


def join(*sets: Merged) -> Merged:
    """Time in any of the sets."""
    return union(np.concatenate([s.start for s in sets]), np.concatenate([s.end for s in sets]))


def intersect(a: Merged, b: Merged) -> Merged:
    """Time in both sets."""
    if len(b.start) == 1:
        return clip(a, int(b.start[0]), int(b.end[0]))
    return _where_covered(a, b, lambda in_a, in_b: in_a & in_b)


def subtract(a: Merged, b: Merged) -> Merged:
    """Time in `a` and not in `b`."""
    if len(b.start) == 0:
        return a
    return _where_covered(a, b, lambda in_a, in_b: in_a & ~in_b)


def length_within(merged: Merged, t0_ns: Int64Array, t1_ns: Int64Array) -> Int64Array:
    """Time of the set inside each window [t0_ns, t1_ns), ns. Windows may overlap; t0_ns <= t1_ns."""
    if len(merged.start) == 0:
        return np.zeros(len(t0_ns), np.int64)
    asked = np.concatenate((t0_ns, t1_ns))
    begun = np.searchsorted(merged.start, asked, side="right")
    before = np.concatenate(([0], np.cumsum(merged.end - merged.start)))
    still_to_come = np.where(begun > 0, np.maximum(merged.end[begun - 1] - asked, 0), 0)
    covered: Int64Array = before[begun] - still_to_come
    return covered[len(t0_ns) :] - covered[: len(t0_ns)]


def covers(merged: Merged, points: npt.NDArray[np.integer]) -> BoolArray:
    """For each point: does it lie in the set?"""
    if len(merged.start) == 0:
        return np.zeros(len(points), np.bool_)
    place = np.searchsorted(merged.start, points, side="right") - 1
    inside: BoolArray = (place >= 0) & (points < merged.end[place])
    return inside


def meets(merged: Merged, start: Int64Array, end: Int64Array) -> BoolArray:
    """For each of these intervals, in the order of their starts: is any of it in the set?"""
    ends_at = np.searchsorted(start, merged.end)  # how many of them begin before this end, so that it is not the next for them
    following = np.repeat(np.append(merged.start, np.iinfo(np.int64).max), np.diff(ends_at, prepend=0, append=len(start)))
    met: BoolArray = np.maximum(following, start) < end
    return met


def clip(merged: Merged, t0_ns: int, t1_ns: int) -> Merged:
    """The part inside [t0_ns, t1_ns)."""
    low = int(np.searchsorted(merged.end, t0_ns, side="right"))
    high = int(np.searchsorted(merged.start, t1_ns, side="left"))
    if high <= low:
        return EMPTY
    return Merged(np.maximum(merged.start[low:high], t0_ns), np.minimum(merged.end[low:high], t1_ns))


def _where_covered(a: Merged, b: Merged, keep: Callable[[BoolArray, BoolArray], BoolArray]) -> Merged:
    """Cuts time at every edge of both sets and keeps the pieces that `keep(in_a, in_b)` chooses."""
    if len(a.start) == 0:
        return EMPTY
    sides = (a.start, a.end, b.start, b.end)
    edges = np.concatenate(sides)
    order = np.argsort(edges, kind="stable")  # of four sorted runs: a merge
    edges = edges[order]
    # `a` opens and closes 1, `b` 2. Between two edges of one time the sum may be anything: that piece is dropped.
    inside = np.cumsum(np.repeat(np.array([1, -1, 2, -2], np.int8), [len(side) for side in sides])[order], dtype=np.int8)[:-1]
    chosen = np.flatnonzero(keep((inside & 1) != 0, (inside & 2) != 0) & (edges[1:] > edges[:-1]))
    start, end = edges[chosen], edges[chosen + 1]
    apart = np.flatnonzero(start[1:] > end[:-1])
    return Merged(start[np.append(0, apart + 1)], end[np.append(apart, -1)]) if len(chosen) else EMPTY
