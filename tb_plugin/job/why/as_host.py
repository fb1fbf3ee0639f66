"""Ranks of one host that are late one by one, in each stage by something else, because the host is: told once, of the host.

            launches take   idles more     of the same host, in stages of their own: what one of them idles more the pipeline's
    rank 4      25 x        2.5 ms         bubble hides in part of another, so that they have too little in common for a unit by
    rank 6      25 x        1.2 ms         their time alone (`stragglers.py`)

How long a launch takes is its host's. Half of its ranks are late for that, and all of them launch as slowly, beside all others.
So it is where all of a host stand still in the same steps for as long, by no event, though in one gap here and in several there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.job.late.limits import median
from tb_plugin.job.late.units import outside_of
from tb_plugin.job.why.cause import SLOW_LAUNCHES
from tb_plugin.job.why.causes import usual_launch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.job.late.stragglers import Straggler
    from tb_plugin.job.own.layout import JobLayout
    from tb_plugin.job.own.own_time import OwnTime
    from tb_plugin.job.why.cause import Cause, CauseId

    Told = tuple[Straggler, Cause]

_STILL: Final[tuple[CauseId, ...]] = ("pause", "idle")
_SEVERAL: Final = 2
_HALF: Final = 0.5
_AS_SLOWLY: Final = 1.5
_AS_LONG: Final = 1.25
"""Times the least of them that the most of them has."""


def as_hosts(of: OwnTime, place: JobLayout, told: Sequence[Told]) -> list[Told]:
    """`told`, each host that is late once in place of its ranks."""
    left = list(told)
    for node in np.unique(place.node[place.node != NONE]).tolist():
        places = np.flatnonzero((place.node == node) & np.isfinite(of.step).any(axis=1))
        members, outside = places.tolist(), outside_of(places, len(of.step)).tolist()
        its = [each for each in left if each[0].level == "rank" and each[0].number in members]
        if len(members) < _SEVERAL or not outside:
            continue
        for sort in (_by_launches(of, members, outside, its), _still_at_once(members, its)):
            if sort:
                left = [each for each in left if not any(each is one for one in sort)]
                left.append(_of_host(of, node, members, outside, sort))
                break
    return left


def _by_launches(of: OwnTime, members: Sequence[int], outside: Sequence[int], its: Sequence[Told]) -> list[Told]:
    late = [each for each in its if each[1].id == "launches" and each[1].also is None]
    if len({one.number for one, _ in late}) < max(_SEVERAL, _HALF * len(members)):
        return []
    steps = np.isin(of.number, sorted({step for one, _ in late for step in one.late_steps}))
    usual = usual_launch(of, outside, steps)
    each = [usual_launch(of, [rank], steps) for rank in members]
    known = [took for took in each if took is not None]
    if not usual or len(known) < len(each) or min(known) < SLOW_LAUNCHES * usual or max(known) > _AS_SLOWLY * min(known):
        return []
    return late


def _still_at_once(members: Sequence[int], its: Sequence[Told]) -> list[Told]:
    late = [each for each in its if each[1].id in _STILL and each[1].event is None and each[1].between_ns is None]
    by_steps: dict[tuple[int, ...], list[Told]] = {}
    for each in late:
        if each[1].also is None or each[1].also.id in _STILL:
            by_steps.setdefault(each[0].late_steps, []).append(each)
    for some in by_steps.values():
        long = [one.mean_excess_ns for one, _ in some]
        if len(some) == len(members) and max(long) <= _AS_LONG * min(long) and any(cause.id == "pause" for _, cause in some):
            return some
    return []


def _of_host(of: OwnTime, node: int, members: list[int], outside: list[int], told: Sequence[Told]) -> Told:
    """What the least of those who are late has, and in the median; why by whom its cause tells most of."""
    late = np.array([one.excess_ns for one, _ in told])
    steps = (late > 0).sum(axis=0) >= _HALF * len(told)
    among = np.where(late > 0, late, np.nan)
    least, usual = (np.where(steps, np.nan_to_num(some), 0.0) for some in (np.fmin.reduce(among), median(among)))
    explained = np.zeros((len(members), len(steps)))
    for (one, _), excess in zip(told, late, strict=True):
        explained[members.index(one.number)] = np.where(steps, excess, 0.0)
    first, cause = max(told, key=lambda each: (each[1].id != "idle", each[0].mean_excess_ns))
    host = replace(
        first.in_steps(of, steps),
        level="host",
        number=node,
        members=tuple(members),
        peers=tuple(outside),
        late_steps=tuple(of.number[steps].tolist()),
        excess_ns=least,
        told_ns=usual,
        explained_ns=explained,
        more={name: np.min([one.more[name] for one, _ in told], axis=0) for name in first.more},
    )
    amount = min(cause.amount_ns, host.mean_excess_ns)
    factors = [each.factor for _, each in told if each.factor is not None and each.id == cause.id]
    factor = float(np.median(factors)) if factors else cause.factor
    return host, replace(cause, amount_ns=amount, factor=factor, steps=(), also=None)
