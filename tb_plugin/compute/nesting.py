"""Call trees from intervals of one thread: who is whose parent.

Two rules, both of torch (reference: `build_tree` in collection.cpp and `EventList._populate_cpu_children`):

    replay   in start order; an open event that ends before the next start closes, and closes all above it. An event that
             outlives its parent is cut to it:      parent 0-10, range 5-15  ->  range is a child of parent
    nest     in (start, longest first) order; an open event that does not contain the next one is dropped for good:
                                                    parent 0-10, range 5-15  ->  both are roots, what follows hangs on range

On properly nested events, which most threads hold, both are the same and need no loop: the number of events open at a
start is (events begun before it) minus (events ended by it), and the parent is the last one before it with a depth one
smaller. Where events overlap partially, both rules are the same as cutting some events' ends: then all nest properly. Only
those that overlap are looked at for it; loops over all are for files in which a tenth of the events overlap.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from tb_plugin.base.units import NONE, BoolArray, Int32Array, Int64Array

_NEVER = 1 << 62
"""Later than any event, ns; leaves room to add to it."""

_MANY = 10
"""Where more than one in so many events overlaps another, a stack is faster than the arrays."""

_EARLY = 1 << 16
"""Rows that are looked at first. Where events overlap, a few of some thousand do; they do not in most files."""

OnPart: TypeAlias = Callable[[int], None]
"""Gets how many of `PARTS` are done: of millions of rows, each takes a while."""

PARTS: Final = 8
_AS_IF_NONE, _WHEN_OVER, _WHICH_OVERLAP, _CUT, _WITH_THEM_CUT = 0, 2, 3, 4, 6
"""Which of `PARTS` begins. Finding parents takes two of them, depths and who is whose."""


def _unheard(_n_done: int) -> None:
    """For who does not ask."""


def replay(start: Int64Array, end: Int64Array, on_part: OnPart = _unheard) -> Int32Array:
    """Parents by torch's tree rule. Rows in (start, order of recording); -1 is a root. Times in ns.

    Events that outlive another are cut, one after the other; with them cut all events nest properly. `on_part` gets which of
    `PARTS` begins.
    """
    on_part(_AS_IF_NONE)
    opens = end > start
    if not _overlap_early(start, end, closed=True):
        parent, _depth = _proper_parents(start, end, opens, on_part, _AS_IF_NONE, closed=True)
        if _contained(start, end, parent, closed=True):
            return parent
    _outlived, longer = _overlapping(start, end, on_part, closed=True)
    if len(longer) * _MANY > len(start):
        return np.array(_replay_loop(start, end), np.int32)
    cut = end.copy()
    cut[longer] = start[longer]  # a moment: who of the others is open then?
    around, _depth = _proper_parents(start, cut, cut > start, on_part, _CUT, closed=True)
    open_ends = [_NEVER]
    for row, other, t0, t1 in zip(*(each.tolist() for each in (longer, around[longer], start[longer], end[longer])), strict=True):
        while open_ends[-1] < t0:
            open_ends.pop()
        open_ends.append(min(t1, open_ends[-1], end[other] if other != NONE else _NEVER))
        cut[row] = open_ends[-1]
    # One that is cut to nothing still is open at its moment.
    parent, _depth = _proper_parents(start, cut, opens, on_part, _WITH_THEM_CUT, closed=True)
    return parent


def nest(start: Int64Array, end: Int64Array, slack_ns: int = 0, on_part: OnPart = _unheard) -> tuple[Int32Array, Int32Array]:
    """(parents, depths) by EventList's rule. Rows in (start, -end); -1 is a root. Times in ns.

    `slack_ns`: a child that ends this much after its parent still is its child, and ends with it for those inside it (files
    whose times are rounded). An event is over for good where one begins inside it that outlives it by more.
    """
    on_part(_AS_IF_NONE)
    if not _overlap_early(start, end, closed=False):
        parent, depth = _proper_parents(start, end, end > start, on_part, _AS_IF_NONE, closed=False)
        if _contained(start, end, parent, closed=False):
            return parent, depth
    outlived, longer = _overlapping(start, end, on_part, closed=False)
    on_part(_CUT)
    rows = np.union1d(outlived, longer)
    if len(rows) * _MANY > len(start):
        parents, depths = _nest_loop(start, end, slack_ns)
        return np.array(parents, np.int32), np.array(depths, np.int32)
    # No other row is cut, or cuts one: it lies in every event in which it begins, so also in one that is cut to another's end.
    cut = end.copy()
    open_ends, open_rows = [_NEVER], [NONE]
    for row, t0, t1 in zip(rows.tolist(), start[rows].tolist(), end[rows].tolist(), strict=True):
        while t0 >= open_ends[-1] or t1 > open_ends[-1] + slack_ns:
            over = open_rows.pop()
            cut[over] = min(open_ends.pop(), t0)
        open_ends.append(min(t1, open_ends[-1]))
        open_rows.append(row)
        cut[row] = open_ends[-1]
    return _proper_parents(start, cut, cut > start, on_part, _WITH_THEM_CUT, closed=False)


def has_marked_ancestor(parent: Int32Array, marked: BoolArray) -> BoolArray:
    """For each row: is any ancestor (not itself) marked?"""
    found: BoolArray = np.append(nearest_marked(parent, marked), NONE)[parent] != NONE
    return found


def nearest_marked(parent: Int32Array, marked: BoolArray) -> Int32Array:
    """For each row: itself if marked, else its nearest marked ancestor, else -1."""
    if not marked.any():
        return np.full(len(parent), NONE, np.int32)
    jump = np.append(parent, NONE).astype(np.intp)  # one entry more than rows: NONE leads to it, and it to NONE
    rows = np.flatnonzero(marked)
    jump[rows] = rows
    while True:
        further = jump[jump]
        if np.array_equal(further, jump):
            return jump[:-1].astype(np.int32)
        jump = further


def marked_around(parent: Int32Array, marked: BoolArray, rows: npt.NDArray[np.integer]) -> Int64Array:
    """`nearest_marked` of these rows alone, each a step further while it is not there: fast where they are few, or near to it.

    A row that is NONE has none.
    """
    if not marked.any():
        return np.full(len(rows), NONE, np.int64)
    found = rows.astype(np.int64)
    left = np.flatnonzero(found != NONE)
    while len(left):
        left = left[~marked[found[left]]]
        found[left] = parent[found[left]]
        left = left[found[left] != NONE]
    return found


def depths(parent: Int32Array) -> Int32Array:
    """Steps from each row to its root. A pass goes twice as far as the one before."""
    jump = np.append(parent, NONE).astype(np.intp)  # one entry more than rows: NONE leads to it, and it to NONE
    depth = (jump != NONE).astype(np.int32)
    while (jump != NONE).any():
        depth += depth[jump]
        jump = jump[jump]
    found: Int32Array = depth[:-1]
    return found


def no_deeper(parent: Int32Array, most: int) -> Int32Array:
    """Parents where rows deeper than `most` lie side by side in their ancestor at `most` - 1."""
    depth = depths(parent)
    if not (depth > most).any():
        return parent
    return np.where(depth <= most, parent, nearest_marked(parent, depth < most)).astype(np.int32)


def sum_over_children(parent: Int32Array, value: Int64Array) -> Int64Array:
    """For each row: the sum of `value` over its direct children."""
    total = np.zeros(len(parent), np.int64)
    child = parent >= 0
    np.add.at(total, parent[child], value[child])
    return total


def sum_over_subtree(parent: Int32Array, depth: Int32Array, value: Int64Array) -> Int64Array:
    """For each row: `value` of the row and all its descendants, summed level by level from the deepest."""
    total: Int64Array = value.copy()
    by_depth = np.argsort(depth, kind="stable")
    levels = np.searchsorted(depth[by_depth], np.arange(1, int(depth.max(initial=0)) + 2))
    for low, high in zip(levels[-2::-1], levels[:0:-1], strict=True):
        rows = by_depth[low:high]
        rows = rows[parent[rows] >= 0]
        np.add.at(total, parent[rows], total[rows])
    return total


def _proper_parents(
    start: Int64Array, end: Int64Array, opens: BoolArray, on_part: OnPart, part: int, *, closed: bool
) -> tuple[Int32Array, Int32Array]:
    """Parents and depths if the events nest properly. `opens`: those that others can lie in; `closed`: also at their very end."""
    on_part(part)
    n = len(start)
    begun: Int64Array = np.cumsum(opens) - opens
    # Ends come in long runs, which a stable sort merges.
    depth = begun - np.searchsorted(np.sort(end[opens], kind="stable"), start, side="left" if closed else "right")
    on_part(part + 1)
    deepest = int(depth.max(initial=0))
    by_depth = np.argsort(depth.astype(np.uint16 if deepest < 1 << 16 else np.int32), kind="stable").astype(np.int32)
    # One that is deeper than the row before it lies in that row; any other in what the last one of its depth lies in.
    is_first = np.zeros(n, np.bool_)
    is_first[1:] = depth[1:] > depth[:-1]
    first = np.maximum.accumulate(np.where(is_first[by_depth], np.arange(n, dtype=np.int32), 0), dtype=np.int32)
    parent = np.empty(n, np.int32)
    parent[by_depth] = by_depth[first] - 1  # NONE for roots: theirs is row 0, which is none's
    return parent, depth.astype(np.int32)


def _contained(start: Int64Array, end: Int64Array, parent: Int32Array, *, closed: bool) -> bool:
    """Whether every row lies in its parent, which proves that the events nest properly and the parents are right."""
    child = np.flatnonzero(parent >= 0)
    above = end[parent[child]]
    starts_inside = start[child] <= above if closed else start[child] < above
    return bool((starts_inside & (end[child] <= above)).all())


def _overlap_early(start: Int64Array, end: Int64Array, *, closed: bool) -> bool:
    """Whether some of the first do: then all need not be nested once only to see that they do not."""
    outlived, _after = _outlived(start[:_EARLY], end[:_EARLY], _unheard, closed=closed)
    return len(outlived) > 0


def _overlapping(start: Int64Array, end: Int64Array, on_part: OnPart, *, closed: bool) -> tuple[Int64Array, Int64Array]:
    """(rows in which another begins that ends later; rows that begin in another and end later than it), each in order."""
    outlived, after = _outlived(start, end, on_part, closed=closed)
    longer = np.zeros(len(start), np.bool_)
    for row, stop in zip(outlived.tolist(), after[outlived].tolist(), strict=True):
        longer[row + 1 : stop] |= end[row + 1 : stop] > end[row]
    return outlived, np.flatnonzero(longer)


def _outlived(start: Int64Array, end: Int64Array, on_part: OnPart, *, closed: bool) -> tuple[Int64Array, Int64Array]:
    """(rows in which another begins that ends later; of every row the first that begins when it is over)."""
    on_part(_WHEN_OVER)
    after = np.searchsorted(start, end, side="right" if closed else "left")
    on_part(_WHICH_OVERLAP)
    holds = np.flatnonzero((end > start) & (after > np.arange(len(start)) + 1))
    ranges = np.stack((holds + 1, after[holds]), axis=1).reshape(-1)
    latest_inside = np.maximum.reduceat(np.append(end, -_NEVER), ranges)[::2]
    return holds[latest_inside > end[holds]], after


def _replay_loop(start: Int64Array, end: Int64Array) -> list[int]:
    """A stack of (end, row) where an event's end is cut to its parent's, so that ends never grow upwards."""
    parents: list[int] = []
    ends, rows = [_NEVER], [NONE]
    for row, (t0, t1) in enumerate(zip(start.tolist(), end.tolist(), strict=True)):
        while ends[-1] < t0:
            ends.pop()
            rows.pop()
        parents.append(rows[-1])
        if t1 > t0:
            ends.append(t1 if t1 < ends[-1] else ends[-1])
            rows.append(row)
    return parents


def _nest_loop(start: Int64Array, end: Int64Array, slack_ns: int) -> tuple[list[int], list[int]]:
    parents: list[int] = []
    depths: list[int] = []
    ends, rows = [_NEVER], [NONE]
    for row, (t0, t1) in enumerate(zip(start.tolist(), end.tolist(), strict=True)):
        while t0 >= ends[-1] or t1 > ends[-1] + slack_ns:
            ends.pop()
            rows.pop()
        parents.append(rows[-1])
        depths.append(len(rows) - 1)
        if t1 > t0:
            ends.append(t1 if t1 < ends[-1] else ends[-1])
            rows.append(row)
    return parents, depths
