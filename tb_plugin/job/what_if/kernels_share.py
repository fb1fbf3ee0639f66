"""How much of what a rank computes between two collectives it would, were its kernels like its peers'."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.job.why.cause import OF_KERNELS

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array, Int64Array
    from tb_plugin.job.late.stragglers import Straggler
    from tb_plugin.job.own.own_time import OwnTime
    from tb_plugin.job.replay.replay import Between, Replay
    from tb_plugin.job.why.cause import Cause

_MOST_PEERS: Final = 32
_FEWEST_ALIKE: Final = 3


def kernels_share(of: Replay, own: OwnTime, peers: Int64Array, rank: int, column: int) -> Float64Array:
    """Of each chunk of a rank in a step (`Replay.between`): what the peers compute between the same two collectives, in the
    median, of what it computes there. Peers are those with collectives of the same kinds in the same order, sends and receives
    to the same side, at most 32; where each has lost a record of one in this step, what they compute in another. Where there are
    none, the share of all computation of the step (`_share_of_all`).
    """
    number = int(own.number[column])
    mine = of.between(rank, number)
    some: list[int] = peers[:: -(-len(peers) // _MOST_PEERS) or 1].tolist()
    alike = [one.time for one in (of.between(peer, number) for peer in some) if np.array_equal(one.kinds, mine.kinds)]
    alike = alike or _in_another_step(of, own, mine, some, column)
    if not alike:
        return _share_of_all(mine, peers_share(own.parts["computation"], peers, rank, column))[mine.place]
    return _share_of(mine, np.median(alike, axis=0))[mine.place]


def _in_another_step(of: Replay, own: OwnTime, mine: Between, peers: list[int], column: int) -> list[Float64Array]:
    """Of each peer that computes between collectives of the same kinds in one: what it does there, as long as this step."""
    computed = own.parts["computation"]
    found: list[Float64Array] = []
    for peer in peers:
        for other in np.flatnonzero(np.isfinite(computed[peer]) & (computed[peer] > 0))[:_MOST_PEERS].tolist():
            one = of.between(peer, int(own.number[other]))
            if np.isfinite(computed[peer, column]) and np.array_equal(one.kinds, mine.kinds):
                found.append(one.time * (computed[peer, column] / computed[peer, other]))
                break
    return found


def less_by_excess(of: Replay, own: OwnTime, one: Straggler, cause: Cause, lag: Float64Array, rank: int, number: int) -> bool:
    """Changes `lag` of one whose peers compute longer too, each for a reason of its own: it computes less by what it is late by
    for its kernels, first where it computes longer than the shortest of its peers between the same two collectives.
    """
    mine, column = of.between(rank, number), int(np.searchsorted(own.number, number))
    others = [each.time for peer in one.peers if np.array_equal((each := of.between(peer, number)).kinds, mine.kinds)]
    of_kernels = sum(each.amount_ns for each in cause.with_second if each.id in OF_KERNELS)
    due = float(one.excess_ns[column]) * min(of_kernels / one.mean_excess_ns, 1.0)
    total = float(mine.time.sum())
    if others and total > 0:
        more = np.maximum(mine.time - np.min(others, axis=0), 0.0)
        lag[of.length_edge[mine.chunks]] *= _less(mine, more, max(1 - due / total, 0.0))[mine.place]
    return True


def share_of_other_steps(of: Replay, own: OwnTime, one: Straggler, rank: int, number: int) -> Float64Array:
    """Of each chunk of a rank in a step in which it is late: what it computes there in its others."""
    mine = of.between(rank, number)
    others = own.number[~(one.excess_ns > 0)][:_MOST_PEERS].tolist()
    alike = [each.time for each in (of.between(rank, other) for other in others) if np.array_equal(each.kinds, mine.kinds)]
    if alike:
        share = _share_of(mine, np.median(alike, axis=0))
    else:
        at = int(np.searchsorted(own.number, number))
        usual = float(np.nanmedian(own.parts["computation"][rank, ~(one.excess_ns > 0)]))
        share = _share_of_all(mine, usual / float(own.parts["computation"][rank, at]))
    return np.minimum(share, 1.0)[mine.place]


def _share_of_all(mine: Between, share: float) -> Float64Array:
    """Of each place between two collectives, where all of a step is to take this share of what it took: what a micro-batch has
    more than the others of its pass goes first, and what else is to go, of all alike.
    """
    if share >= 1 or mine.time.sum() <= 0:
        return np.full(len(mine.time), share)
    return _less(mine, np.maximum(mine.time - _usual_of_pass(mine), 0.0), share)


def _less(mine: Between, more: Float64Array, share: float) -> Float64Array:
    """Of each place, where all are to take this share of what they took: `more` goes first."""
    due = (1 - share) * mine.time.sum()
    left = mine.time - more * min(1.0, due / max(more.sum(), 1.0))
    return _share_of(mine, left * (share * mine.time.sum() / max(left.sum(), 1.0)))


def _share_of(mine: Between, time: Float64Array) -> Float64Array:
    """Of each place, were it to take that time; 1 where nothing is computed."""
    share: Float64Array = np.ones(len(mine.time))
    np.divide(time, mine.time, out=share, where=mine.time > 0)
    return share


def _usual_of_pass(mine: Between) -> Float64Array:
    """Of each place the median of those between collectives of the same kinds, which do the same for other micro-batches; of one
    that is alone so, as the first and the last of a step are, the longest that begins or ends with the same.
    """
    before, after = np.concatenate(([NONE], mine.kinds)), np.concatenate((mine.kinds, [NONE]))
    usual: Float64Array = mine.time.copy()
    for at in np.flatnonzero(mine.time > 0).tolist():
        begins, ends = before == before[at], after == after[at]
        same = begins & ends & (mine.time > 0)
        near = (begins | ends) & (mine.time > 0)
        near[at] = False
        if same.sum() >= _FEWEST_ALIKE:
            usual[at] = np.median(mine.time[same])
        elif near.sum() >= _FEWEST_ALIKE:
            usual[at] = mine.time[near].max()
    return usual


def peers_share(values: Float64Array, peers: Int64Array, rank: int, column: int) -> float:
    """What the peers have of this in a step, in the median, of what the rank has. `values`: [rank, step]."""
    others = values[peers, column]
    others = others[np.isfinite(others)]
    mine = float(values[rank, column])
    return float(np.median(others)) / mine if len(others) and mine > 0 else 1.0
