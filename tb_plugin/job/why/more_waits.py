"""Calls that wait for the device of which a straggler makes more than its peers, and what its device idles after them.

share of the step's launches  0.1     0.2     0.3                  1
of the straggler              call    call    call                 call: the peers' one, what is idle after it is another pause
of the usual peer                                                  call
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.job.why.told_alike import told_alike
from tb_plugin.trace.times.idle import WAITS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.job.job import Job
    from tb_plugin.job.late.stragglers import Straggler
    from tb_plugin.job.ranks.ranks import Rank

_LEAST_MORE: Final = 0.5
_AS_MUCH: Final = 0.8
"""Of what is idle after calls, and of how many more there are: those within each other differ by less."""

_COUNT, _TOTAL, _IDLE = range(3)


class MoreWaits(NamedTuple):
    """In a mean late step. `idle_ns`: more than on its peers, and after calls that these do not make."""

    name: str
    n_own: float
    n_usual: float
    idle_ns: float


def more_waits(job: Job, straggler: Straggler) -> MoreWaits | None:
    """Of those within each other the one that is called most often more, of as many the outermost. None also where what a rank
    waited in is not known.
    """
    if any(job.of.ranks[place].device_waits is None for place in (*straggler.members, *straggler.peers)):
        return None
    own, of_peers = (_by_name(job, places, straggler.late_steps) for places in (straggler.members, straggler.peers))
    found: dict[MoreWaits, float] = {}
    for name, each in own.items():
        least, usual = each.min(axis=0), np.median(of_peers[name], axis=0) if name in of_peers else np.zeros(3)
        if least[_COUNT] - usual[_COUNT] >= _LEAST_MORE:
            peer = _usual_peer(straggler, of_peers.get(name))
            idle = min(_idle_after_more(job, straggler, name, peer), float(least[_IDLE] - usual[_IDLE]))
            more = MoreWaits(name, float(least[_COUNT]), float(usual[_COUNT]), idle)
            found[more] = float(least[_TOTAL] - usual[_TOTAL])
    longest = max((each.idle_ns for each in found), default=0.0)
    after = [each for each in found if each.idle_ns >= _AS_MUCH * longest > 0]
    most = max((each.n_own - each.n_usual for each in after), default=0.0)
    return max((each for each in after if each.n_own - each.n_usual >= _AS_MUCH * most), key=found.__getitem__, default=None)


def longest_of(job: Job, straggler: Straggler, name: str, place: int, step: int) -> tuple[int, int] | None:
    """(begin, ns) of the longest gap after one of the calls of this name that a member makes more in this step; None: none."""
    straggler, waits = told_alike(job, straggler), job.of.ranks[place].device_waits or {}
    peer = _usual_peer(straggler, _by_name(job, straggler.peers, straggler.late_steps).get(name))
    rows = _those_more(job, place, peer, name, step)
    if not waits["idle"][rows].any():
        return None
    row = rows[int(np.argmax(waits["idle"][rows]))]
    return int(waits["idle_at"][row]), int(waits["idle"][row])


def waits_more(job: Job, straggler: Straggler, name: str, place: int, step: int) -> BoolArray:
    """Of each call of a member that itself waits in this step, in order: is it in one of this name that is more?"""
    straggler, rank = told_alike(job, straggler), job.of.ranks[place]
    waits = rank.device_waits or {}
    peer = _usual_peer(straggler, _by_name(job, straggler.peers, straggler.late_steps).get(name))
    every, more = _calls(rank, name, step), _those_more(job, place, peer, name, step)
    launched = np.setdiff1d(waits["launched"][more], waits["launched"][np.setdiff1d(every, more)])
    names = [at for at, each in enumerate(rank.summary.wait_names) if each in WAITS]
    rows = np.flatnonzero((waits["step"] == step) & np.isin(waits["name"], names))
    result: BoolArray = np.isin(waits["launched"][rows], launched)
    return result


def _usual_peer(straggler: Straggler, of_peers: Float64Array | None) -> int:
    """The place of the one whose calls are as many as the median, of rows as of `_by_name`; of any where none makes one."""
    nth = 0 if of_peers is None else int(np.argsort(of_peers[:, _COUNT], kind="stable")[(len(of_peers) - 1) // 2])
    return int(straggler.peers[nth])


def _idle_after_more(job: Job, straggler: Straggler, name: str, peer: int) -> float:
    """In a mean late step of the member that idles least after the calls that this peer does not make."""
    each = []
    for place in straggler.members:
        waits = job.of.ranks[place].device_waits or {}
        rows = [_those_more(job, place, peer, name, step) for step in straggler.late_steps]
        each.append(float(waits["idle"][np.concatenate(rows)].sum()) / len(straggler.late_steps))
    return min(each)


def _calls(rank: Rank, name: str, step: int) -> Int64Array:
    """Rows of its `device_waits`."""
    waits = rank.device_waits or {}
    names = [at for at, each in enumerate(rank.summary.wait_names) if each == name]
    return np.flatnonzero((waits["step"] == step) & np.isin(waits["name"], names))


def _those_more(job: Job, place: int, peer: int, name: str, step: int) -> Int64Array:
    """Rows of `device_waits` of the calls of this name for which the peer's step has none: each of the peer's is the nearest by
    the share of the step's launches that are before it.
    """
    rows = _calls(job.of.ranks[place], name, step)
    own, usual = (_shares(job.of.ranks[each], name, step) for each in (place, peer))
    return rows[_are_more(own, usual)]


def _shares(rank: Rank, name: str, step: int) -> list[float]:
    launched = (rank.device_waits or {})["launched"][_calls(rank, name, step)]
    n_launches = int(rank.work["n_launches"][rank.steps["number"] == step].sum())
    shares: list[float] = (launched / max(n_launches, 1)).tolist()
    return shares


def _are_more(own: list[float], usual: list[float]) -> BoolArray:
    """Which of ascending `own` are nearest to none of `usual`, each to another one in order; of those at one place the first."""
    is_more, end = np.full(len(own), len(own) > len(usual)), len(own)
    for n_left in range(len(usual) - 1, -1, -1) if is_more.any() else ():
        share, after = usual[n_left], bisect_right(own, usual[n_left])
        is_before = after == len(own) or (after > 0 and share - own[after - 1] <= own[after] - share)
        nearest = after - 1 if is_before else bisect_right(own, own[after]) - 1
        end = min(max(nearest, n_left), end - 1)
        is_more[end] = False
    return is_more


def _by_name(job: Job, places: Sequence[int], steps: Sequence[int]) -> dict[str, Float64Array]:
    """[of these ranks, count, total and idle] of each name, in the mean of these steps."""
    found: dict[str, Float64Array] = {}
    for nth, rank in enumerate(job.of.ranks[place] for place in places):
        waits, names = rank.device_waits or {}, rank.summary.wait_names
        rows = np.flatnonzero(np.isin(waits["step"], steps))
        each = [np.bincount(waits["name"][rows], of, len(names)) for of in (None, waits["lasts"][rows], waits["idle"][rows])]
        for name, row in zip(names, np.column_stack(each), strict=True):
            found.setdefault(name, np.zeros((len(places), 3)))[nth] += row / len(steps)
    return found
