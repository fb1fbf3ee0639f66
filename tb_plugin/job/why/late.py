"""Who is late, and why: a stage, host or replica is blamed where all of its ranks are late for one cause.

ranks 0, 1    more kernels | kernels that are slower       each by itself, though both compute longer by about as much
ranks 4 to 7  all four have kernels that are slower        their host
ranks 4 to 7  all four launch as slowly                    their host, also where one of them loses more by it in some steps,
                                                           or all of them one by one in their stages (`as_host.py`)

Of few ranks who has kernels more than its peers, or a call of a kernel that takes many times as long, is late for that however
much ranks and steps differ: a count is no chance (`by_kernels.py`).

Whose clock fits no other is not blamed for what that may make of it: where it is set, a gap, or kernels of the step beside. Of
one who is late in all steps the sum counts: its clock would be set in each of them, and the same way. So nobody is blamed for
what clocks may be off by, but a rank that is late in nearly all steps by its own clock alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.job.late.peers import of_its_stage
from tb_plugin.job.late.stragglers import as_if_late, stragglers
from tb_plugin.job.why.alone import ERRORS, HIDDEN
from tb_plugin.job.why.as_host import as_hosts
from tb_plugin.job.why.by_kernels import by_kernels
from tb_plugin.job.why.causes import by_cause, cause_of
from tb_plugin.job.why.gaps_by_launch import is_as_others_wait
from tb_plugin.job.why.kernel_causes import has_more_work
from tb_plugin.job.why.lacking_rows import but_lost, lacks_rows

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from tb_plugin.job.job import Job
    from tb_plugin.job.late.stragglers import Straggler
    from tb_plugin.job.own.layout import JobLayout
    from tb_plugin.job.own.own_time import OwnTime
    from tb_plugin.job.why.cause import Cause, CauseId

_TOLD_APART: Final[dict[CauseId, str]] = {
    "slow_kernels": "slow",
    "some_kernels": "slow",
    "more_work": "more",
    "long_call": "long",
}
_BY_CLOCK: Final[tuple[CauseId, ...]] = ("idle", "pause", "sync", "launches", "more_launches")
_BY_CLOCK_ONCE: Final[tuple[CauseId, ...]] = ("kernels", "more_work", "long_call")
_OF_SPREAD: Final = 4
"""So many times what its ends scatter by a clock that is set once may be off."""

_HALF: Final = 0.5
_SEVERAL: Final = 2
_NEARLY_ALL: Final = 0.75
_MOST: Final = 16
"""Members that are asked: those of a job of thousands of ranks are many, and alike."""


def late(job: Job, of: OwnTime, place: JobLayout, error_ns: float, *, with_idle: bool) -> list[tuple[Straggler, Cause]]:
    """The largest total excess first."""
    on_cpus = all(rank.is_on_host for rank in job.of.ranks)
    found = stragglers(of, place, with_idle=with_idle, on_cpus=on_cpus)
    known = by_kernels(job, of, place, found, with_idle=with_idle)
    if known.known.any() or known.slower.any():
        found = stragglers(of, place, with_idle=with_idle, on_cpus=on_cpus, known=known)
    apart = {
        one.members for one in found if one.level != "rank" and not _have_one_cause(job, of, place, _in_it_alone(one, found))
    }
    if apart:
        found = stragglers(of, place, with_idle=with_idle, on_cpus=on_cpus, apart=apart, known=known)
    told = [
        (replace(its, members=one.members), cause)
        for one in found
        for its, cause in by_cause(job, of, _but_late_itself(_in_it_alone(one, found), found))
    ]
    is_on_host = np.array([rank.is_on_host for rank in job.of.ranks])
    lost = lacks_rows(job, of) & ~is_on_host[:, None]  # `lost_rows.py` has taken off what may be waiting
    told = [kept for each in told if (kept := but_lost(each, lost)) is not None]
    told = [each for each in told if not _is_of_clocks(of, each[0], error_ns)]
    told = [each for each in told if not _is_of_its_unit(*each, told) and not _is_of_its_clock(job, of, *each)]
    told = [each for each in told if not each[1].may_be_chance or not is_as_others_wait(job, of, each[0])]
    return sorted(as_hosts(of, place, told), key=lambda each: -float(each[0].excess_ns.sum()))


def _is_of_clocks(of: OwnTime, one: Straggler, error_ns: float) -> bool:
    """Where a clock is set, its ranks seem late in that step, and in each by what communication hides."""
    late = one.excess_ns > 0
    n_steps = int(np.isfinite(of.step[list(one.members)]).any(axis=0).sum())
    hidden = one.more.get(HIDDEN, np.zeros(len(late)))[late]
    is_by_itself = one.level == "rank" and float(np.nan_to_num(hidden).mean()) < _HALF * one.mean_excess_ns
    if is_by_itself and int(late.sum()) >= max(_SEVERAL, _NEARLY_ALL * n_steps):
        return False
    return one.mean_excess_ns <= ERRORS * error_ns


def _is_of_its_clock(job: Job, of: OwnTime, one: Straggler, cause: Cause) -> bool:
    by = min(job.unfit.get(clock, 0.0) for clock in job.places.of_rank[list(one.members)].tolist())
    if job.clock_refused:  # of all together nobody knows which is set
        by = job.clocks.sigma_ns or 0.0
    in_all = int((one.excess_ns > 0).sum()) == int(np.isfinite(of.step[list(one.members)]).any(axis=0).sum())
    excess = float(one.excess_ns.sum()) if in_all else one.mean_excess_ns
    may_be = cause.id in _BY_CLOCK or (cause.id in _BY_CLOCK_ONCE and not one.is_persistent)
    return may_be and excess <= _OF_SPREAD * by


def _is_of_its_unit(one: Straggler, cause: Cause, told: Sequence[tuple[Straggler, Cause]]) -> bool:
    """What takes all of a stage, host or replica longer takes some of it longer still in some of its steps, by chance."""
    return any(
        _is_same(cause, why)
        and set(one.members) < set(unit.members)
        and set(one.late_steps) < set(unit.late_steps)
        and one.mean_excess_ns <= unit.mean_excess_ns
        for unit, why in told
    )


def _is_same(cause: Cause, why: Cause) -> bool:
    sort = _TOLD_APART.get(cause.id, cause.id)
    return cause.also is None and sort != "long" and sort == _TOLD_APART.get(why.id, why.id)


def _have_one_cause(job: Job, of: OwnTime, place: JobLayout, unit: Straggler) -> bool:
    """Of what kernels tell of each member against the ranks outside, of its stage where there are such: what tells nothing
    contradicts nothing. Who is slow beside the work that all of them have more, as the head of a model on the last stage, has
    that, too.
    """
    excess, peers = unit.excess_ns, np.array(unit.peers)
    each = [as_if_late(of, rank, excess, of_its_stage(rank, peers, place)) for rank in unit.members[:_MOST]]
    sorts = [_TOLD_APART.get(cause_of(job, of, one).id) for one in each]
    if "more" in sorts and "slow" in sorts:
        has_more = [has_more_work(job, one, one.mean_excess_ns) for one, sort in zip(each, sorts, strict=True) if sort == "slow"]
        sorts = ["more" if sort == "slow" and all(has_more) else sort for sort in sorts]
    return len({sort for sort in sorts if sort is not None}) <= 1


def _in_it_alone(unit: Straggler, found: Sequence[Straggler]) -> Straggler:
    """What tells its cause: its members that are in no other stage, host or replica that is late, too, where there are such."""
    others = [one for one in found if one.level != "rank" and not set(unit.members) <= set(one.members)]
    return _but(unit, {rank for one in others for rank in one.members})


def _but_late_itself(unit: Straggler, found: Sequence[Straggler]) -> Straggler:
    """What tells its cause: of a stage, host or replica the members that are not late for themselves, too."""
    late = {one.number for one in found if one.level == "rank" and (one.excess_ns > 0).any()}
    return _but(unit, late)


def _but(unit: Straggler, late: Collection[int]) -> Straggler:
    usual = tuple(rank for rank in unit.members if rank not in late)
    return replace(unit, members=usual) if unit.level != "rank" and usual else unit
