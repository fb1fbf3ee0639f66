"""Stages of a pipeline that compute equally long: which part of what it computes each rank keeps.

stage   usual      due     share
    0      10       10       1.2     the mean of what is due, 12, of what is usual
    1      14       14       0.86    usual: the median of its ranks and steps, of those that are not late where there are such
    2      24       12       0.5     blamed as a whole for its kernels: due is what the others need

A rank that is blamed for its own kernels is no measure of what its stage has to do, and is as many times as slow when that is
spread: it is another fault. Who is a stage as a whole and has more work keeps it until it is spread; in some steps only it is no
work of the layout.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import distinct
from tb_plugin.job.late.stragglers import late_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.job.late.stragglers import Straggler
    from tb_plugin.job.own.layout import JobLayout
    from tb_plugin.job.own.own_time import OwnTime
    from tb_plugin.job.why.cause import Cause

_HALF: Final = 0.5


class Faults(NamedTuple):
    """`is_late`: [rank, step], who is no measure of others. `is_slow`: [rank], whose stage as a whole is blamed for its
    kernels; not for more work alone, which others would have. `is_alone`: [rank, step], who is late for its own kernels, and not
    with all of its stage: no measure of those either.
    """

    is_late: BoolArray
    is_slow: BoolArray
    is_alone: BoolArray | None = None

    @property
    def of_alone(self) -> Faults:
        """As if nobody else were at fault."""
        is_alone = np.zeros(self.is_late.shape, np.bool_) if self.is_alone is None else self.is_alone
        return Faults(is_alone, np.zeros(len(self.is_slow), np.bool_), is_alone)


def faults_of(own: OwnTime, place: JobLayout, blamed: Sequence[tuple[Straggler, Cause]]) -> Faults:
    is_slow, shape = np.zeros(len(own.own), np.bool_), own.own.shape
    for one, cause in blamed:
        if "kernels" in cause.longer and place.is_stage(one.members) and not is_spread(own, place, one, cause):
            is_slow[list(one.members)] = True
    alone = [one for one, cause in blamed if "kernels" in cause.longer and not place.is_stage(one.members)]
    return Faults(late_in(shape, [one for one, _ in blamed]), is_slow, late_in(shape, alone))


def even_share(own: OwnTime, stage: Int64Array, faults: Faults | None = None) -> Float64Array:
    """Of each rank; 1 where not of all it is known which stage they are, and what that computes."""
    computation = own.parts["computation"]
    is_late = np.zeros(computation.shape, np.bool_) if faults is None else faults.is_late
    stages, usual, is_slow = distinct(stage), [], []
    for one in stages.tolist():
        its = computation[stage == one]
        on_time = its[np.isfinite(its) & ~is_late[stage == one]]
        some = on_time if len(on_time) else _but_alone(its, faults, stage == one)
        if one == NONE or not len(some) or np.median(some) <= 0:
            return np.ones(len(stage))
        usual.append(float(np.median(some)))
        is_slow.append(faults is not None and bool(faults.is_slow[stage == one].any()) and not len(on_time))
    needs, slow = np.array(usual), np.array(is_slow, np.bool_)
    due = needs if slow.all() else np.where(slow, np.median(needs[~slow]), needs)
    share: Float64Array = (due.mean() / needs)[np.searchsorted(stages, stage)]
    return share


def _but_alone(its: Float64Array, faults: Faults | None, is_it: BoolArray) -> Float64Array:
    """Of a stage all of which is late: what those compute that are not late alone, where there are such."""
    known = np.isfinite(its)
    usual = known if faults is None or faults.is_alone is None else known & ~faults.is_alone[is_it]
    return its[usual] if usual.any() else its[known]


def is_spread(own: OwnTime, place: JobLayout, one: Straggler, cause: Cause) -> bool:
    """Whether what these do more is other stages' to do as well."""
    return _is_more_of_stage(place, one, cause) and not is_of_steps(own, place, one, cause)


def is_of_steps(own: OwnTime, place: JobLayout, one: Straggler, cause: Cause) -> bool:
    """Whether a whole stage has more work only in these steps: each of it computes longer in them than in its others, by half of
    what it is late. How layers are laid out is the same in all.
    """
    late = one.excess_ns > 0
    its = own.parts["computation"][list(one.members)]
    if not _is_more_of_stage(place, one, cause) or not np.isfinite(its[:, ~late]).any(axis=1).all():
        return False
    longer = np.nanmean(its[:, late], axis=1) - np.nanmedian(its[:, ~late], axis=1)
    return bool((longer >= _HALF * one.mean_excess_ns).all())


def _is_more_of_stage(place: JobLayout, one: Straggler, cause: Cause) -> bool:
    return cause.id == "more_work" and cause.also is None and place.is_stage(one.members)
