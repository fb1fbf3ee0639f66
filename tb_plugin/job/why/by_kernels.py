"""What its kernels tell of each of few ranks by itself: more of them, or calls that take many times as long, are no chance.

    rank 0    16 kernels more: +5 ms     loader  1.2     each by itself is 5 or 8 ms late, and beside the other
    rank 1                               loader  9.2     -3 or 3 ms: neither may hide the other

Where the host of who idles more took no longer at once than others' hosts, these computed meanwhile: nobody is hidden.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.job.late.compared_with import compared_with, excess_of
from tb_plugin.job.late.limits import ENOUGH_RANKS, median
from tb_plugin.job.late.peers import from_peers, peers_of
from tb_plugin.job.late.stragglers import as_if_late, late_in, work_of
from tb_plugin.job.why.by_counts import by_counts
from tb_plugin.job.why.causes import cause_of
from tb_plugin.job.why.kernel_causes import in_long_calls, of_kernels
from tb_plugin.trace.rank.order import STEP, SYNC

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.job.job import Job
    from tb_plugin.job.late.stragglers import Straggler
    from tb_plugin.job.own.layout import JobLayout
    from tb_plugin.job.own.own_time import OwnTime
    from tb_plugin.job.ranks.ranks import Rank

_NOTABLE: Final = 0.03
_HALF: Final = 0.5


class ByKernels(NamedTuple):
    """[rank, step], ns: what each is late by for its kernels; and what all of these take longer, which may be chance and blames
    nobody, but hides nobody else.
    """

    known: Float64Array
    slower: Float64Array


def by_kernels(job: Job, of: OwnTime, place: JobLayout, found: Sequence[Straggler], *, with_idle: bool) -> ByKernels:
    """`found`: who is late without. On a CPU by counts alone: there a call that takes long was held up by other processes."""
    work = work_of(of, with_idle=with_idle)
    known = np.zeros(work.shape)
    if all(rank.is_on_host for rank in job.of.ranks):
        return ByKernels(by_counts(job, of, place), known)
    if len(work) >= ENOUGH_RANKS or any(rank.is_on_host for rank in job.of.ranks):
        return ByKernels(known, known)
    away = np.where(late_in(work.shape, found), 0.0, excess_of(work, place, found))
    least = _NOTABLE * median(of.step)
    for rank, step in np.argwhere(away > least).tolist():
        cause = cause_of(job, of, _in_step(of, rank, step, away[rank, step], compared_with(rank, work, place, found).peers))
        is_known = cause.id == "long_call" or (cause.id == "more_work" and cause.n_more is not None)
        known[rank, step] = away[rank, step] if is_known else 0.0
    alone, slower = _alone(job, of, place, least)
    hides = _may_hide(job, of, place, least) if with_idle else np.ones(work.shape[1], np.bool_)
    return ByKernels(np.maximum(known, np.where(hides, alone, 0.0)), np.where(hides, slower, 0.0))


def _in_step(of: OwnTime, rank: int, step: int, excess: float, peers: Int64Array) -> Straggler:
    return as_if_late(of, rank, np.where(np.arange(of.own.shape[1]) == step, excess, 0.0), peers)


def _alone(job: Job, of: OwnTime, place: JobLayout, least: Float64Array) -> tuple[Float64Array, Float64Array]:
    """Of who has peers in its stage, that do the same: what it computes longer in long calls and kernels that it has more of; and
    what at all kernels.
    """
    computed = of.parts["computation"]
    known, slower = np.zeros(computed.shape), np.zeros(computed.shape)
    ranks = [rank for rank in range(len(computed)) if (place.stage == place.stage[rank]).sum() > 1]
    for rank in ranks:
        of_step = in_long_calls(job, as_if_late(of, rank, np.ones(computed.shape[1]), peers_of(rank, place)))
        known[rank] = [of_step.get(number, 0.0) for number in of.number.tolist()]
    known = np.where(known > least, known, 0.0)
    longer = from_peers(computed - known, place)
    for rank, step in np.argwhere(longer > least).tolist():
        if rank in ranks:
            ns = float(longer[rank, step])
            cause = of_kernels(job, _in_step(of, rank, step, ns, peers_of(rank, place)), ns)
            known[rank, step] += ns if cause.id == "more_work" and cause.n_more is not None else 0.0
            slower[rank, step] = ns if cause.id == "slow_kernels" else 0.0
    return known, slower


def _may_hide(job: Job, of: OwnTime, place: JobLayout, least: Float64Array) -> BoolArray:
    """[step]: whether who idles more has a host that took longer at once, by half of that."""
    more = np.nan_to_num(from_peers(of.parts["idle"], place))
    by_host = from_peers(np.array([_longest_of_host(rank, of.number) for rank in job.of.ranks]), place)
    may: BoolArray = np.all((more <= least) | (by_host >= _HALF * more), axis=0)
    return may


def _longest_of_host(rank: Rank, numbers: Int64Array) -> Float64Array:
    """Between two launches, ns, of each of these steps of its host; 0 where it launches nothing."""
    order, longest = rank.order, np.zeros(len(numbers) + 1)
    began = np.where(order["kind"] == SYNC, order["end"], order["host"])[:-1]
    took = order["host"][1:] - began - order["blocked"][1:]
    ends = np.flatnonzero(order["kind"] == STEP)
    number = np.append(order["what"][ends], NONE)[np.searchsorted(ends, np.arange(1, len(order["kind"])))]
    column = np.where(np.isin(number, numbers), np.searchsorted(numbers, number), len(numbers))
    np.maximum.at(longest, column, took)
    return longest[:-1]
