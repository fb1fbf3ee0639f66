"""Own times: each instant of a thread belongs to one of the events that are open, the one that began last.

    parent 0-20, child 5-10       parent 15, child 5        as a call tree has it
    frame 0-10, range 5-15        frame 5, range 10         they cut across each other: 5-10 is not counted twice

So they add up to the time in which anything is open, whatever the events do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, Int32Array, Int64Array
from tb_plugin.compute.intervals import length_within
from tb_plugin.compute.nesting import nest, sum_over_children

if TYPE_CHECKING:
    import numpy.typing as npt

    from tb_plugin.compute.intervals import Merged

_NEXT: Final = 16  # a stream's work overlaps with what comes right after it


def own_times(start: Int64Array, end: Int64Array) -> Int64Array:
    """Of events of one thread in (start, longest first) order, ns."""
    parent, _ = nest(start, end)
    length = lasting_ends(parent, start, end) - start
    return length - sum_over_children(parent, length)


def lasting_ends(parent: Int32Array, start: Int64Array, end: Int64Array, track: npt.NDArray[np.integer] | int = 0) -> Int64Array:
    """Until when each event has its time, with what lies in it: cut where an event begins that outlives it, ns.

    `parent`: as `nesting.nest` has it, of events in (track, start, longest first) order. What nests properly keeps its end; a
    child that is told to end after its parent (times are rounded) has its parent's.
    """
    lasts: Int64Array = end.copy()
    # `nest` drops an event for what outlives it, which so is the next child of the same parent, or of one around it.
    first, following = _neighbours(parent, track)
    lasts[first] = np.minimum(lasts[first], start[following])
    return np.maximum(_within(lasts, parent), start)


def _neighbours(parent: Int32Array, track: npt.NDArray[np.integer] | int) -> tuple[Int64Array, Int64Array]:
    """(events that have a next one beside them, that one): children of the same parent, or roots of the same track."""
    beside = np.where(parent == NONE, -1 - np.asarray(track, np.int64), parent)
    in_order = np.argsort(beside, kind="stable")
    has_next = beside[in_order][1:] == beside[in_order][:-1]
    return in_order[:-1][has_next], in_order[1:][has_next]


def _within(limit: Int64Array, parent: Int32Array) -> Int64Array:
    """The least of an event's own and those of all around it."""
    while True:
        above = np.where(parent == NONE, np.iinfo(np.int64).max, limit[parent])
        if (limit <= above).all():
            return limit
        limit = np.minimum(limit, above)


def until_outlived(start: Int64Array, end: Int64Array) -> Int64Array:
    """As `lasting_ends` without a tree: of events of one thread in (start, longest first) order, where nothing is rounded, ns.

    Each ends where the next event begins that outlives it, which is sought among the next few in arrays, and further one by one.
    """
    lasts: Int64Array = end.copy()
    rows = np.flatnonzero(start[1:] < end[:-1])
    for ahead in range(1, _NEXT + 1):
        after = rows + ahead
        outlived = end[after] > end[rows]
        lasts[rows[outlived]] = start[after[outlived]]
        rows = rows[~outlived & (after + 1 < len(start))]
        rows = rows[start[rows + ahead + 1] < end[rows]]
        if len(rows) == 0:
            return lasts
    for row, begun in zip(rows.tolist(), np.searchsorted(start, end[rows]).tolist(), strict=True):
        longer = end[row + 1 : begun] > end[row]
        if longer.any():
            lasts[row] = start[row + 1 + int(longer.argmax())]
    return lasts


def own_part(start: Int64Array, end: Int64Array, parent: Int32Array, when: Merged) -> Int64Array:
    """Of each event's own time that in `when`, ns. Events of one thread in (start, longest first) order, parents as of `nest`."""
    part = length_within(when, start, lasting_ends(parent, start, end))
    return part - sum_over_children(parent, part)
