"""Who is late though there are too few ranks and steps to tell from their spread: what is no chance by itself.

    of an event      it idles 6 % of the step more for its loader or another recorded event, or 20 % in gaps that nothing fills,
                     three times as long as all others and its other steps, and is late mostly for that; of many ranks in half of
                     the steps
    as long          in each of four steps or more, 20 % in gaps that nothing fills, of which one, or the second, third or fourth
                     longest, is as long in all of its steps, and longer by half than any of the others:

    rank 0    14   37    8    1    processes that share cores stand still by chance, each time for another while
    rank 1    61   72   61   61    who sleeps does as long each time

    unlike others    all other ranks and steps are alike, and it is far from them:

    rank 0    10.3   12.4   10.2   10.3    of 8 values 7 are within 0.1, and one is 2.1 away
    rank 1    10.2   10.3   10.2   10.2

The fewer are alike, the more of that is chance: how far is far depends on how many they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.job.late.limits import ENOUGH_RANKS, MANY_STEPS, OF_STEP, median
from tb_plugin.job.late.peers import OF_EVENTS, from_peers, peers_of
from tb_plugin.trace.rank.step_work import PAUSES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.job.own.layout import JobLayout
    from tb_plugin.job.own.own_time import OwnTime


class _Least(NamedTuple):
    """From which part of a step on, and how many times as long as all others."""

    of_step: float
    times: float


_EVENT: Final = _Least(0.06, 3.3)
_GAP: Final = _Least(0.2, 3.0)
"""That nothing fills: where processes share cores each has some."""

_AS_LONG: Final = 1.25
_LONGER: Final = 1.5
"""Times. Of 300 healthy jobs each (2 to 4 ranks, 4 and 6 steps, gaps of any length) as many are blamed as without, and none of 12
recorded ones for it, whose gaps are 2 to 70 times as long in one step as in another; who sleeps, 1.0 to 1.2 times."""

_MOSTLY: Final = 0.5
_FILLED: Final = 0.8
_IN_MOST_STEPS: Final = 0.5
_SOME_STEPS: Final = 3

_NOTABLE: Final = 0.03
_FAR: Final = 5.0
_OF_ONE: Final = 1000.0
"""If one value is alike by chance only one in so many times, n of them are where each is by the n-th root. Of 150 healthy jobs
each (2 to 4 ranks, 2 to 6 steps, 10 % apart, by themselves or by step too) up to 3 are blamed; with 100 here up to 14."""

_MOST_CELLS: Final = 400
"""More ranks and steps tell their spread well."""


def by_events(
    of: OwnTime,
    work: Float64Array,
    place: JobLayout,
    length: Float64Array,
    known: Float64Array | float = 0.0,
    slower: Float64Array | float = 0.0,
) -> Float64Array:
    """[rank, step], ns: what each is late for an event that it alone has in that step, however much ranks differ in all else, or
    is `known` to be late by. `slower`: what its kernels take longer.

    Where two are late for one each in the same step, neither hides the other's.
    """
    told = np.zeros(work.shape) + known
    for part, longest, least in _idle_parts(of):
        is_alone = from_peers(part, place) > least.of_step * length
        its = _of_most(part, least.of_step * length, place) if len(work) < ENOUGH_RANKS else np.zeros_like(is_alone)
        is_alone = parted(is_alone | its, longest, least.times)
        if least is _GAP:
            is_alone |= _as_long(its, of)
        if len(work) >= ENOUGH_RANKS:  # one of many has a long one in some step by chance
            is_alone &= (is_alone.mean(axis=1) >= _IN_MOST_STEPS)[:, None]
        more = from_peers(part, place, is_alone)
        told += np.where(is_alone & (more > OF_STEP * length), more, 0.0)
    if not told.any():
        return told
    away = from_peers(work - told - slower, place) + told
    result: Float64Array = np.where(away > _MOSTLY * told, told, 0.0)
    return result


def parted(some: BoolArray, longest: Float64Array, times: float) -> BoolArray:
    """Those of `some` that a gap parts from all others: so many times as long as the longest of these."""
    while some.any():
        still = some & (longest > times * np.nanmax(longest, where=~some, initial=0.0))
        if (still == some).all():
            break
        some = still
    return some


def _of_most(part: Float64Array, least: Float64Array, place: JobLayout) -> BoolArray:
    """[rank, step]: of ranks that have it in all of their steps, beyond what the peer with the least usually has. Most may:
    who has least is usual all the same. What all have, as their loaders, is no more than that.
    """
    usual = np.where(np.isfinite(part).any(axis=1), median(part.T), np.inf)
    of_least = np.array([usual[peers_of(rank, place)].min() for rank in range(len(part))])
    is_known = np.isfinite(part)
    its = ((part - of_least[:, None] > least) | ~is_known).all(axis=1) & (is_known.sum(axis=1) >= _SOME_STEPS)
    return np.repeat(its[:, None], part.shape[1], axis=1)


def _as_long(its: BoolArray, of: OwnTime) -> BoolArray:
    """[rank, step]: those of `its`, ranks that stand still in all of their steps, of which one of the longest gaps is as long in
    each of these, and longer than that of all others in any.
    """
    result = np.zeros_like(its)
    for gaps in (of.parts[name] for name in PAUSES):
        least, most = np.nanmin(gaps, axis=1, initial=np.inf), np.nanmax(gaps, axis=1, initial=0.0)
        is_even = (most <= _AS_LONG * least) & (np.isfinite(gaps).sum(axis=1) >= MANY_STEPS)
        every = np.broadcast_to(least[:, None], gaps.shape)
        some = its & is_even[:, None]
        result |= parted(some, np.where(some, every, gaps), _LONGER)
    return result


def _idle_parts(of: OwnTime) -> Iterator[tuple[Float64Array, Float64Array, _Least]]:
    """Each with what is held against all others, and from when on it counts; last the longest gaps without
    any of these, by the longest.
    """
    in_gaps, longest = np.sum([of.parts[name] for name in PAUSES], axis=0), of.parts[PAUSES[0]]
    by_events = np.sum([of.parts[name] for name in OF_EVENTS], axis=0)
    for name in OF_EVENTS:
        yield of.parts[name], of.parts[name], _EVENT
    yield np.maximum(in_gaps - by_events, 0.0), np.where(by_events > _FILLED * longest, 0.0, longest), _GAP


def unlike_others(work: Float64Array, stages: Sequence[Int64Array], length: Float64Array) -> BoolArray:
    """[rank, step]: the most of which all are far from the others, at most half of a stage in a step."""
    is_late, found = np.zeros(work.shape, np.bool_), np.zeros(work.shape, np.bool_)
    if work.size > _MOST_CELLS:
        return found
    least = _NOTABLE * length
    for _ in range(work.size // 2):
        away = np.full(work.shape, -np.inf)
        for stage in stages:
            may_be = np.isfinite(work[stage]) & ~is_late[stage] & (is_late[stage].sum(axis=0) < len(stage) // 2)
            away[stage] = np.where(may_be, work[stage] - median(np.where(is_late[stage], np.nan, work[stage])), -np.inf)
        rank, step = np.unravel_index(int(np.argmax(away - least)), away.shape)
        if not away[rank, step] > least[step] / 2:
            break
        is_late[rank, step] = True
        if _are_far(work, is_late, stages, least):
            found |= is_late
    return found


def _are_far(work: Float64Array, is_late: BoolArray, stages: Sequence[Int64Array], least: Float64Array) -> bool:
    """From others of their step, or from all others of their stage, where these are alike."""
    usual = np.where(is_late, np.nan, work)
    of_step, of_stage = (np.full(work.shape, np.nan) for _ in range(2))
    n_in_step = n_in_stage = 0
    for stage in stages:
        its = usual[stage]
        known = np.isfinite(its)
        of_step[stage], of_stage[stage] = median(its), median(its.ravel())
        n_in_step += int(np.maximum(known.sum(axis=0) - 1, 0).sum())
        n_in_stage += max(int(known.sum()) - 1, 0)
    late = work - of_step
    if not (late > least)[is_late].all():
        return False
    for beside, n in ((of_step, n_in_step), (of_stage, n_in_stage)):
        apart = np.divide(work - beside, beside, out=np.full(work.shape, np.nan), where=beside > 0)
        widest = 2 * float(np.nanmax(np.abs(apart[~is_late]), initial=0.0))  # of two half of what they differ by
        if n > 0 and bool((apart[is_late] > max(_FAR, _OF_ONE ** (1 / n)) * widest).all()):
            return True
    return False
