"""From where on a rank is late: the limit for what it has more than others, and several who are late beside the others' spread.

    limit    max(2 % of the step, 4 x spread)
    spread   1.48 x median of what ranks and steps are away from their peers, of fewer than five ranks beyond what each is away in
             every step (the same time, or the same part of a step), and of three steps no less than by what their own differ

A step that takes all ranks twice as long varies twice as much: all is measured in what the ranks have in common in a step, so
that steps may be of any length.

Who is late widens the spread, and many beside few hide each other: two of a stage of four, or one in each of two stages of two.
So as many as can be are set aside, at most half of a stage, and the spread is that of the others alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array

OF_STEP: Final = 0.02
SPREADS: Final = 4.0
ENOUGH_RANKS: Final = 5
"""From here on the spread over ranks is a measure; of fewer one slow rank would be most of it."""

_FEW: Final = 10.0
"""The spread of few may be small by chance: where n of them can differ freely, it counts 1 + this / n times. Of 400 healthy
jobs (8 to 32 ranks in stages of 2 to 16, three steps; 1 ms of 40 by chance between ranks, 1.5 ms between steps, or 0.7 ms both)
several are blamed in 0 to 3 in which nobody was without; with 6 here, in up to 19."""

_ONE_FREE: Final = 3.0
"""Where a single pair of ranks tells the spread, a rank is late by this many times 2 % of the step: a pair is alike by chance."""

_HALF: Final = 0.5
_OF_LIMIT: Final = 0.25
"""Of who is late in the mean and in a step by itself, a step counts from one spread on."""

_NEARLY: Final = 0.8

MANY_STEPS: Final = 4
"""Of fewer the lower middle one is the least, and what is left of the others no spread."""

_PLAINLY: Final = 2.0
"""The least of several measures of chance is small by chance, so a third counts so many times. Of 400 healthy jobs each (2 to 4
ranks, 4 to 20 steps, 1 to 10 % apart) as many are blamed as without it, at most 2 % of them; with 1 here twice as many."""

_OF_OWN: Final = 2.0
"""Of three steps one is the middle, and the nearer of the other two is most of the spread: by chance that is small. So it counts
as no less than so many times what ranks differ by from step to step. Of 7 200 healthy jobs (2 to 4 ranks, 0.3 to 3 % apart) 43
are blamed, without this 153; of who takes 20 % more in one step 50 % are told for 54. Of two steps, or four, far fewer are
blamed as it is."""

_ALIKE: Final = 0.5
_OF_UNLIKE: Final = 1.5
"""Steps that are further apart than this part of a usual one are of different lengths, and what ranks differ by from step to step
is no chance: it counts up to so many times the spread. Of 300 healthy jobs with steps 1, 2 and 0.7 long 6 are blamed, without it
14; of who takes the same time more in each of them 58 % are told for 67 (tests/job/test_side_by_side.py has such jobs)."""

_MOST_CUTS: Final = 16
"""Who is late is parted from the others by a gap: so many of the largest are tried."""


class LateLimit(NamedTuple):
    """`step`: 2 % of each; `noise`: of one value; `of_ranks`: that of it which no number of steps makes smaller; all of them in
    `unit`, what each step is of a usual one. `noise_of_few`: over which one step has to be, or the mean, for any to be late.
    """

    step: Float64Array
    noise: float
    of_ranks: float = 0.0
    unit: Float64Array | float = 1.0
    noise_of_few: float = 0.0

    def late(self, excess: Float64Array) -> BoolArray:
        """In which steps, by the excess of each; or, since noise averages out, where mean and median are over the limit of means.

        One step that is very late lifts the mean and makes no other late: with those that are late by themselves goes a step
        that has half as much as they have in the median, as a part of it or in time. Who is late in one step is late in those
        that miss the limit by a hair, too.
        """
        of_unit = excess / self.unit
        limit = np.maximum(self.step, self.noise)
        known = np.isfinite(excess)
        if not known.any():
            return known
        late: BoolArray = known & (of_unit > limit)
        usual, usual_time = (np.median(each[late]) if late.any() else 0.0 for each in (of_unit, excess))
        of_mean = max(float(self.step[known].mean()), self.noise / np.sqrt(known.sum()), self.of_ranks)
        if float(of_unit[known].mean()) > of_mean and float(np.median(of_unit[known])) > of_mean:
            is_half = (of_unit > usual / 2) | (excess > usual_time / 2)
            late = late | (known & is_half & (of_unit > limit * (_OF_LIMIT if late.any() else _HALF)))
        if late.any():
            late = late | (known & (of_unit > _NEARLY * limit) & (of_unit > _NEARLY * usual))
        is_of_few = self.noise_of_few > self.noise and late.any()
        if is_of_few and not self._replace(noise=self.noise_of_few, noise_of_few=0.0).late(excess).any():
            return np.zeros_like(late)
        return late


def may_be_late(excess: Float64Array, length: Float64Array) -> bool:
    """Whether any limit lets it be late in a step: none is lower than the part of a step, of one or in the mean."""
    return bool((excess > OF_STEP * length).any())


def limit_of(
    work: Float64Array,
    away: Float64Array,
    length: Float64Array,
    n_usual: int,
    *,
    with_itself: bool = False,
    on_cpus: bool = False,
) -> LateLimit:
    """`work`, `away` from what is usual, of which there are `n_usual` in a step: [rank, step], ns; `length` of each step.
    `with_itself`: usual is a median of several of which each is one: few are close to theirs by chance. `on_cpus`: where
    processes share cores, one step of few ranks does not tell what is chance.
    """
    unit = unit_of(work)
    if len(work) < ENOUGH_RANKS:
        n_free = max(len(length) - 1, 1)
        spread = min(spread_of(beyond) for beyond in _beyond_each(away, unit))
        spread *= _wide(len(length), n_free, (len(work) - n_usual) * n_free)
        if len(length) >= MANY_STEPS:
            spread = min(spread, _of_own_steps(work))
        elif len(length) == MANY_STEPS - 1:
            own = _OF_OWN * spread_of(work - _usual(work))
            spread = max(spread, own if float(np.ptp(unit)) < _ALIKE else min(own, _OF_UNLIKE * spread))
        if on_cpus and len(length) == 1:
            spread = np.inf
    else:
        part = away / unit
        spread = spread_of(part - median(part.ravel()))
    n_about, of_few = max(len(work) - n_usual, 1), 0.0
    if with_itself and len(work) >= ENOUGH_RANKS:
        of_few = SPREADS * spread * _wide(len(work), n_about, n_about * len(length))
    return LateLimit(OF_STEP * length / unit, SPREADS * spread, unit=unit, noise_of_few=of_few)


def unit_of(work: Float64Array) -> Float64Array:
    """How much each step is of a usual one, by what the ranks have in common."""
    common = median(work)
    is_told = np.isfinite(common) & (common > 0)
    return np.where(is_told, common / common[is_told].mean(), 1.0) if is_told.any() else np.ones(len(common))


def _beyond_each(away: Float64Array, unit: Float64Array) -> tuple[Float64Array, Float64Array]:
    """What is left without that by which each rank is away in every step: a part of the step, or the same time."""
    part = away / unit
    return part - _usual(part), (away - _usual(away)) / unit


def _of_own_steps(work: Float64Array) -> float:
    """By what ranks differ, if each were away from its usual step by chance. Of two ranks whoever is late in half of the steps is
    half of all that they differ by, and in turn both hide each other; of what each of them takes in its steps it is a quarter.
    """
    n_ranks, n_steps = work.shape
    of_difference = _PLAINLY * np.sqrt(n_ranks / (n_ranks - 1))
    return float(of_difference) * spread_of(work - _usual(work)) * _wide(n_steps, n_steps - 1, n_ranks * (n_steps - 1))


def _usual(away: Float64Array) -> Float64Array:
    """[rank, 1]: what each is away in every step. Of many steps the lower middle one: who is late in every other step is not
    half as late in every step.
    """
    if away.shape[1] < MANY_STEPS:
        return median(away.T)[:, None]
    return lower_median(away.T)[:, None]


def spread_of(away: Float64Array) -> float:
    return 1.48 * float(np.nanmedian(np.abs(away))) if np.isfinite(away).any() else 0.0


def _wide(n: int, n_about: int, n_free: int) -> float:
    """What a spread counts: about a median of their own n lie closer than about the true one, and few by chance."""
    return float(np.sqrt(n / n_about)) * (1 + _FEW / n_free)


def several(work: Float64Array, stages: Sequence[Int64Array], length: Float64Array) -> dict[int, BoolArray]:
    """In which steps the most ranks are late that all are beside the spread of the others. `stages`: ranks that are peers."""
    if len(work) < ENOUGH_RANKS:
        return {}
    excess, slower = np.full(len(work), np.nan), list[int]()
    for stage in stages:
        usual = _mean(work[stage].T)
        excess[stage] = usual - np.sort(usual)[(len(stage) - 1) // 2]
        slower += stage[np.argsort(usual)][len(stage) - len(stage) // 2 :].tolist()
    notable = OF_STEP * float(np.nanmean(length))
    order = np.array(sorted((rank for rank in slower if excess[rank] > notable), key=lambda rank: -excess[rank]), np.int64)
    gaps = -np.diff(excess[order], append=0.0)
    for last in sorted(np.argsort(-gaps)[:_MOST_CUTS].tolist(), reverse=True):
        late = _late_beside(work, order[: last + 1], stages, length)
        if late is not None:
            return late
    return {}


def _late_beside(
    work: Float64Array, some: Int64Array, stages: Sequence[Int64Array], length: Float64Array
) -> dict[int, BoolArray] | None:
    """In which steps each of some ranks is late beside the others; None where one of them is not."""
    away, n_free = np.full(work.shape, np.nan), 0
    for stage in stages:
        others = np.setdiff1d(stage, some)
        away[stage] = work[stage] - median(work[others])
        n_free += len(others) - 1
    if n_free < 1:
        return None
    rest = np.delete(away, some, axis=0)
    wide = SPREADS * _wide(int(np.isfinite(rest).any(axis=1).sum()), n_free, n_free)
    spread = wide * spread_of(rest)
    of_ranks = wide * float(np.sqrt(np.nanmean(median(rest.T) ** 2)))
    least = OF_STEP * length * (_ONE_FREE if n_free == 1 else 1.0)
    limit = LateLimit(least, max(spread, of_ranks), of_ranks)
    late = {rank: limit.late(away[rank]) for rank in some.tolist()}
    # Who is as much quicker in another step differs by chance.
    is_chance = any(limit.late(-away[rank]).any() or not steps.any() for rank, steps in late.items())
    return None if is_chance else late


def median(work: Float64Array) -> Float64Array:
    """Over the first axis, of what is known."""
    known = np.isfinite(work).any(axis=0)
    result = np.full(work.shape[1:], np.nan)
    if known.any():
        result[known] = np.nanmedian(work[:, known], axis=0)
    return result


def lower_median(work: Float64Array) -> Float64Array:
    """Over the first axis, of what is known: of an even number the lower middle one, so that more than half are as much."""
    nth = np.maximum(np.isfinite(work).sum(axis=0) - 1, 0) // 2
    lower: Float64Array = np.take_along_axis(np.sort(work, axis=0), nth[None], axis=0)[0]  # what is not known stands last
    return lower


def _mean(work: Float64Array) -> Float64Array:
    """Over the first axis, of what is known."""
    known = np.isfinite(work)
    n_known = known.sum(axis=0)
    return np.where(n_known > 0, np.where(known, work, 0.0).sum(axis=0) / np.maximum(n_known, 1), np.nan)
