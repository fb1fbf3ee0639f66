"""A job without losses: each rank like the median of its stage, of who is not late where there are such, stages levelled to their
mean, one that is blamed for its kernels, but for more work, first like the others, slow links like the others.

    ideal              S      the step as it was / the step of the ideal
    ideal but w        S_w    the step of the ideal in which w alone needs what it needed / the step of the ideal

Like the median: kernels between the same two collectives, the loader, and the host between launches. What w moves is its own.
S_w of who costs most is near S; of who costs nothing it is 1. Waiting follows, and the bubble of a pipeline is in the ideal.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import distinct
from tb_plugin.job.late.peers import not_late
from tb_plugin.job.what_if.even_share import even_share
from tb_plugin.job.what_if.kernels_share import peers_share
from tb_plugin.job.what_if.what_if import UsualHost, host_times, like_usual_host, told_with, with_usual_links

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.job.job import Job
    from tb_plugin.job.links.links import Links
    from tb_plugin.job.own.layout import JobLayout
    from tb_plugin.job.own.own_time import OwnTime
    from tb_plugin.job.replay.replay import Between, Replay
    from tb_plugin.job.what_if.even_share import Faults
    from tb_plugin.job.what_if.what_if import HostTimes, Without


def ideal(of: Replay, job: Job, own: OwnTime, place: JobLayout, links: Links, faults: Faults) -> Without | None:
    """Of all steps; None where what is not told apart decides."""
    return told_with(of, job, ideal_lag(of, job, own, place, links, faults), tuple(of.as_it_was))


def no_longer(of: Without | None, others: Sequence[Without]) -> Without | None:
    """The ideal, no step of it longer than with one of these repaired: that alone may gain more than the median of all."""
    if of is None:
        return None

    def least(lengths: dict[int, float], some: Sequence[dict[int, float]]) -> dict[int, float]:
        return {number: min([length, *(each[number] for each in some if number in each)]) for number, length in lengths.items()}

    would_be = least(of.would_be, [each.would_be for each in others])
    return of._replace(would_be=would_be, least=least(of.least, [each.least for each in others]))


def ideal_lag(
    of: Replay, job: Job, own: OwnTime, place: JobLayout, links: Links, faults: Faults, but: Int64Array | None = None
) -> Float64Array:
    """`but`: places of ranks that need what they needed."""
    lag: Float64Array = of.lag.copy()
    times = host_times(of, of.lag, own)
    is_late = faults.is_late.copy()
    is_late[np.setdiff1d(np.arange(len(is_late)), of.ranks)] = True  # who is not replayed is no measure
    for stage in distinct(place.stage[of.ranks]).tolist():
        ranks = of.ranks[place.stage[of.ranks] == stage]
        for column in range(len(own.number)):
            late = is_late if faults.is_alone is None or not is_late[ranks, column].all() else faults.is_alone
            _like_median(of, own, ranks, not_late(ranks, late[:, column]), column, lag)
            _like_other_steps(of, own, ranks, faults, column, lag)
            _like_usual_host(of, times, ranks, int(own.number[column]), is_late, column, lag)
    chunks = np.flatnonzero(of.is_chunk)
    lag[of.length_edge[chunks]] *= even_share(own, place.stage, faults)[of.rank[chunks]]
    if links.slow is not None:
        with_usual_links(of, job, links.slow, lag)
    if but is not None:
        rows = np.flatnonzero(np.isin(of.rank, but))
        edges = np.concatenate((of.host_edge[rows], of.launch_edge[rows], of.length_edge[rows]))
        edges = edges[edges != NONE]
        lag[edges] = of.lag[edges]
    return lag


def _like_median(of: Replay, own: OwnTime, ranks: Int64Array, usual_ranks: Int64Array, column: int, lag: Float64Array) -> None:
    """Changes `lag` of the kernels of these ranks in one step; they are each other's peers, and some of them the measure."""
    number, measure = int(own.number[column]), set(usual_ranks.tolist())
    alike: dict[bytes, list[tuple[int, Between]]] = defaultdict(list)
    for rank in ranks.tolist():
        between = of.between(rank, number)
        alike[between.kinds.tobytes()].append((rank, between))
    for some in alike.values():
        usual = np.median([one.time for rank, one in some if rank in measure] or [one.time for _, one in some], axis=0)
        for rank, one in some:
            share = np.ones(len(one.time))
            np.divide(usual, one.time, out=share, where=one.time > 0)
            if len(some) == 1:  # nobody has its order of collectives
                share[:] = peers_share(own.parts["computation"], usual_ranks, rank, column)
            lag[of.length_edge[one.chunks]] *= share[one.place]


def _like_other_steps(of: Replay, own: OwnTime, ranks: Int64Array, faults: Faults, column: int, lag: Float64Array) -> None:
    """Changes `lag` of the kernels of a stage all of whose ranks are late in one step, and not in all."""
    computed = own.parts["computation"][ranks]
    usual = np.where(faults.is_late[ranks], np.nan, computed)
    if not faults.is_late[ranks, column].all() or not np.isfinite(usual).any():
        return
    for rank, mine in zip(ranks.tolist(), computed[:, column].tolist(), strict=True):
        if mine > 0:
            lag[of.length_edge[of.between(rank, int(own.number[column])).chunks]] *= min(float(np.nanmedian(usual)) / mine, 1.0)


def _like_usual_host(
    of: Replay, times: HostTimes, ranks: Int64Array, number: int, is_late: BoolArray, column: int, lag: Float64Array
) -> None:
    """Changes `lag` likewise. A stage all of whose ranks are late is held against who is not, where all of the job are against
    the steps in which they are not, and needs no more than it did.
    """
    late, is_usual = is_late[:, column], np.zeros(is_late.shape, np.bool_)
    is_whole = bool(late[ranks].all()) and not bool(late.all() and is_late[ranks].all())
    if not late[ranks].all():
        is_usual[not_late(ranks, late), column] = True
    elif not late.all():
        is_usual[~late, column] = True
    elif not is_late[ranks].all():
        is_usual[ranks] = ~is_late[ranks]
    else:
        is_usual[ranks, column] = True
    usual = UsualHost(float(np.median(times.spent[is_usual])), np.median(times.longest[is_usual], axis=0))
    loaded = float(np.median(times.loader[is_usual]))
    for rank in ranks.tolist():
        first, after = np.searchsorted(of.rank, (rank, rank + 1)).tolist()
        rows = first + np.flatnonzero(of.step[first:after] == number)
        like_usual_host(of, rows, usual.at_most(times.usual(np.array([rank]), column)) if is_whole else usual, lag)
        mine = float(times.loader[rank, column])
        share = loaded / mine if mine > 0 and np.isfinite(loaded) else 1.0
        rows = rows[of.host_edge[rows] != NONE]
        spared = of.loader[rows] * (1 - (min(share, 1.0) if is_whole else share))
        lag[of.host_edge[rows]] = np.maximum(lag[of.host_edge[rows]] - spared, 0.0)
