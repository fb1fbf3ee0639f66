"""When who is late delays others: from what makes it late on to its last collective with others in that step.

    step      |------------- 11 -------------|------------- 12 -------------|
    device    | all-reduce   data stands still   all-reduce | all-reduce    |
    counted                       |======================|                        what it begins in this time
    device    | all-reduce   all-reduce   save_checkpoint   | all-reduce    |
    counted                                                 |============|        the delay is met in the step after

A step that is not late has none here, but for its first one where most of the delay is met there: that is of nothing else then.
The first one of a step that is late too is its own, unless the step before has none left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.intervals import Merged, union
from tb_plugin.job.why.cause import STANDS_STILL
from tb_plugin.trace.rank.step_work import PAUSES
from tb_plugin.views.ranks.basis.on_job import on_job

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Int64Array
    from tb_plugin.job.late.stragglers import Straggler
    from tb_plugin.job.why.cause import Cause
    from tb_plugin.views.ranks.basis.analysed import Analysed

_MOST_OF: Final = 0.8


def with_others(of: Analysed, is_own: BoolArray) -> Int64Array:
    """Known instances of these ranks and of others, too. `is_own`: whether a row of the job is of one of the ranks."""
    job = of.job
    use, instance = job.waits.is_known & (job.matched.of != NONE), job.matched.of
    found: Int64Array = np.intersect1d(instance[use & is_own], instance[use & ~is_own])
    return found[job.instances.is_known[found]]


def delays_others(of: Analysed, one: Straggler, cause: Cause) -> Merged:
    """Of each late step and each of its ranks, ns on the job's clock: from its first collective with others to the last, of who
    stands still in one gap those from there on; or the first one after the step, where others wait longer for it than in all of
    these together, and there are none of these or the next step is not late. Sends and receives are none.
    """
    job, is_own = of.job, np.isin(of.job.rows.rank, one.members)
    meets = np.isin(job.matched.of, with_others(of, is_own)) & job.waits.is_known & ~job.rows.is_between_two
    for_it = _waited_for(of, is_own)
    begin, until = list[int](), list[int]()
    for place in one.members:
        rows = job.rows_of(place)
        rows = rows[meets[rows]]
        rows = rows[np.argsort(job.waits.start[rows], kind="stable")]
        step, starts = job.rows.step[rows], job.waits.start[rows]
        for number, excess in zip(one.late_steps, one.excess_ns[one.excess_ns > 0].tolist(), strict=True):
            if number in of.stretches[place]:
                _, last = of.stretches[place][number]
                gap = _gap(of, place, number, excess) if cause.also is None and cause.id in STANDS_STILL else None
                within = np.flatnonzero((step == number) & (starts >= (np.iinfo(np.int64).min if gap is None else gap)))
                after = np.flatnonzero((step <= number + 1) & (step != number) & (starts >= last))[:1]
                may_be_after = len(within) == 0 or number + 1 not in one.late_steps
                is_after = may_be_after and for_it[rows[after]].sum() > for_it[rows[within]].sum()
                counts = after if is_after else within
                begin.append(int(starts[counts].min(initial=last)))
                until.append(int(starts[counts].max(initial=begin[-1])))
    return union(np.array(begin, np.int64), np.array(until, np.int64) + 1)


def _waited_for(of: Analysed, is_own: BoolArray) -> Int64Array:
    """[row], ns: how long others wait in its collective, where one of these ranks came last and none of the others with it."""
    waits, instance = of.job.waits, of.job.matched.of
    known = waits.is_known & (instance != NONE)
    by_it = np.setdiff1d(instance[waits.is_last & is_own & known], instance[waits.is_last & ~is_own & known])
    longest = np.zeros(len(of.job.matched) + 1, np.int64)  # the last for a row of none
    theirs = known & ~is_own & np.isin(instance, by_it)
    np.maximum.at(longest, instance[theirs], waits.wait[theirs])
    return np.where(known, longest[instance], 0)


def _gap(of: Analysed, place: int, number: int, excess_ns: float) -> int | None:
    """Where the longest gap of a rank in a step begins, on the job's clock; None where it is not most of why it is late."""
    rank = of.job.of.ranks[place]
    at = np.flatnonzero(rank.steps["number"] == number)
    if len(at) == 0 or rank.work[PAUSES[0]][at[0]] < _MOST_OF * excess_ns:
        return None
    return int(on_job(of.job, place, rank.work["pause_at"][at[:1]])[0])
