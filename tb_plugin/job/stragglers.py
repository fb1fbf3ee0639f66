"""Who is waited for: ranks whose own work lasts longer than their peers', at the level that explains it.

    work(r, step)    = own time less transfer: computation, copies, idle. What is slow at moving data stands in `links.py`
    excess(r, step)  = work(r) - median of the other ranks of its stage (of all, where that is one rank)
    late             where excess > limit = max(2 % of the step, 4 x spread, 3 x the clock's error), or, since noise averages
                     out over n steps, where the mean excess > max(2 %, (4 x spread) / sqrt(n)) and the step's > limit / 2

A stage, host or replica is blamed where all of its members exceed the ranks outside it, and they are at least two; what it
explains is taken off before smaller units are looked at. A late rank makes others late, and these wait: their own work is
normal. What tables and pictures show of a rank is `excess_of`, the same excess.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Float64Array, Int64Array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.job.layout import JobLayout
    from tb_plugin.job.own_time import OwnTime

Level = Literal["rank", "stage", "host", "replica"]

_OF_STEP: Final = 0.02
_SPREADS: Final = 4.0
_ERRORS: Final = 3.0
_ENOUGH_RANKS: Final = 5
"""From here on the spread over ranks is a measure; of fewer one slow rank would be most of it."""

_WIDTHS: Final = 3.0
"""Halves of a stage are two, not chance, where this many times as far apart as wide. Of 300 healthy jobs (two stages of four,
three steps, ranks 1 ms apart by chance in 40 ms) it blames somebody in 80, in 55 without halves; where only steps differ by
chance (1.5 ms), in 9, without halves in 7."""

_PERSISTENT: Final = 0.5


class _Limit(NamedTuple):
    """`step`: 2 % of each; `noise`: of one value."""

    step: Float64Array
    noise: float

    def late(self, excess: Float64Array) -> BoolArray:
        limit = np.maximum(self.step, self.noise)
        known = np.isfinite(excess)
        if not known.any():
            return known
        of_mean = max(float(self.step[known].mean()), self.noise / np.sqrt(known.sum()))
        on_average: bool = float(excess[known].mean()) > of_mean
        late: BoolArray = known & ((excess > limit) | (on_average & (excess > limit / 2)))
        return late


class _Unit(NamedTuple):
    level: Level
    number: int
    members: Int64Array


@dataclass(frozen=True, kw_only=True)
class Straggler:
    """`excess_ns`: of each step, 0 where it is not late. `parts`: what its members do more, mean over the late steps."""

    level: Level
    number: int  # of the stage, host or replica; of a rank its place
    members: tuple[int, ...]  # places of ranks
    late_steps: tuple[int, ...]  # numbers
    is_persistent: bool
    excess_ns: Float64Array
    parts: dict[str, float]

    @property
    def mean_excess_ns(self) -> float:
        late = self.excess_ns[self.excess_ns > 0]
        return float(late.mean()) if len(late) else 0.0


def work_of(of: OwnTime, *, with_idle: bool) -> Float64Array:
    """[rank, step]. Without any event of the host nobody knows whether a device idled for its own reasons."""
    work = of.parts["computation"] + of.parts["copy"]
    return work + of.parts["idle"] if with_idle else work


def stragglers(of: OwnTime, place: JobLayout, error_ns: float, *, with_idle: bool) -> list[Straggler]:
    """The largest total excess first."""
    work = work_of(of, with_idle=with_idle)
    n_ranks, n_steps = work.shape
    if n_ranks < 2 or n_steps == 0:
        return []
    left = work.copy()
    length = _median(of.step)
    found: list[Straggler] = []
    for unit in _units(place, n_ranks):
        excess = _unit_excess(left, unit.members)
        late = _limit_of_unit(left, unit.members, length, error_ns).late(excess)
        if late.any():
            left[unit.members] -= np.where(late, np.nan_to_num(excess), 0.0)
            found.append(_straggler(of, unit, np.where(late, excess, 0.0), late))
    away = from_peers(left, place)
    limit = _limit_of_ranks(left, away, place, length, error_ns)
    for rank, excess in enumerate(away):
        late = limit.late(excess)
        if late.any():
            found.append(_straggler(of, _Unit("rank", rank, np.array([rank])), np.where(late, excess, 0.0), late))
    return sorted(found, key=lambda one: -float(one.excess_ns.sum()))


def from_peers(work: Float64Array, place: JobLayout) -> Float64Array:
    """[rank, step]: what each has more than the median of its peers."""
    usual = _median_of_others(work)
    for stage in np.unique(place.stage).tolist():
        members = np.flatnonzero(place.stage == stage)
        if 1 < len(members) < len(work):
            usual[members] = _median_of_others(work[members])
    excess: Float64Array = work - usual
    return excess


def excess_of(work: Float64Array, place: JobLayout, found: Sequence[Straggler]) -> Float64Array:
    """[rank, step], ns: what each rank has more than those it is compared with (`compared_with`), in the median."""
    left = _unexplained(work, found)
    excess, own = from_peers(left, place), _blamed_ranks(found)
    taken = set(own)
    for unit in _largest_first(found):
        members = [rank for rank in unit.members if rank not in taken]
        taken.update(members)
        excess[members] = work[members] - _median(work[_outside(np.array(unit.members), len(work))])
    return excess


class ComparedWith(NamedTuple):
    """Whom a rank is compared with, and what each of these has, [one of them, step]."""

    peers: Int64Array
    work: Float64Array


def compared_with(rank: int, work: Float64Array, place: JobLayout, found: Sequence[Straggler]) -> ComparedWith:
    """Its peers; of a member of a blamed stage, host or replica that is not blamed itself, the ranks outside of that.

    Of who is blamed beside such a unit what the unit explains is no difference to its peers.
    """
    unit = next((one for one in _largest_first(found) if rank in one.members), None)
    if unit is not None and rank not in _blamed_ranks(found):
        outside = _outside(np.array(unit.members), len(work))
        return ComparedWith(outside, work[outside])
    peers, left = peers_of(rank, place), _unexplained(work, found)
    return ComparedWith(peers, left[peers] + (work - left)[rank])


def _blamed_ranks(found: Sequence[Straggler]) -> set[int]:
    return {one.number for one in found if one.level == "rank"}


def _largest_first(found: Sequence[Straggler]) -> list[Straggler]:
    return sorted((one for one in found if one.level != "rank"), key=lambda one: -len(one.members))


def _unexplained(work: Float64Array, found: Sequence[Straggler]) -> Float64Array:
    left: Float64Array = work.copy()
    for one in _largest_first(found):
        left[list(one.members)] -= np.nan_to_num(one.excess_ns)
    return left


def _units(place: JobLayout, n_ranks: int) -> list[_Unit]:
    """Of two ranks or more, and not of all; the largest first, so that a replica of two hosts is not named as two hosts."""
    columns: tuple[tuple[Level, Int64Array], ...] = (("stage", place.stage), ("host", place.node), ("replica", place.replica))
    units, seen = [], set()
    for level, column in columns:
        for number in np.unique(column[column != NONE]).tolist():
            members = np.flatnonzero(column == number)
            if 2 <= len(members) < n_ranks and tuple(members) not in seen:
                seen.add(tuple(members))
                units.append(_Unit(level, number, members))
    return sorted(units, key=lambda unit: -len(unit.members))


def _unit_excess(work: Float64Array, members: Int64Array) -> Float64Array:
    """By which even its quickest member exceeds the median of the ranks outside."""
    excess: Float64Array = _least(work[members]) - _median(work[_outside(members, len(work))])
    return excess


def _outside(members: Int64Array, n_ranks: int) -> Int64Array:
    return np.setdiff1d(np.arange(n_ranks), members)


def peers_of(rank: int, place: JobLayout) -> Int64Array:
    """The other ranks of its stage, else all others."""
    peers = np.flatnonzero(place.stage == place.stage[rank])
    peers = peers[peers != rank]
    return peers if len(peers) else np.setdiff1d(np.arange(len(place.stage)), [rank])


def _limit_of_unit(work: Float64Array, inside: Int64Array, length: Float64Array, error_ns: float) -> _Limit:
    """The spread is that of each side about its own median: what is looked for is not part of it."""
    sides = (inside, _outside(inside, len(work)))
    away = np.concatenate([work[side] - _median(work[side]) for side in sides])
    return _limit(work, away, length, error_ns)


def _limit_of_ranks(work: Float64Array, away: Float64Array, place: JobLayout, length: Float64Array, error_ns: float) -> _Limit:
    """The spread is that of all ranks about their peers; in a stage of two halves far apart about the median of their half.

    The quicker half lies as far below its peers as the slower one above: such a spread would be what is looked for.
    """
    middle = float(np.nanmedian(away)) if np.isfinite(away).any() else 0.0
    stages = {tuple(sorted((rank, *peers_of(rank, place).tolist()))) for rank in range(len(work))}
    halves = [half for stage in stages for half in _halves(work, np.array(stage))]
    inside = away - middle
    if 2 * sum(map(len, halves)) >= len(work):  # else the other ranks outweigh them
        for half in halves:
            inside[half] = work[half] - _median(work[half])
    return _limit(work, inside, length, error_ns)


def _halves(work: Float64Array, ranks: Int64Array) -> tuple[Int64Array, ...]:
    """The quicker and the slower half, where they lie several times as far apart as either is wide, and in each step every rank
    of the one is slower than every rank of the other; else none.
    """
    usual = _median(work[ranks].T)
    if len(ranks) % 2 or len(ranks) < 4 or not np.isfinite(usual).all():
        return ()
    order = np.argsort(usual)
    quick, slow = np.split(order, 2)
    apart = usual[slow[0]] - usual[quick[-1]]
    width = max(usual[half[-1]] - usual[half[0]] for half in (quick, slow))
    is_always = bool((_least(work[ranks[slow]]) > -_least(-work[ranks[quick]])).all())
    return (ranks[quick], ranks[slow]) if apart > _WIDTHS * width and is_always else ()


def _limit(work: Float64Array, away: Float64Array, length: Float64Array, error_ns: float) -> _Limit:
    if len(work) < _ENOUGH_RANKS:  # the ranks' own, over the steps
        away = work - _median(work.T)[:, None]
    spread = 1.48 * float(np.nanmedian(np.abs(away))) if np.isfinite(away).any() else 0.0
    return _Limit(_OF_STEP * length, max(_SPREADS * spread, _ERRORS * error_ns))


def _straggler(of: OwnTime, unit: _Unit, excess: Float64Array, late: BoolArray) -> Straggler:
    n_known = int(np.isfinite(of.step[unit.members]).any(axis=0).sum())
    outside = np.ones(len(of.own), np.bool_)
    outside[unit.members] = False
    parts = {}
    for name, column in of.parts.items():
        more = _median(column[unit.members]) - _median(column[outside])
        parts[name] = float(np.nanmean(more[late])) if np.isfinite(more[late]).any() else 0.0
    return Straggler(
        level=unit.level,
        number=unit.number,
        members=tuple(unit.members.tolist()),
        late_steps=tuple(of.number[late].tolist()),
        is_persistent=int(late.sum()) >= _PERSISTENT * max(n_known, 1),
        excess_ns=excess,
        parts=parts,
    )


def _median(work: Float64Array) -> Float64Array:
    """Over the first axis, of what is known."""
    known = np.isfinite(work).any(axis=0)
    result = np.full(work.shape[1:], np.nan)
    if known.any():
        result[known] = np.nanmedian(work[:, known], axis=0)
    return result


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


def _least(work: Float64Array) -> Float64Array:
    return np.where(np.isfinite(work).all(axis=0), work.min(axis=0), np.nan)
