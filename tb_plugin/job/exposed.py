"""What no kernel hides: of each row its wait, transfer and what is not told apart; of each rank and step the same by dimension.

Exposed time of a dimension alone would count an instant twice in which two of them wait. So each exposed instant is divided among
the dimensions that are active in it: these shares sum to the exposed communication, to the ns.

    computing     ####........####          of the gap between two kernels the all-reduce has all: it held the rank up.
    all-reduce        |------|              The receive was posted early and still waits when the rank computes again:
    receive        |-------------~~~~|      it held nobody up here.

What ends in a gap comes before what goes on behind it. A kernel a tenth as long as the gaps around it, as a copy on the stream of
an all-gather, ends none. Of each while anything waits the instant is wait of those that wait, else
transfer of those that move data, else it belongs to those of which nobody can tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Float64Array, Int64Array
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.intervals import EMPTY, Merged, union
from tb_plugin.compute.ranges import ranges
from tb_plugin.compute.shares import shares_by_level
from tb_plugin.job.rows import shift_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.job.dimensions import Dimensions
    from tb_plugin.job.job import Job
    from tb_plugin.job.ranks import Rank

_LARGEST: Final = 1 << 61
_SHORT: Final = 10
"""So many times as long as a kernel are the gaps around it where it does not part them."""


@dataclass(frozen=True, kw_only=True)
class Exposed:
    """`wait`, `transfer`, `untold`: of each row. `shares`: of each rank [step, dimension, (wait, transfer, not told apart)]."""

    wait: Int64Array
    transfer: Int64Array
    untold: Int64Array
    shares: tuple[Int64Array, ...]


def exposed(job: Job, of: Dimensions) -> Exposed:
    """By dimension."""
    return exposed_by(job, of.of_rows(job.rows.group), len(of.names), elsewhere=int(of.of_group[-1]))


def exposed_by(
    job: Job,
    part: Int64Array,
    n_parts: int,
    ranks: Int64Array | None = None,
    elsewhere: int | None = None,
    rows: Exposed | None = None,
) -> Exposed:
    """On each rank's own clock: no matching is needed but for the line between wait and transfer. `part`: of each row, what
    stands in the place of its dimension. `ranks`: places of those that are asked for, in order; None: all, one at least.
    `elsewhere`: the part of what a host waited for that has no row; None: the last. `rows`: where it is known what is exposed of
    each row of the job, by whatever parts.
    """
    elsewhere = n_parts - 1 if elsewhere is None else elsewhere
    places, parts = np.arange(len(job.of.ranks)) if ranks is None else ranks, list[Exposed]()
    while (first := sum(len(some.shares) for some in parts)) < len(places):
        parts.append(_of_some(job, part, n_parts, elsewhere, _side_by_side(job, places[first:]), rows))
    return Exposed(
        wait=np.concatenate([some.wait for some in parts]),
        transfer=np.concatenate([some.transfer for some in parts]),
        untold=np.concatenate([some.untold for some in parts]),
        shares=tuple(each for some in parts for each in some.shares),
    )


class _SideBySide(NamedTuple):
    """Ranks one after the other on one axis, so that what is asked of each is asked of all at once."""

    rows: Int64Array  # of the job's table
    shift: Int64Array  # of each of these rows
    computing: Merged
    host_waits: Merged  # beside the rows
    t0: Int64Array  # of the steps of all these ranks
    t1: Int64Array
    n_steps: list[int]  # of each rank
    apart: int  # no gap inside of a rank is as long as this, and none between two is shorter


def _side_by_side(job: Job, places: Int64Array) -> _SideBySide:
    """The first of these ranks, as many as 64 bits have room for."""
    ranks = [job.of.ranks[place] for place in places.tolist()]
    computing = [computing_of(job, rank) for rank in ranks]
    shifts = [shift_of(rank, job.table.base_ns) for rank in ranks]
    host_waits = [_host_waits(rank, by) for rank, by in zip(ranks, shifts, strict=True)]
    steps = [(rank.steps["start"] + by, rank.steps["end"] + by) for rank, by in zip(ranks, shifts, strict=True)]
    there = job.rows.is_there
    every = (*chain(*computing), *chain(*host_waits), *chain(*steps), job.rows.start[there], job.rows.end[there])
    low = min((int(each.min()) for each in every if len(each)), default=0)
    apart = max((int(each.max()) for each in every if len(each)), default=0) - low + 2
    width = 2 * apart
    n = min(len(shifts), max(_LARGEST // width, 1))
    begin, end = (np.searchsorted(job.rows.rank, places[:n], side=side) for side in ("left", "right"))
    rows = ranges(begin, end - begin)

    def beside(columns: Sequence[Int64Array]) -> Int64Array:
        return np.concatenate([column + (place * width - low) for place, column in enumerate(columns[:n])])

    return _SideBySide(
        rows=rows,
        shift=np.repeat(np.arange(n), end - begin) * width - low,
        computing=Merged(beside([each.start for each in computing]), beside([each.end for each in computing])),
        host_waits=Merged(beside([each.start for each in host_waits]), beside([each.end for each in host_waits])),
        t0=beside([t0 for t0, _ in steps]),
        t1=beside([t1 for _, t1 in steps]),
        n_steps=[len(t0) for t0, _ in steps[:n]],
        apart=apart,
    )


def _of_some(job: Job, part: Int64Array, n_parts: int, elsewhere: int, at: _SideBySide, known: Exposed | None) -> Exposed:
    rows, measured = job.rows, job.waits
    start, end, is_there = rows.start[at.rows] + at.shift, rows.end[at.rows] + at.shift, rows.is_there[at.rows]
    until = start + measured.wait[at.rows]
    is_row_untold = measured.untold[at.rows] > 0
    if known is None:
        wait = _uncovered(at.computing, start, until, is_there)
        rest = _uncovered(at.computing, until, end, is_there)
    else:
        wait, rest = known.wait[at.rows], (known.transfer + known.untold)[at.rows]
    mine, of_row = part[at.rows], _row_beside(at.host_waits, start, end)
    start, until = (np.append(each, at.host_waits.start) for each in (start, until))
    end, all_of_it = np.append(end, at.host_waits.end), np.ones(len(of_row), np.bool_)
    # What kernels hide has no part in anything: of many jobs that is most.
    waits, moves = np.append(wait > 0, all_of_it), np.append(rest > 0, all_of_it)
    is_untold, mine = np.append(is_row_untold, of_row == NONE), np.append(mine, np.append(mine, elsewhere)[of_row])
    # From here to its end it held the rank up.
    held = np.maximum(start, _last_computed(_without_short(at.computing, at.apart), end))
    kinds = ((start, until, waits), (until, end, moves & ~is_untold), (until, end, moves & is_untold))
    levels: list[tuple[int, list[Merged]]] = [(NONE, [at.computing])]
    for first, last in ((held, end), (start, held)):
        for nth, (begin, stop, use) in enumerate(kinds):
            t0, t1 = np.maximum(begin, first), np.minimum(stop, last)
            levels.append((nth, _by_part(t0, t1, np.where(use & (t0 < t1), mine, NONE), n_parts)))
    shares = shares_by_level(levels, at.t0, at.t1, len(kinds))
    of_rank = np.cumsum(at.n_steps)[:-1]
    return Exposed(
        wait=wait,
        transfer=np.where(is_row_untold, 0, rest),
        untold=np.where(is_row_untold, rest, 0),
        shares=tuple(np.split(shares, of_rank)),
    )


def _host_waits(rank: Rank, shift: int) -> Merged:
    found = rank.host_waits
    return EMPTY if found is None else Merged(found["start"] + shift, found["end"] + shift)


def _row_beside(waits: Merged, start: Int64Array, end: Int64Array) -> Int64Array:
    """Of each wait of a host the collective that it waited for: the one that it ends with or begins after; NONE without."""
    found = np.full(len(waits.start), NONE, np.int64)
    for at, edge in ((waits.end, start), (waits.start, end)):
        order = np.argsort(edge, kind="stable")
        place = np.searchsorted(edge[order], at)
        row = np.append(order, NONE)[place]
        is_it = (row != NONE) & (np.append(edge, 0)[row] == at)
        found[is_it] = row[is_it]
    return found


def told(time: Float64Array | Int64Array | float, untold: Float64Array | Int64Array | float) -> Float64Array:
    """Wait or transfer as it is shown: NaN where all that may be it is not told apart. That is no 0."""
    known: Float64Array = np.where((np.asarray(time) == 0) & (np.asarray(untold) > 0), np.nan, time)
    return known


def computing_of(job: Job, rank: Rank) -> Merged:
    """When its kernels computed while it communicated, on its own clock."""
    shift = shift_of(rank, job.table.base_ns)
    return Merged(rank.computing["start"] + shift, rank.computing["end"] + shift)


def _by_part(t0: Int64Array, t1: Int64Array, part: Int64Array, n_parts: int) -> list[Merged]:
    """What [t0, t1) of each part cover."""
    found, some = [EMPTY] * n_parts, np.flatnonzero(part != NONE)
    t0, t1, part = t0[some], t1[some], part[some]
    for each in distinct(part).tolist():
        its = part == each
        found[each] = union(t0[its], t1[its])
    return found


def _without_short(computing: Merged, apart: int) -> Merged:
    """Less the parts that are short beside the gaps before and behind them; a rank's first and last stay."""
    if len(computing.start) == 0:
        return computing
    gap = np.concatenate(([0], computing.start[1:] - computing.end[:-1], [0]))
    gap[gap >= apart] = 0
    kept = _SHORT * (computing.end - computing.start) > np.minimum(gap[:-1], gap[1:])
    return Merged(computing.start[kept], computing.end[kept])


def _last_computed(computing: Merged, time: Int64Array) -> Int64Array:
    """Until when the rank computed last before each time; the time itself where it computes then."""
    if len(computing.start) == 0:
        return np.full(len(time), np.iinfo(np.int64).min)
    place = np.searchsorted(computing.start, time, side="left") - 1
    found: Int64Array = np.where(place < 0, np.iinfo(np.int64).min, np.minimum(computing.end[np.maximum(place, 0)], time))
    return found


def _uncovered(merged: Merged, t0: Int64Array, t1: Int64Array, is_there: BoolArray) -> Int64Array:
    """How much of each [t0, t1) the set does not cover; 0 of what is not there."""
    if len(merged.start) == 0:
        return np.where(is_there, t1 - t0, 0)
    before = np.concatenate(([0], np.cumsum(merged.end - merged.start)))

    def until(times: Int64Array) -> Int64Array:
        place = np.searchsorted(merged.start, times, side="right") - 1
        inside = np.minimum(times, merged.end[np.maximum(place, 0)]) - merged.start[np.maximum(place, 0)]
        return np.where(place == NONE, 0, before[np.maximum(place, 0)] + np.maximum(inside, 0))

    return np.where(is_there, t1 - t0 - (until(t1) - until(t0)), 0)
