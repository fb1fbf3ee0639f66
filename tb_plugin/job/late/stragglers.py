"""Who is waited for: ranks whose own work lasts longer than their peers', at the level that explains it.

    work(r, step)    = own time less transfer: computation, copies, idle, and what of idle time communication hides (`alone.py`).
                       What is slow at moving data stands in `links.py`
    excess(r, step)  = work(r) - median of the other ranks of its stage (of all, where that is one rank); once it is known who is
                       late, of those that are not late themselves in the step, where there are such
    late             where excess > limit = max(2 % of the step, 4 x spread), or, since noise averages out over n steps,
                     where mean and median of the excess > max(2 %, (4 x spread) / sqrt(n)), and the step's > limit / 2 and half
                     of what the steps over the limit have

A stage, host or replica is blamed where all of its members exceed the ranks outside it, for the same reason, and they are at
least two. What it explains is taken off before smaller units are looked at, of each member what that idles for the same reason:

    launches 6 x slower on all four    idle more    3.1   3.8   3.1   3.7    of the host, though its least is 3.1
    and one of them in its loader                   3.1   3.8   9.4   3.7    6.3 of it are its own

A late rank makes others late, and these wait: their own work is normal. What tables and pictures show of a rank is `excess_of`,
the same excess. Several who would hide each other are found by the spread of the others alone: `limits.py`; of two to four by who
is not late, and no chance by itself: `few_ranks.py`, or in the mean: `in_the_mean.py`; of more by all steps: `in_all_steps.py`,
and nobody by chance: `chance.py`. Where all peers are late in a step, each counts without what it has more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
from tb_plugin.job.late.chance import but_chance
from tb_plugin.job.late.common_excess import common_excess
from tb_plugin.job.late.few_ranks import by_events, unlike_others
from tb_plugin.job.late.in_all_steps import in_all_steps
from tb_plugin.job.late.in_the_mean import in_the_mean
from tb_plugin.job.late.limits import ENOUGH_RANKS, limit_of, may_be_late, median, several
from tb_plugin.job.late.longest_gaps import LongestGaps, longest_gaps
from tb_plugin.job.late.peers import from_peers, measure_of, peers_of, stages_of, usual_parts
from tb_plugin.job.late.stage_level import StageLevels, Stages
from tb_plugin.job.late.unit_excess import (
    WorkAtLevels,
    idle_by_reason,
    is_alike,
    least_of,
    level_of_part,
    limit_of_unit,
    more_than,
    more_than_outside,
    more_than_usual,
    parts_of_work,
    unit_excess,
)
from tb_plugin.job.late.units import Level, Unit, apart_in, outside_of, units_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from tb_plugin.job.own.layout import JobLayout
    from tb_plugin.job.own.own_time import OwnTime

_PERSISTENT: Final = 0.5
_OF_UNIT: Final = 1.5
_OF_UNIT_IN_A_STEP: Final = 3.0
"""So many times what all members of a unit lose one of them may, and it is no reason of its own: in the median, and in a step."""


@dataclass(frozen=True, kw_only=True)
class Straggler:
    """`excess_ns`: of each step, 0 where it is not late. `more`: what all of its members do more than the peers in each step, at
    least. Who is late for one reason in some steps and for another in others is there once for each (`causes.py`).
    """

    level: Level
    number: int  # of the stage, host or replica; of a rank its place
    members: tuple[int, ...]  # places of ranks
    peers: tuple[int, ...]  # that it is compared with
    late_steps: tuple[int, ...]  # numbers
    is_persistent: bool
    excess_ns: Float64Array
    told_ns: Float64Array  # of each step, what of this all of its members commonly have
    explained_ns: Float64Array  # [member, step]: what of its work this explains
    more: dict[str, Float64Array]
    gaps: LongestGaps

    @property
    def mean_excess_ns(self) -> float:
        late = self.excess_ns[self.excess_ns > 0]
        return float(late.mean()) if len(late) else 0.0

    @property
    def mean_told_ns(self) -> float:
        return _mean(self.told_ns[self.excess_ns > 0])

    @property
    def parts(self) -> dict[str, float]:
        """Of `more` the mean over the late steps."""
        late = self.excess_ns > 0
        return {name: _mean(more[late]) for name, more in self.more.items()}

    def in_steps(self, own: OwnTime, steps: BoolArray) -> Straggler:
        """Only in these of its late steps. `steps`: of those of `own`."""
        late = steps & (self.excess_ns > 0)
        return replace(
            self,
            late_steps=tuple(own.number[late].tolist()),
            is_persistent=_is_persistent(own, self.members, late),
            excess_ns=np.where(late, self.excess_ns, 0.0),
            told_ns=np.where(late, self.told_ns, 0.0),
            explained_ns=np.where(late, self.explained_ns, 0.0),
        )


def work_of(of: OwnTime, *, with_idle: bool) -> Float64Array:
    """[rank, step]. Without any event of the host nobody knows whether a device idled for its own reasons."""
    work: Float64Array = np.sum([of.parts[name] for name in parts_of_work(with_idle=with_idle)], axis=0)
    return work


def stragglers(
    of: OwnTime,
    place: JobLayout,
    *,
    with_idle: bool,
    on_cpus: bool = False,
    apart: Collection[tuple[int, ...]] = (),
    known: tuple[Float64Array, Float64Array] | None = None,
) -> list[Straggler]:
    """The largest total excess first. `apart`: members that are no unit; `known`: what each is late by for its kernels, and what
    these take longer (`by_kernels.py`).
    """
    work = work_of(of, with_idle=with_idle)
    n_ranks, n_steps = work.shape
    if n_ranks < 2 or n_steps == 0:
        return []
    left, (known_ns, slower) = work.copy(), known or (np.zeros(work.shape), np.zeros(work.shape))
    length = median(of.step)
    found, before = list[Straggler](), dict[tuple[int, ...], Float64Array]()
    levels = WorkAtLevels(left, place.stage)
    for unit in (each for each in units_of(place, work) if tuple(each.members.tolist()) not in apart):
        level, of_level, most = levels.of(unit.members)
        if not may_be_late(most.of(unit.members), length):  # of thousands of ranks there are hundreds of units
            continue
        excess = unit_excess(of_level, unit.members)
        late = limit_of_unit(of_level, unit.members, place.stage, length, on_cpus=on_cpus).late(excess)
        if not late.any():
            continue
        excess = np.where(late, unit_excess(left, unit.members, level), 0.0)
        but_late = _but(of, _outside_and_late(unit.members, left, late_in(left.shape, found)))
        if is_alike(but_late, unit.members, level, excess, late, with_idle=with_idle):
            one = _straggler(of, unit, excess, outside_of(unit.members, n_ranks), level=level)
            one, before[tuple(unit.members.tolist())] = _with_each(of, left, one, level, with_idle=with_idle), left.copy()
            left[unit.members] -= one.explained_ns
            levels = WorkAtLevels(left, place.stage)
            found.append(one)
        elif unit.level == "stage":  # its ranks are no measure of each other
            place = replace(place, stage=apart_in(place.stage, unit.members))
            levels = WorkAtLevels(left, place.stage)
    units = len(found)
    told = by_events(of, left, place, length, known_ns, slower) if with_idle else known_ns
    told = np.where(late_in(left.shape, found), 0.0, told)
    by_event = np.where(told > 0, told - known_ns, 0.0)
    is_late = (told > 0) | _late_ranks(left, by_event, place, length, on_cpus=on_cpus)
    beside = (known_ns > 0).any(axis=0) & (slower > 0)
    if beside.any():  # all of its kernels are slower where another is late for its own: neither is a measure for the other
        is_late |= beside & _late_ranks(left, told, place, length, on_cpus=on_cpus)
    more = told + np.where(is_late, np.maximum(np.nan_to_num(from_peers(left - told, place, is_late)), 0.0), 0.0)
    for rank in np.flatnonzero(is_late.any(axis=1)).tolist():
        peers = _on_its_side(rank, peers_of(rank, place), [one for one in found if (is_late[rank] & (one.excess_ns > 0)).any()])
        usual = peers[~is_late[peers][:, is_late[rank]].any(axis=1)]
        peers = usual if len(usual) else peers
        excess = np.where(is_late[rank], np.maximum(left[rank] - median(measure_of(left, peers, is_late, more)), 0.0), 0.0)
        if excess.any():
            found.append(_straggler(of, Unit("rank", rank, np.array([rank])), excess, peers, is_late))
    alone = late_in(left.shape, found[units:])
    found[:units] = [
        _beside_usual(
            of, one, place, before[one.members], alone | _late_beside(one, found[:units], left.shape), with_idle=with_idle
        )
        for one in found[:units]
    ]
    return sorted((_with_common(one, work, found) for one in found), key=lambda one: -float(one.excess_ns.sum()))


def _late_beside(unit: Straggler, units: Sequence[Straggler], shape: tuple[int, ...]) -> BoolArray:
    """[rank, step]: who is late with another stage, host or replica that shares none of its ranks, or is of other stages, too."""
    its = set(unit.members)

    def is_other(one: Straggler) -> bool:
        return its.isdisjoint(one.members) or (unit.level == "stage" and not its <= {*one.members})

    return late_in(shape, [one for one in units if is_other(one)])


def _with_common(unit: Straggler, work: Float64Array, found: Sequence[Straggler]) -> Straggler:
    others = [(other.members, other.explained_ns) for other in found if other is not unit]
    common = unit.excess_ns if unit.level == "rank" else common_excess(work, unit.members, unit.excess_ns, others)
    return replace(unit, told_ns=common)


def _late_ranks(left: Float64Array, told: Float64Array, place: JobLayout, length: Float64Array, *, on_cpus: bool) -> BoolArray:
    """[rank, step]: who is late for itself, told by how far ranks and steps are apart without what events tell of (`told`).

    Who stands still may compute less while it does: that makes its peers no later than they are.
    """
    n_ranks, stages, rest = len(left), stages_of(place), left - told
    limit = limit_of(rest, from_peers(rest, place), length, len(stages), on_cpus=on_cpus)
    left = left - np.clip(from_peers(rest, place) + told, 0.0, told)
    away = from_peers(left, place)
    by_rank = {rank: limit.late(away[rank]) for rank in range(n_ranks)} | several(rest, stages, length)
    is_late = _late(by_rank, away)
    if n_ranks >= ENOUGH_RANKS:
        always = in_all_steps(left, stages, length)
        is_late |= always & (from_peers(left, place, always | is_late) > 0)
        return but_chance(left, place, is_late)
    is_late |= unlike_others(rest, stages, length) | in_the_mean(rest, stages, length)
    while is_late.any():
        beside = from_peers(left, place, is_late)
        if not (more := _late({rank: limit.late(beside[rank]) for rank in range(n_ranks)}, beside) & ~is_late).any():
            break
        is_late |= more
    return is_late


def _on_its_side(rank: int, peers: Int64Array, found: Sequence[Straggler]) -> Int64Array:
    """Those that are with it in the same of the stages, hosts and replicas blamed, or outside of these, where there are such."""
    for unit in found:
        if unit.level != "rank":
            its = peers[np.isin(peers, unit.members) == (rank in unit.members)]
            peers = its if len(its) else peers
    return peers


def as_if_late(of: OwnTime, rank: int, excess: Float64Array, peers: Int64Array | Sequence[int]) -> Straggler:
    """Of one that is not, what it would be blamed for. `excess`: of its steps, of which those over nothing count."""
    return _straggler(of, Unit("rank", rank, np.array([rank])), np.maximum(np.nan_to_num(excess), 0.0), np.asarray(peers))


def _late(by_rank: dict[int, BoolArray], away: Float64Array) -> BoolArray:
    """[rank, step]"""
    is_late = np.zeros(away.shape, np.bool_)
    for rank, steps in by_rank.items():
        is_late[rank] = steps & (away[rank] > 0)
    return is_late


def late_in(shape: tuple[int, ...], found: Sequence[Straggler]) -> BoolArray:
    """[rank, step]: who is blamed, for itself or with a stage, host or replica."""
    is_late = np.zeros(shape, np.bool_)
    for one in found:
        is_late[list(one.members)] |= one.excess_ns > 0
    return is_late


def _beside_usual(
    of: OwnTime, unit: Straggler, place: JobLayout, work: Float64Array, is_late: BoolArray, *, with_idle: bool
) -> Straggler:
    """It by those outside who are not late themselves, where there are such. `work`: as it was found by."""
    members, outside = np.array(unit.members), np.array(unit.peers)
    but = _outside_and_late(members, work, is_late) & (unit.excess_ns > 0)
    if not but.any():
        return unit
    usual = np.where(but, np.nan, work)
    level = StageLevels(usual, Stages(place.stage)).of(members)
    excess = np.where(but.any(axis=0), np.fmax(unit_excess(usual, members, level), unit.excess_ns), unit.excess_ns)
    beside = _but(of, but)
    peers = outside[~but[outside].any(axis=1)]
    one = _straggler(beside, Unit(unit.level, unit.number, members), excess, peers if len(peers) else outside, level=level)
    return _with_each(beside, usual, one, level, with_idle=with_idle)


def _outside_and_late(members: Int64Array, work: Float64Array, is_late: BoolArray) -> BoolArray:
    """[rank, step]: who outside is no measure, where others are."""
    outside, found = outside_of(members, len(work)), np.zeros(work.shape, np.bool_)
    found[outside] = is_late[outside] & (~is_late & np.isfinite(work))[outside].any(axis=0)
    return found


def _but(of: OwnTime, gone: BoolArray) -> OwnTime:
    return replace(of, parts={name: np.where(gone, np.nan, column) for name, column in of.parts.items()}) if gone.any() else of


def _with_each(of: OwnTime, left: Float64Array, unit: Straggler, level: Float64Array, *, with_idle: bool) -> Straggler:
    return replace(unit, explained_ns=_of_each(of, left, unit, level, with_idle=with_idle))


def _of_each(of: OwnTime, left: Float64Array, unit: Straggler, level: Float64Array, *, with_idle: bool) -> Float64Array:
    """[member, step], ns: what the unit explains of each. Of launches that are slow, or a file system, one member loses more than
    another by chance: all that it idles for the same reason, up to so many times what all do. Of kernels whose stage has more to
    do loses more: as much more as that is.
    """
    members = np.array(unit.members)
    all_lose = np.nan_to_num(unit.excess_ns)
    late = all_lose > 0
    own: Float64Array = np.nan_to_num(more_than_usual(left, members, level) - all_lose)
    more, of_stage = more_than_outside(of, members, level), level[members, None]
    varies = np.zeros(own.shape)
    for name in parts_of_work(with_idle=False):
        least = np.maximum(np.nan_to_num(least_of(more[name] / of_stage)), 0.0)
        varies += least * (of_stage - of_stage.min())
    for part in idle_by_reason(more) if with_idle else ():
        least = np.maximum(np.nan_to_num(least_of(part)), 0.0)
        usual = float(np.median(least[late]))
        is_own = (part > _OF_UNIT_IN_A_STEP * np.maximum(least, usual)) | (median(part[:, late].T) > _OF_UNIT * usual)[:, None]
        varies += np.where(is_own, 0.0, np.maximum(np.nan_to_num(part) - least, 0.0))
    return np.where(late, all_lose + np.clip(varies, 0.0, np.maximum(own, 0.0)), 0.0)


def _straggler(
    of: OwnTime,
    unit: Unit,
    excess: Float64Array,
    peers: Int64Array,
    is_late: BoolArray | None = None,
    level: Float64Array | None = None,
) -> Straggler:
    """`is_late`: who is, so that its peers tell what is usual; `level`: of each rank that of its stage."""
    late, members = excess > 0, tuple(unit.members.tolist())
    usual = of.parts if is_late is None else usual_parts(of.parts, unit.number, peers, is_late)
    level = np.ones(len(of.own)) if level is None else level
    return Straggler(
        level=unit.level,
        number=unit.number,
        members=members,
        peers=tuple(peers.tolist()),
        late_steps=tuple(of.number[late].tolist()),
        is_persistent=_is_persistent(of, members, late),
        excess_ns=excess,
        told_ns=excess,
        explained_ns=np.nan_to_num(excess)[None].repeat(len(members), axis=0),
        more={
            name: least_of(more_than(column[unit.members], usual[name][peers], its[unit.members], its[peers]))
            for name, column in of.parts.items()
            for its in (level_of_part(name, level),)
        },
        gaps=longest_gaps(of.parts, usual, unit.members, peers),
    )


def _is_persistent(of: OwnTime, members: tuple[int, ...], late: BoolArray) -> bool:
    n_known = int(np.isfinite(of.step[list(members)]).any(axis=0).sum())
    return int(late.sum()) >= _PERSISTENT * max(n_known, 1)


def _mean(values: Float64Array) -> float:
    return float(np.nanmean(values)) if np.isfinite(values).any() else 0.0
