"""Call trees from intervals of one thread: who is whose parent.

Two rules, both of torch (reference: `build_tree` in collection.cpp and `EventList._populate_cpu_children`):

    replay   in start order; an open event that ends before the next start closes, and closes all above it. An event that
             outlives its parent is cut to it:      parent 0-10, range 5-15  ->  range is a child of parent
    nest     in (start, longest first) order; an open event that does not contain the next one is dropped for good:
                                                    parent 0-10, range 5-15  ->  both are roots, what follows hangs on range

On properly nested events, which most threads hold, both are the same and need no loop: the number of events open at a
start is (events begun before it) minus (events ended by it), and the parent is the last one before it with a depth one
smaller. Where events of a thread overlap partially, what begins while the later one is open is replayed event by event
(0.3 us each); all other events are as if nothing had overlapped.
"""

from __future__ import annotations

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int32Array, Int64Array
from tb_plugin.compute.intervals import union

_NEVER = 1 << 62
"""Later than any event, ns; leaves room to add to it."""

_MANY = 10
"""Where more than one in so many events is outlived by one inside it, looking for the quiet parts costs more than it saves."""


def replay(start: Int64Array, end: Int64Array) -> Int32Array:
    """Parents by torch's tree rule. Rows in (start, order of recording); -1 is a root. Times in ns."""
    parent, _depth = _proper_parents(start, end, closed=True)
    if _contained(start, end, parent, closed=True):
        return parent
    for low, high in _overlapping(start, end, closed=True):
        parent[low:high] = _replay_loop(start, end, low, high, _open_at(low, parent))
    return parent


def nest(start: Int64Array, end: Int64Array, slack_ns: int = 0) -> tuple[Int32Array, Int32Array]:
    """(parents, depths) by EventList's rule. Rows in (start, -end); -1 is a root. Times in ns.

    `slack_ns`: a child that ends this much after its parent still is its child (files whose times are rounded).
    """
    parent, depth = _proper_parents(start, end, closed=False)
    if _contained(start, end, parent, closed=False):
        return parent, depth
    for low, high in _overlapping(start, end, closed=False):
        parent[low:high], depth[low:high] = _nest_loop(start, end, slack_ns, low, high, _open_at(low, parent))
    return parent, depth


def has_marked_ancestor(parent: Int32Array, marked: BoolArray) -> BoolArray:
    """For each row: is any ancestor (not itself) marked?"""
    found: BoolArray = np.append(nearest_marked(parent, marked), NONE)[parent] != NONE
    return found


def nearest_marked(parent: Int32Array, marked: BoolArray) -> Int32Array:
    """For each row: itself if marked, else its nearest marked ancestor, else -1."""
    jump = np.append(parent, NONE).astype(np.intp)  # one entry more than rows: NONE leads to it, and it to NONE
    rows = np.flatnonzero(marked)
    jump[rows] = rows
    while True:
        further = jump[jump]
        if np.array_equal(further, jump):
            return jump[:-1].astype(np.int32)
        jump = further


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


def _proper_parents(start: Int64Array, end: Int64Array, *, closed: bool) -> tuple[Int32Array, Int32Array]:
    """Parents and depths if the events nest properly. `closed`: an event is still open at its very end."""
    n = len(start)
    index = np.arange(n, dtype=np.int64)
    opens = end > start
    begun: Int64Array = np.cumsum(opens) - opens
    depth = begun - np.searchsorted(np.sort(end[opens]), start, side="left" if closed else "right")
    open_rows = index[opens]
    if len(open_rows) == 0:
        return np.full(n, NONE, np.int32), np.zeros(n, np.int32)
    # One search for all depths: keys are (depth, row), the wanted one is the last below (depth - 1, this row).
    keys = depth[open_rows] * (n + 1) + open_rows
    by_key = np.argsort(keys, kind="stable")
    place = np.searchsorted(keys[by_key], (depth - 1) * (n + 1) + index) - 1
    parent = np.where((depth > 0) & (place >= 0), open_rows[by_key[np.maximum(place, 0)]], NONE)
    return parent.astype(np.int32), depth.astype(np.int32)


def _contained(start: Int64Array, end: Int64Array, parent: Int32Array, *, closed: bool) -> bool:
    """Whether every row lies in its parent, which proves that the events nest properly and the parents are right."""
    child = np.flatnonzero(parent >= 0)
    above = end[parent[child]]
    starts_inside = start[child] <= above if closed else start[child] < above
    return bool((starts_inside & (end[child] <= above)).all())


def _overlapping(start: Int64Array, end: Int64Array, *, closed: bool) -> list[tuple[int, int]]:
    """Rows [low, high), in order, that begin while an event is open that outlives one which was open when it began.

    All events open outside of these lie one in the other, and so do those open just before `low`.
    """
    n = len(start)
    after = np.searchsorted(start, end, side="right" if closed else "left")  # the first row to begin when this one is over
    holds = np.flatnonzero((end > start) & (after > np.arange(n) + 1))
    ranges = np.stack((holds + 1, after[holds]), axis=1).reshape(-1)
    latest_inside = np.maximum.reduceat(np.append(end, -_NEVER), ranges)[::2]
    outlived = holds[latest_inside > end[holds]]
    if len(outlived) * _MANY > n:
        return [(0, n)]
    longer = [np.flatnonzero(end[row + 1 : after[row]] > end[row]) + row + 1 for row in outlived.tolist()]
    rows = np.concatenate(longer)
    low, high = union(rows, after[rows])
    return list(zip(low.tolist(), high.tolist(), strict=True))


def _open_at(row: int, parent: Int32Array) -> list[int]:
    """The events around a row, outermost first."""
    rows: list[int] = []
    while (row := int(parent[row])) != NONE:
        rows.append(row)
    return rows[::-1]


def _replay_loop(start: Int64Array, end: Int64Array, low: int, high: int, around: list[int]) -> list[int]:
    """A stack of (end, row) where an event's end is cut to its parent's, so that ends never grow upwards."""
    parents: list[int] = []
    ends, rows = [_NEVER, *end[around].tolist()], [NONE, *around]
    for row, (t0, t1) in enumerate(zip(start[low:high].tolist(), end[low:high].tolist(), strict=True), low):
        while ends[-1] < t0:
            ends.pop()
            rows.pop()
        parents.append(rows[-1])
        if t1 > t0:
            ends.append(t1 if t1 < ends[-1] else ends[-1])
            rows.append(row)
    return parents


def _nest_loop(
    start: Int64Array, end: Int64Array, slack_ns: int, low: int, high: int, around: list[int]
) -> tuple[list[int], list[int]]:
    parents: list[int] = []
    depths: list[int] = []
    ends, rows = [_NEVER, *end[around].tolist()], [NONE, *around]
    for row, (t0, t1) in enumerate(zip(start[low:high].tolist(), end[low:high].tolist(), strict=True), low):
        while t0 >= ends[-1] or t1 > ends[-1] + slack_ns:
            ends.pop()
            rows.pop()
        parents.append(rows[-1])
        depths.append(len(rows) - 1)
        if t1 > t0:
            ends.append(t1 if t1 < ends[-1] else ends[-1])
            rows.append(row)
    return parents, depths
