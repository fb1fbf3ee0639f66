"""A rank on CPUs whose file has no row of gloo, beside ranks that have theirs: what it idles may be waiting in these.

    rank 0   mm |                           | mm      idle: its thread stands until the all-reduce is over, or comes late to it
    rank 1   mm     |  ~~~gloo:all_reduce ~~| mm      ~ after the last that is here came: moving data, or waiting for rank 0
    rank 2   mm         |~~gloo:all_reduce~~| mm

Who is not here came last at most by what the others were left with (~, of each collective the least of them). So much of its idle
time may be its own, with its loader's, where that is half of it; the rest is not told apart from waiting.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.trace.rank.step_work import PAUSES

_MOSTLY: Final = 0.5
"""Of what it idles the others were left with less: they moved data, and it waited."""

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array
    from tb_plugin.job.job import Job
    from tb_plugin.job.own.exposed import Exposed
    from tb_plugin.job.own.own_time import OwnTime
    from tb_plugin.job.ranks.ranks import Rank


def but_maybe_waiting(job: Job, of: OwnTime) -> OwnTime:
    """Own times without what such ranks idle and may be waiting: that is not told apart."""
    lacking = without_rows(job)
    if not lacking or not job.has_own_work:
        return of
    may_be, idle = np.zeros(of.step.shape), np.nan_to_num(of.parts["idle"])
    at_most = _late_at_most(job, of)
    at_most = np.where(at_most < _MOSTLY * idle, 0.0, at_most)
    may_be[lacking] = np.maximum(idle - np.maximum(at_most, np.nan_to_num(of.parts["loader"])), 0.0)[lacking]
    parts = dict(of.parts)
    parts["idle"] = of.parts["idle"] - may_be
    left = parts["idle"].copy()
    for name in PAUSES:  # the longest first
        its = np.where(may_be > 0, np.minimum(of.parts[name], left), of.parts[name])
        parts[name], left = its, left - np.where(may_be > 0, its, 0.0)
    return replace(of, untold=of.untold + may_be, own=of.own - may_be, parts=parts)


def with_untold(job: Job, of: Exposed, before: OwnTime, after: OwnTime, elsewhere: int) -> Exposed:
    """The shares of its steps with what of `before` is not told apart in `after`, in the part `elsewhere`."""
    shares = list(of.shares)
    for place in np.flatnonzero((np.nan_to_num(after.untold) > np.nan_to_num(before.untold)).any(axis=1)).tolist():
        number, more = job.of.ranks[place].steps["number"], (after.untold - before.untold)[place]
        column = np.searchsorted(after.number, number).clip(0, len(after.number) - 1)
        its = np.where(after.number[column] == number, np.nan_to_num(more[column]), 0.0).astype(np.int64)
        shares[place] = shares[place].copy()
        shares[place][:, elsewhere, 2] += its
    return replace(of, shares=tuple(shares))


def without_rows(job: Job) -> list[int]:
    """Places of ranks."""
    ranks = job.of.ranks
    n_rows = np.bincount(job.rows.rank, minlength=len(ranks))
    if not all(rank.is_on_host for rank in ranks) or 2 * int((n_rows > 0).sum()) <= len(ranks):
        return []
    found = np.flatnonzero(n_rows == 0).tolist()
    return [place for place in found if not _waits_in_operators(ranks[place])]


def _waits_in_operators(rank: Rank) -> bool:
    """For functional collectives: what it idles beside is no waiting."""
    return rank.host_waits is not None and len(rank.host_waits["start"]) > 0


def _late_at_most(job: Job, of: OwnTime) -> Float64Array:
    """[1, step], ns: of each collective that no rank is known to have come last to, what its members were left with at least."""
    rows, instance, untold = job.rows, job.matched.of, job.waits.untold
    least = np.full(len(job.matched) + 1, np.iinfo(np.int64).max)
    use = np.flatnonzero((instance != NONE) & rows.is_there & job.waits.is_known)
    np.minimum.at(least, instance[use], untold[use])
    first = np.unique(instance[use], return_index=True)[1]
    found = np.zeros((1, len(of.number)))
    step = rows.step[use[first]]
    column = np.searchsorted(of.number, step).clip(0, max(len(of.number) - 1, 0))
    is_told = of.number[column] == step
    np.add.at(found[0], column[is_told], least[instance[use[first]]][is_told].astype(np.float64))
    return found
