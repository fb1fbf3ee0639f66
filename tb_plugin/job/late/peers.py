"""Whom a rank is held against: the other ranks of its stage, of all where that is one rank, and of those who are not late."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.job.late.limits import median
from tb_plugin.job.late.longest_gaps import off_the_longest
from tb_plugin.trace.rank.pause_events import IDLE_IN
from tb_plugin.trace.rank.step_work import PAUSES

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.job.own.layout import JobLayout

OF_EVENTS: Final = ("loader", "collection", *IDLE_IN)
"""Parts of idle time that events tell of."""


def peers_of(rank: int, place: JobLayout) -> Int64Array:
    """The other ranks of its stage, else all others."""
    peers = np.flatnonzero(place.stage == place.stage[rank])
    peers = peers[peers != rank]
    return peers if len(peers) else np.setdiff1d(np.arange(len(place.stage)), [rank])


def of_its_stage(rank: int, others: Int64Array, place: JobLayout) -> Int64Array:
    """Those of the others that are in its stage, where there are such."""
    its: Int64Array = others[place.stage[others] == place.stage[rank]]
    return its if len(its) else others


def stages_of(place: JobLayout) -> list[Int64Array]:
    """Those of several ranks; all ranks, where each has a stage of its own or none."""
    stages = [np.flatnonzero(place.stage == number) for number in np.unique(place.stage).tolist()]
    return [stage for stage in stages if len(stage) > 1] or [np.arange(len(place.stage))]


def from_peers(work: Float64Array, place: JobLayout, is_late: BoolArray | None = None) -> Float64Array:
    """[rank, step]: what each has more than the median of its peers, of those that are not late, where there are such."""
    usual = _usual(work, place)
    if is_late is not None and is_late.any():
        of_usual = _usual(np.where(is_late, np.nan, work), place)
        usual = np.where(np.isfinite(of_usual), of_usual, usual)
    excess: Float64Array = work - usual
    return excess


def _usual(work: Float64Array, place: JobLayout) -> Float64Array:
    usual = _median_of_others(work)
    for stage in np.unique(place.stage).tolist():
        members = np.flatnonzero(place.stage == stage)
        if 1 < len(members) < len(work):
            usual[members] = _median_of_others(work[members])
    return usual


def measure_of(work: Float64Array, peers: Int64Array, is_late: BoolArray, more: Float64Array | None = None) -> Float64Array:
    """[one of them, step]: what others are held against, NaN of who is late in the step himself; where all are, each without
    what it has more.
    """
    its = work[peers]
    usual = np.where(is_late[peers], np.nan, its)
    return np.where(np.isfinite(usual).any(axis=0), usual, its if more is None else its - more[peers])


def usual_parts(parts: dict[str, Float64Array], rank: int, peers: Int64Array, is_late: BoolArray) -> dict[str, Float64Array]:
    """What those of the peers have who are not late in a step, NaN of the others. Where all are, each has what it has in the
    steps in which it is not; where it is in all, of each part no more than the rank has.
    """
    of_peers, are_all = np.isin(np.arange(len(is_late)), peers)[:, None] & is_late, is_late[peers].all(axis=0)
    if not of_peers.any():
        return parts
    result, least = {}, _no_more_than(parts, rank)
    for name, column in parts.items():
        usual = median(np.where(is_late, np.nan, column).T)[:, None]
        of_all = np.where(np.isfinite(usual), usual, least[name])
        result[name] = np.where(of_peers, np.where(are_all, of_all, np.nan), column)
    return result


def _no_more_than(parts: dict[str, Float64Array], rank: int) -> dict[str, Float64Array]:
    """Of idle time by what it is for: who stands still for one reason tells nothing of what another does for its own. What is cut
    off it goes off the longest gaps.
    """
    least = {name: np.minimum(column, column[rank]) for name, column in parts.items()}
    by_events = np.sum([parts[name] for name in OF_EVENTS], axis=0)
    in_gaps = np.maximum(np.sum([parts[name] for name in PAUSES], axis=0) - by_events, 0.0)
    between = np.maximum(parts["idle"] - by_events - in_gaps, 0.0)
    each = [*(least[name] for name in OF_EVENTS), *(np.minimum(part, part[rank]) for part in (in_gaps, between))]
    least["idle"] = np.minimum(np.sum(each, axis=0), parts["idle"])
    gaps = off_the_longest(np.array([parts[name] for name in PAUSES]), parts["idle"] - least["idle"])
    return least | dict(zip(PAUSES, -np.sort(-gaps, axis=0), strict=True))


def not_late(ranks: Int64Array, is_late: BoolArray) -> Int64Array:
    """Those of these that are not late in a step, or all of them. `is_late`: in that step, of every rank."""
    usual = ranks[~is_late[ranks]]
    return usual if len(usual) else ranks


def _median_of_others(work: Float64Array) -> Float64Array:
    """Over the first axis, for each without itself, of what is known; all at once, since there may be thousands."""
    order = np.argsort(work, axis=0, kind="stable")  # what is not known comes last
    place, ascending = np.argsort(order, axis=0), np.take_along_axis(work, order, axis=0)
    is_known = np.isfinite(work)
    n = is_known.sum(axis=0) - is_known

    def at(nth: Int64Array) -> Float64Array:
        among = np.clip(nth + (place <= nth), 0, len(work) - 1)
        return np.asarray(np.take_along_axis(ascending, among, axis=0), np.float64)

    return np.where(n > 0, (at((n - 1) // 2) + at(n // 2)) / 2, np.nan)
