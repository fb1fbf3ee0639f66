"""Who is late in all steps, several at once, however much steps differ: a mean of many steps differs less by chance.

    rank 0    41   38   45   39    mean 41    three of five ranks: what they have more than the other two
    rank 1    52   60   49   55         54    is more than steps and those two differ by, for as many choices of three
    rank 2    40   44   37   42         41    as there are
    rank 3    57   50   61   54         56
    rank 4    55   59   50   58         56

Of a stage two at least are beside them: one alone does not tell what ranks differ by. Ranks of a healthy job may differ a little
in all steps, so what counts is a tenth of the step.

Who is slow in most steps is so in the mean, too, and not late in the others: where it has not half of its mean, which chance does
not explain, and is as near the others as these are to each other, it is as usual.
"""

from __future__ import annotations

from math import comb, sqrt
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.job.late.chance import farthest
from tb_plugin.job.late.limits import ENOUGH_RANKS, OF_STEP, SPREADS, median, unit_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array

_OF_STEP: Final = 0.1
_OF_OTHERS: Final = 5.0
"""Times what those beside are apart in the mean."""

_BY_CHANCE: Final = 2.0
_OF_MEDIAN: Final = 1.57
"""The variance of a median, by that of a mean of as many."""

_BESIDE: Final = 2
_HALF: Final = 0.5
_FEW: Final = 5.0
_SOME_STEPS: Final = 3
_MOST_LATE: Final = 4
"""What more have in common is told once, of all of them."""

_MOST_RANKS: Final = 64
"""Of more the spread over ranks tells (`limits.py`)."""


def in_all_steps(work: Float64Array, stages: Sequence[Int64Array], length: Float64Array) -> BoolArray:
    """[rank, step]: the most of which all are late, in those of their steps in which they are. `stages`: ranks that are peers."""
    none = np.zeros(work.shape, np.bool_)
    whole = np.asarray(np.isfinite(work).all(axis=0))
    n_ranks, n_steps = len(work), int(whole.sum())
    if not ENOUGH_RANKS <= n_ranks <= _MOST_RANKS or n_steps < _SOME_STEPS:
        return none
    unit = unit_of(work)
    every = work / unit
    part = every[:, whole]
    least = _OF_STEP * float(length[whole].mean())
    middle = np.full(n_ranks, np.nan)
    for stage in stages:
        middle[stage] = part[stage].mean(axis=1) - part[stage].mean(axis=1).min()
    order, found = np.argsort(-np.nan_to_num(middle)), none
    for n in range(1, min(n_ranks - 1, _MOST_LATE + 1)):
        late = np.isin(np.arange(n_ranks), order[:n])
        if middle[order[n - 1]] <= least:
            break
        if _are_beside(part, late, stages, least):
            found = _steps_of(every, late, stages, whole, OF_STEP * length / unit)
    return found


def _are_beside(part: Float64Array, late: BoolArray, stages: Sequence[Int64Array], least: float) -> bool:
    """All of them, of those that are not late of their stages."""
    n_ranks, n_steps = part.shape
    n_beside = min(int((~late[stage]).sum()) for stage in stages if late[stage].any())
    if n_beside < _BESIDE:
        return False
    away = _from_others(part, late, stages)
    mean, spread = away.mean(axis=1), _spread_of(away)
    of_mean = spread * sqrt((1 + _OF_MEDIAN / n_beside) / n_steps)
    by_chance = farthest(comb(n_ranks, int(late.sum()))) * of_mean
    of_others = _OF_OTHERS * (float(np.nanmax(np.abs(mean[~late]))) - _BY_CHANCE * of_mean)
    limit = max(least, by_chance, of_others)
    return bool((mean[late] > limit).all() and (np.median(away[late], axis=1) > _HALF * limit).all())


def _steps_of(
    every: Float64Array, late: BoolArray, stages: Sequence[Int64Array], whole: BoolArray, notable: Float64Array
) -> BoolArray:
    """[rank, step]. How far one is off by chance the others tell: who is slow in some steps varies by that. `notable`: of each
    step what counts at all.
    """
    away = _from_others(every, late, stages)
    mean, spread = away[:, whole].mean(axis=1)[:, None], _spread_of(away[~late][:, whole])
    least = np.minimum(np.minimum(_HALF * mean, mean - _BY_CHANCE * spread), np.maximum(notable, SPREADS * spread))
    is_late: BoolArray = late[:, None] & (away > least)
    return is_late


def _from_others(part: Float64Array, late: BoolArray, stages: Sequence[Int64Array]) -> Float64Array:
    """NaN in stages of which none is late."""
    away = np.full(part.shape, np.nan)
    for stage in (each for each in stages if late[each].any()):
        away[stage] = part[stage] - median(part[stage[~late[stage]]])
    return away


def _spread_of(away: Float64Array) -> float:
    """Of one value, about the mean of its rank."""
    told = away[np.isfinite(away).all(axis=1)]
    n_free = int((len(told) - 1) * (told.shape[1] - 1))
    left = told - told.mean(axis=1, keepdims=True)
    return sqrt(float((left**2).sum()) / n_free) * (1.0 + _FEW / n_free)
