"""What a rank on a CPU computes more than its peers because it has more to do, by counts: that is no chance, however noisy it is.

    expected(r, step)   sum over operators of their calls x what a call on these inputs takes in the median of all ranks and steps

             mm [1500, 512]   mm [6, 512]     expected
    rank 0                    16 x 1 ms       16 ms
    rank 1   16 x 27 ms                       432 ms     its last batch is whole, those of the others are not
    rank 2                    16 x 1 ms       16 ms

Who has a tenth of the step more than its peers has it for that, if it is three times what all others have more than the least of
their step: where inputs are of any length each step of each rank is another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.compute.grouping import group_by, median_by
from tb_plugin.job.late.few_ranks import parted
from tb_plugin.job.late.limits import median
from tb_plugin.job.late.peers import from_peers, stages_of

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array
    from tb_plugin.job.job import Job
    from tb_plugin.job.own.layout import JobLayout
    from tb_plugin.job.own.own_time import OwnTime

_OF_STEP: Final = 0.1
_TIMES: Final = 3.0


def by_counts(job: Job, of: OwnTime, place: JobLayout) -> Float64Array:
    """[rank, step], ns: what who has more to do is late by; 0 of all others."""
    expected = expected_of(job, of)
    more = np.zeros(expected.shape)
    for stage in stages_of(place):
        its = expected[stage]
        least = np.where(np.isfinite(its), its, np.inf).min(axis=0)
        more[stage] = np.nan_to_num(its - np.where(np.isfinite(least), least, 0.0))
    away = from_peers(more, place)
    is_known = parted(away > _OF_STEP * median(of.step), more, _TIMES)
    return np.where(is_known, from_peers(more, place, is_known), 0.0)


def expected_of(job: Job, of: OwnTime) -> Float64Array:
    """[rank, step], ns: what its operators take of an even rank; NaN where it has no such step."""
    columns = ("step", "shape", "count", "median")
    step, shape, count, took = (np.concatenate([rank.shapes[name] for rank in job.of.ranks]) for name in columns)
    rank = np.repeat(np.arange(len(job.of.ranks)), [len(each.shapes["step"]) for each in job.of.ranks])
    alike = group_by(shape)
    each_call = median_by(alike, took.astype(np.float64))[alike.of]
    is_told = np.isin(step, of.number)
    expected = np.zeros(of.step.shape)
    np.add.at(expected, (rank[is_told], np.searchsorted(of.number, step[is_told])), (count * each_call)[is_told])
    return np.where(np.isfinite(of.step), expected, np.nan)
