"""What no kernel hides: of each row its wait and transfer; of each rank and step the same by dimension, and what it waited.

Exposed time of a dimension alone would count an instant twice in which two of them wait. So each exposed instant is divided among
the dimensions that are active in it: these shares sum to the exposed communication, to the ns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.compute.coverage import by_priority, within
from tb_plugin.compute.intervals import Merged, subtract, union
from tb_plugin.compute.shares import shared
from tb_plugin.job.rows import shift_of

if TYPE_CHECKING:
    from tb_plugin.job.dimensions import Dimensions
    from tb_plugin.job.job import Job
    from tb_plugin.job.ranks import Rank


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
    rows, measured = job.rows, job.waits
    wait, transfer = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
    waited, shares = [], []
    dimension = of.of_rows(rows.group)
    bounds = np.searchsorted(rows.rank, np.arange(len(job.of.ranks) + 1))
    for place, rank in enumerate(job.of.ranks):
        mine = np.arange(bounds[place], bounds[place + 1])
        computing = computing_of(job, rank)
        known = mine[measured.is_known[mine]]
        begun, until, ended = rows.start[known], rows.start[known] + measured.wait[known], rows.end[known]
        wait[known] = measured.wait[known] - _covered(computing, begun, until)
        transfer[known] = measured.transfer[known] - _covered(computing, until, ended)
        shift = shift_of(rank, job.table.base_ns)
        t0, t1 = rank.steps["start"] + shift, rank.steps["end"] + shift
        all_waits = subtract(union(begun, until), computing)
        waited.append(within(by_priority([all_waits]), t0, t1)[:, 0])
        shares.append(_shares(job, of, mine[rows.is_there[mine]], dimension, computing, all_waits, t0, t1))
    return Exposed(wait=wait, transfer=transfer, waited=tuple(waited), shares=tuple(shares))


def _shares(
    job: Job,
    of: Dimensions,
    mine: Int64Array,
    dimension: Int64Array,
    computing: Merged,
    all_waits: Merged,
    t0: Int64Array,
    t1: Int64Array,
) -> Int64Array:
    """While a rank waits for anything, the instant is wait of those that wait; else transfer of those that run."""
    rows, measured, n = job.rows, job.waits, len(of.names)
    result = np.zeros((len(t0), n, 2), np.int64)
    sets: list[list[Merged]] = [[], []]
    for each in range(n):
        chosen = mine[dimension[mine] == each]
        known = chosen[measured.is_known[chosen]]
        waits = subtract(union(rows.start[known], rows.start[known] + measured.wait[known]), computing)
        running = subtract(union(rows.start[chosen], rows.end[chosen]), computing)
        sets[0].append(waits)
        sets[1].append(subtract(running, all_waits))
    for part, of_part in enumerate(sets):
        result[:, :, part] = shared(of_part, t0, t1)
    return result


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
