"""When who is late delays others: from what makes it late on until it has met them, be that in the step after.

    step      |------------- 11 -------------|------------- 12 -------------|
    device    | all-reduce   save_checkpoint | all-reduce   all-reduce      |
    counted                  |============================|                     what it begins in this time

In the first collective with others they come together again: what is waited for after that is of something else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.intervals import Merged, union
from tb_plugin.job.cause import STANDS_STILL
from tb_plugin.trace.rank.step_work import PAUSES
from tb_plugin.views.ranks.on_job import on_job

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Int64Array
    from tb_plugin.job.cause import Cause
    from tb_plugin.job.stragglers import Straggler
    from tb_plugin.views.ranks.analysed import Analysed

_MOST_OF: Final = 0.8


def with_others(of: Analysed, is_own: BoolArray) -> Int64Array:
    """Known instances of these ranks and of others, too. `is_own`: whether a row of the job is of one of the ranks."""
    job = of.job
    use, instance = job.waits.is_known & (job.matched.of != NONE), job.matched.of
    found: Int64Array = np.intersect1d(instance[use & is_own], instance[use & ~is_own])
    return found[job.instances.is_known[found]]


def delays_others(of: Analysed, one: Straggler, cause: Cause) -> Merged:
    """Of each late step and each of its ranks, ns on the job's clock: from where the step begins, of who stands still in one gap
    from where that does, to the end of the first collective after the step that others are in, too. Sends and receives are none.
    """
    job = of.job
    meets = np.isin(job.matched.of, with_others(of, np.isin(job.rows.rank, one.members))) & job.waits.is_known
    meets &= ~job.rows.is_between_two
    begin, until = list[int](), list[int]()
    for place in one.members:
        rows = job.rows_of(place)
        rows = rows[meets[rows]]
        rows = rows[np.argsort(job.waits.start[rows], kind="stable")]
        for number, excess in zip(one.late_steps, one.excess_ns[one.excess_ns > 0].tolist(), strict=True):
            if number in of.stretches[place]:
                first, last = of.stretches[place][number]
                step, starts = job.rows.step[rows], job.waits.start[rows]
                after = rows[(step <= number + 1) & (step != number) & (starts >= last)][:1]
                gap = _gap(of, place, number, excess) if cause.also is None and cause.id in STANDS_STILL else None
                begin.append(min([first, *starts[step == number].tolist()]) if gap is None else gap)
                until.append(max([last, *job.waits.end[after].tolist()]))
    return union(np.array(begin, np.int64), np.array(until, np.int64) + 1)


def _gap(of: Analysed, place: int, number: int, excess_ns: float) -> int | None:
    """Where the longest gap of a rank in a step begins, on the job's clock; None where it is not most of why it is late."""
    rank = of.job.of.ranks[place]
    at = np.flatnonzero(rank.steps["number"] == number)
    if len(at) == 0 or rank.work[PAUSES[0]][at[0]] < _MOST_OF * excess_ns:
        return None
    return int(on_job(of.job, place, rank.work["pause_at"][at[:1]])[0])
