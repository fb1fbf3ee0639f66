"""What no kernel hides: of each row its wait and transfer; of each rank and step the same by dimension, and what it waited.

Exposed time of a dimension alone would count an instant twice in which two of them wait. So each exposed instant is divided among
the dimensions that are active in it: these shares sum to the exposed communication, to the ns.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.compute.coverage import by_priority, within
from tb_plugin.compute.intervals import Merged, subtract, union
from tb_plugin.compute.shares import shared
from tb_plugin.job.rows import shift_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.job.dimensions import Dimensions
    from tb_plugin.job.job import Job
    from tb_plugin.job.ranks import Rank

_LARGEST: Final = 1 << 61


@dataclass(frozen=True, kw_only=True)
class Exposed:
    """`wait`, `transfer`: of each row (0 where not known). `waited`: [rank][step of that rank], each instant once.

    `shares`: of each rank [step, dimension, (wait, transfer or not matched)].
    """

    wait: Int64Array
    transfer: Int64Array
    waited: tuple[Int64Array, ...]
    shares: tuple[Int64Array, ...]


def exposed(job: Job, of: Dimensions) -> Exposed:
    """On each rank's own clock: no matching is needed but for the line between wait and transfer."""
    n, parts = len(job.of.ranks), list[Exposed]()
    while (first := sum(len(part.waited) for part in parts)) < n:
        parts.append(_of_some(job, of, _side_by_side(job, first)))
    return Exposed(
        wait=np.concatenate([part.wait for part in parts]),
        transfer=np.concatenate([part.transfer for part in parts]),
        waited=tuple(each for part in parts for each in part.waited),
        shares=tuple(each for part in parts for each in part.shares),
    )


class _SideBySide(NamedTuple):
    """Ranks one after the other on one axis, so that what is asked of each is asked of all at once."""

    rows: slice  # of the job's table
    shift: Int64Array  # of each of these rows
    computing: Merged
    t0: Int64Array  # of the steps of all these ranks
    t1: Int64Array
    n_steps: list[int]  # of each rank


def _side_by_side(job: Job, first: int) -> _SideBySide:
    """The ranks from `first` on, as many as 64 bits have room for."""
    computing = [computing_of(job, rank) for rank in job.of.ranks[first:]]
    shifts = [shift_of(rank, job.table.base_ns) for rank in job.of.ranks[first:]]
    steps = [(rank.steps["start"] + by, rank.steps["end"] + by) for rank, by in zip(job.of.ranks[first:], shifts, strict=True)]
    there = job.rows.is_there
    every = (*chain(*computing), *chain(*steps), job.rows.start[there], job.rows.end[there])
    low = min((int(each.min()) for each in every if len(each)), default=0)
    width = max((int(each.max()) for each in every if len(each)), default=0) - low + 2
    n = min(len(shifts), max(_LARGEST // width, 1))
    begin, end = np.searchsorted(job.rows.rank, (first, first + n)).tolist()

    def beside(columns: Sequence[Int64Array]) -> Int64Array:
        return np.concatenate([column + (place * width - low) for place, column in enumerate(columns[:n])])

    return _SideBySide(
        rows=slice(begin, end),
        shift=(job.rows.rank[begin:end] - first) * width - low,
        computing=Merged(beside([each.start for each in computing]), beside([each.end for each in computing])),
        t0=beside([t0 for t0, _ in steps]),
        t1=beside([t1 for _, t1 in steps]),
        n_steps=[len(t0) for t0, _ in steps[:n]],
    )


def _of_some(job: Job, of: Dimensions, at: _SideBySide) -> Exposed:
    """While a rank waits for anything, the instant is wait of those that wait; else transfer of those that run."""
    rows, measured = job.rows, job.waits
    start, end, is_there = rows.start[at.rows] + at.shift, rows.end[at.rows] + at.shift, rows.is_there[at.rows]
    known, until = measured.is_known[at.rows], start + measured.wait[at.rows]
    wait = np.where(known, measured.wait[at.rows] - _covered(at.computing, start, until), 0)
    transfer = np.where(known, measured.transfer[at.rows] - _covered(at.computing, until, end), 0)
    all_waits = subtract(union(start[known], until[known]), at.computing)
    waited = within(by_priority([all_waits]), at.t0, at.t1)[:, 0]
    dimension = of.of_rows(rows.group[at.rows])
    shares = np.zeros((len(at.t0), len(of.names), 2), np.int64)
    sets: list[list[Merged]] = [[], []]
    for each in range(len(of.names)):
        chosen = is_there & (dimension == each)
        waits = subtract(union(start[chosen & known], until[chosen & known]), at.computing)
        sets[0].append(waits)
        sets[1].append(subtract(subtract(union(start[chosen], end[chosen]), at.computing), all_waits))
    for part, of_part in enumerate(sets):
        shares[:, :, part] = shared(of_part, at.t0, at.t1)
    of_rank = np.cumsum(at.n_steps)[:-1]
    return Exposed(wait=wait, transfer=transfer, waited=tuple(np.split(waited, of_rank)), shares=tuple(np.split(shares, of_rank)))


def computing_of(job: Job, rank: Rank) -> Merged:
    """When its kernels computed while it communicated, on its own clock."""
    shift = shift_of(rank, job.table.base_ns)
    return Merged(rank.computing["start"] + shift, rank.computing["end"] + shift)


def _covered(merged: Merged, t0: Int64Array, t1: Int64Array) -> Int64Array:
    """How much of each [t0, t1) the set covers."""
    if len(merged.start) == 0:
        return np.zeros(len(t0), np.int64)
    before = np.concatenate(([0], np.cumsum(merged.end - merged.start)))

    def until(times: Int64Array) -> Int64Array:
        place = np.searchsorted(merged.start, times, side="right") - 1
        inside = np.minimum(times, merged.end[np.maximum(place, 0)]) - merged.start[np.maximum(place, 0)]
        return np.where(place == NONE, 0, before[np.maximum(place, 0)] + np.maximum(inside, 0))

    return until(t1) - until(t0)
