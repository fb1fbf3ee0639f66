"""Time of communication that no computation hides, divided among the parts that it is of: the one rule for a profile and a job.

Exposed time of each part alone would count an instant twice in which two of them go on. So each exposed instant is divided
equally among the parts that are active in it: these shares sum to the exposed communication, to the ns.

    computing     ####........####          of the gap between two kernels the all-reduce has all: it held the rank up.
    all-reduce        |------|              The receive was posted early and still waits when the rank computes again:
    receive        |-------------~~~~|      it held nobody up here.

What ends in a gap comes before what goes on behind it. A kernel a tenth as long as what the rank communicates right before and
right behind it without computing, as a copy on the stream of an all-gather, ends no gap. Of a kernel beside whose edge nothing is
communicated only that part may be known that hides something: such a part is never taken for a short kernel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.intervals import EMPTY, Merged, union
from tb_plugin.compute.shares import shares_by_level

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_SHORT: Final = 10
"""So many times as long as a kernel is what is communicated around it where it does not part it."""

_NEVER: Final = -(1 << 62)
"""Before all times; -_NEVER is behind them. From either to a time 64 bits have room."""


class Spell(NamedTuple):
    """A spell [start, end) of each of the same pieces of communication, on the bare clock; `use`: of which of them."""

    start: Int64Array
    end: Int64Array
    use: BoolArray | bool


class PiecesOfParts(NamedTuple):
    """Pieces of communication of one rank, or of ranks one after the other. `part`: NONE of what has no part in anything."""

    start: Int64Array
    end: Int64Array
    part: Int64Array
    n_parts: int


def bare_of(computing: Merged) -> Callable[[Int64Array], Int64Array]:
    """A clock that stands still while the rank computes: what lies between two times on it is what no kernel hides."""
    before = np.concatenate(([0], np.cumsum(computing.end - computing.start)))

    def bare(times: Int64Array) -> Int64Array:
        if len(computing.start) == 0:
            return times
        place = np.searchsorted(computing.start, times, side="right")
        here = np.maximum(place - 1, 0)
        left = np.maximum(computing.end[here] - times, 0)  # of the kernel that is going on
        found: Int64Array = times - before[place] + np.where(place > 0, left, 0)
        return found

    return bare


def exposed_shares(
    computing: Merged, pieces: PiecesOfParts, spells: Sequence[Spell], window: tuple[Int64Array, Int64Array]
) -> Int64Array:
    """[window, part, spell], ns, of the windows [t0, t1). A piece is its spells, one after the other; what is in spells at once
    is of the first of them. `computing`: all of it, or what of it lies beside pieces; either gives the same.
    """
    bare = bare_of(computing)
    # From here to its end it held the rank up.
    held = bare(np.maximum(pieces.start, _last_computed(_without_short(computing, pieces), pieces.end)))
    first, last = spells[0].start, spells[-1].end
    levels: list[tuple[int, list[Merged]]] = []
    for low, high in ((held, last), (first, held)):
        for nth, (start, end, use) in enumerate(spells):
            t0, t1 = np.maximum(start, low), np.minimum(end, high)
            levels.append((nth, union_by_part(t0, t1, np.where(use & (t0 < t1), pieces.part, NONE), pieces.n_parts)))
    t0, t1 = window
    return shares_by_level(levels, bare(t0), bare(t1), len(spells))


def hidden_shares(computing: Merged, pieces: PiecesOfParts, window: tuple[Int64Array, Int64Array]) -> Int64Array:
    """[window, part]: the rest, what computation hides, divided equally among what is active."""
    bare = bare_of(computing)
    start, end, t0, t1 = (times - bare(times) for times in (pieces.start, pieces.end, *window))
    found: Int64Array = shares_by_level([(0, union_by_part(start, end, pieces.part, pieces.n_parts))], t0, t1, 1)[:, :, 0]
    return found


def union_by_part(t0: Int64Array, t1: Int64Array, part: Int64Array, n_parts: int) -> list[Merged]:
    """What [t0, t1) of each part cover; of part NONE nothing."""
    found, some = [EMPTY] * n_parts, np.flatnonzero(part != NONE)
    some = some[np.argsort(part[some], kind="stable")]
    t0, t1, part = t0[some], t1[some], part[some]
    there = distinct(part)
    low, high = (np.searchsorted(part, there, side=side).tolist() for side in ("left", "right"))
    for each, begin, end in zip(there.tolist(), low, high, strict=True):
        found[each] = union(t0[begin:end], t1[begin:end])
    return found


def row_beside(waits: Merged, start: Int64Array, end: Int64Array) -> Int64Array:
    """Of each wait of a host the collective that it waited for: the one that it ends with or begins after; NONE without."""
    found = np.full(len(waits.start), NONE, np.int64)
    for at, edge in ((waits.end, start), (waits.start, end)):
        order = np.argsort(edge, kind="stable")
        place = np.searchsorted(edge[order], at)
        row = np.append(order, NONE)[place]
        is_it = (row != NONE) & (np.append(edge, 0)[row] == at)
        found[is_it] = row[is_it]
    return found


def _without_short(computing: Merged, pieces: PiecesOfParts) -> Merged:
    """Less the parts that are short beside the pieces that the rank is in, and does not compute, right before and behind them."""
    begin, end = computing
    since, until = np.append(_NEVER, end[:-1]), np.append(begin[1:], -_NEVER)
    # Most are too long for the whole of the gaps around them.
    some = np.flatnonzero((_SHORT * (end - begin) <= begin - since) & (_SHORT * (end - begin) <= until - end))
    pieces_as_one = union(pieces.start, pieces.end)
    if len(some) == 0 or len(pieces_as_one.start) == 0:
        return computing
    begin, end, since, until = begin[some], end[some], since[some], until[some]
    # Of one that no pieces cover at least one of the two is negative.
    around = np.searchsorted(pieces_as_one.start, begin, side="right") - 1
    before = begin - np.maximum(pieces_as_one.start[around], since)
    behind = np.minimum(pieces_as_one.end[around], until) - end
    kept = np.ones(len(computing.start), np.bool_)
    kept[some] = _SHORT * (end - begin) > np.minimum(before, behind)
    return Merged(computing.start[kept], computing.end[kept])


def _last_computed(computing: Merged, time: Int64Array) -> Int64Array:
    """Until when the rank computed last before each time; the time itself where it computes then."""
    if len(computing.start) == 0:
        return np.full(len(time), _NEVER)
    place = np.searchsorted(computing.start, time, side="left") - 1
    found: Int64Array = np.where(place < 0, _NEVER, np.minimum(computing.end[np.maximum(place, 0)], time))
    return found
