"""What no kernel hides: of each row its wait, transfer and what is not told apart; of each rank and step the same by dimension.

Whose an exposed instant is, `compute/exposed_shares.py` says. While anything waits that has it, it is wait of those that wait,
else transfer of those that move data, else it belongs to those of which nobody can tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.compute.exposed_shares import PiecesOfParts, Spell, bare_of, exposed_shares, row_beside
from tb_plugin.compute.intervals import EMPTY, Merged
from tb_plugin.compute.ranges import ranges
from tb_plugin.job.ranks.rows import shift_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Float64Array, Int64Array
    from tb_plugin.job.job import Job
    from tb_plugin.job.own.dimensions import Dimensions
    from tb_plugin.job.ranks.ranks import Rank

_LARGEST: Final = 1 << 61
_NOTHING: Final = {"start": EMPTY.start, "end": EMPTY.end}


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


def _side_by_side(job: Job, places: Int64Array) -> _SideBySide:
    """The first of these ranks, as many as 64 bits have room for."""
    ranks = [job.of.ranks[place] for place in places.tolist()]
    shifts = np.array([shift_of(rank, job.table.base_ns) for rank in ranks])
    tables = [[each.computing for each in ranks], [each.host_waits or _NOTHING for each in ranks], [each.steps for each in ranks]]
    columns = [_Laid.out([table[edge] for table in some], shifts) for some in tables for edge in ("start", "end")]
    there = job.rows.is_there
    every = (*(column.times for column in columns), job.rows.start[there], job.rows.end[there])
    low = min((int(each.min()) for each in every if len(each)), default=0)
    width = max((int(each.max()) for each in every if len(each)), default=0) - low + 2
    n = min(len(shifts), max(_LARGEST // width, 1))
    begin, end = (np.searchsorted(job.rows.rank, places[:n], side=side) for side in ("left", "right"))
    begun, ended, waits_from, waits_until, t0, t1 = (column.beside(n, width, low) for column in columns)
    return _SideBySide(
        rows=ranges(begin, end - begin),
        shift=np.repeat(np.arange(n), end - begin) * width - low,
        computing=Merged(begun, ended),
        host_waits=Merged(waits_from, waits_until),
        t0=t0,
        t1=t1,
        n_steps=columns[-1].n[:n].tolist(),
    )


class _Laid(NamedTuple):
    """One column of several ranks, one after the other."""

    times: Int64Array  # on the job's clock
    n: Int64Array  # of each rank

    @classmethod
    def out(cls, columns: Sequence[Int64Array], shifts: Int64Array) -> _Laid:
        n = np.array([len(column) for column in columns])
        return cls(np.concatenate(columns) + np.repeat(shifts, n), n)

    def beside(self, n_ranks: int, width: int, low: int) -> Int64Array:
        """Of the first ranks, each so far from the one before it that no two meet."""
        n = self.n[:n_ranks]
        return self.times[: n.sum()] + np.repeat(np.arange(n_ranks) * width - low, n)


def _of_some(job: Job, part: Int64Array, n_parts: int, elsewhere: int, at: _SideBySide, known: Exposed | None) -> Exposed:
    rows, measured, bare = job.rows, job.waits, bare_of(at.computing)
    start, end, is_there = rows.start[at.rows] + at.shift, rows.end[at.rows] + at.shift, rows.is_there[at.rows]
    is_untold = measured.untold[at.rows] > 0
    if known is None:
        until = bare(start + measured.wait[at.rows])
        wait, rest = np.where(is_there, until - bare(start), 0), np.where(is_there, bare(end) - until, 0)
    else:
        wait, rest = known.wait[at.rows], (known.transfer + known.untold)[at.rows]
    of_row = row_beside(at.host_waits, start, end)
    some = np.flatnonzero(wait + rest > 0)  # what kernels hide has no part in anything: of many jobs that is most
    mine = np.append(part[at.rows][some], np.append(part[at.rows], elsewhere)[of_row])
    started, ended = np.append(start[some], at.host_waits.start), np.append(end[some], at.host_waits.end)
    start = bare(started)
    until = start + np.append(wait[some], np.zeros_like(of_row))
    end = until + np.append(rest[some], bare(at.host_waits.end) - start[len(some) :])
    is_told = np.append(~is_untold[some], np.append(~is_untold, False)[of_row])  # NONE falls on the last
    spells = (Spell(start, until, True), Spell(until, end, is_told), Spell(until, end, ~is_told))
    shares = exposed_shares(at.computing, PiecesOfParts(started, ended, mine, n_parts), spells, (at.t0, at.t1))
    of_rank = np.cumsum(at.n_steps)[:-1]
    return Exposed(
        wait=wait,
        transfer=np.where(is_untold, 0, rest),
        untold=np.where(is_untold, rest, 0),
        shares=tuple(np.split(shares, of_rank)),
    )


def told(time: Float64Array | Int64Array | float, untold: Float64Array | Int64Array | float) -> Float64Array:
    """Wait or transfer as it is shown: NaN where all that may be it is not told apart. That is no 0."""
    known: Float64Array = np.where((np.asarray(time) == 0) & (np.asarray(untold) > 0), np.nan, time)
    return known


def computing_of(job: Job, rank: Rank) -> Merged:
    """When its kernels computed while it communicated, on its own clock."""
    shift = shift_of(rank, job.table.base_ns)
    return Merged(rank.computing["start"] + shift, rank.computing["end"] + shift)
