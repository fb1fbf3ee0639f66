"""Who of two to four ranks needs more in the mean of all steps than chance explains, by Student's t.

    rank 0    40.9   41.2   40.1   40.8   41.5   40.6
    rank 1    42.7   43.4   41.8   42.8   43.7   42.6    2.0 more in the mean, of which chance explains 0.6

A mean of many steps differs less by chance than any of them. How much is told by what is left of ranks and steps without what
each rank has in all steps and all ranks have in each; so whoever is late hides nobody, himself neither. Ranks of a healthy job
may differ a little in all steps: what counts is 3 % of the step, and of three or four ranks who is far from all others.
"""

from __future__ import annotations

from math import atan, cos, pi, sin, sqrt
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.job.late.limits import ENOUGH_RANKS, unit_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array

_OF_STEP: Final = 0.03
_SOME_STEPS: Final = 3
_HALF: Final = 0.5
_BY_CHANCE: Final = 0.0025
"""In so many of healthy jobs one is late, at most. Of who takes 10 % more in three steps 64 % are told, with 0.001 here 57 %;
with 0.005 70 %, but then of two ranks that are 10 % apart in 12 steps 3 % of the healthy are blamed."""


def in_the_mean(work: Float64Array, stages: Sequence[Int64Array], length: Float64Array) -> BoolArray:
    """[rank, step]: who is, in the steps in which it has half as much. `stages`: ranks that are peers."""
    late, whole = np.zeros(work.shape, np.bool_), np.isfinite(work).all(axis=0)
    n_steps, several = int(whole.sum()), [stage for stage in stages if len(stage) > 1]
    if len(work) >= ENOUGH_RANKS or n_steps < _SOME_STEPS or not several:
        return late
    unit = unit_of(work)
    part = np.where(whole, work / unit, np.nan)
    n_free = sum((len(stage) - 1) * (n_steps - 1) for stage in several)
    spread = sqrt(sum(float(np.nansum(_left(part[stage][:, whole]) ** 2)) for stage in several) / n_free)
    least = _OF_STEP * float((length / unit)[whole].mean())
    for stage in several:
        n_others = len(stage) - 1
        of_mean = spread * sqrt((1 + 1 / n_others) / n_steps)
        for rank in stage.tolist():
            others = part[stage[stage != rank]]
            more = part[rank] - others.mean(axis=0)
            mean, apart = float(more[whole].mean()), float(np.ptp(others[:, whole].mean(axis=1)))
            is_far = mean > least and apart < _HALF * mean
            if is_far and (of_mean == 0 or is_no_chance(mean / of_mean, n_free, _BY_CHANCE / len(work))):
                late[rank] = whole & (more > _HALF * mean)
    return late


def _left(part: Float64Array) -> Float64Array:
    """Without what each has in the mean, and each step."""
    left: Float64Array = part - part.mean(axis=0) - part.mean(axis=1)[:, None] + part.mean()
    return left


def is_no_chance(t: float, n_free: int, chance: float) -> bool:
    """Whether Student's t is that large at most so often."""
    at = atan(t / sqrt(n_free))
    term, total = (cos(at), cos(at)) if n_free % 2 else (1.0, 1.0)
    for n in range(2 + n_free % 2, n_free, 2):  # up to n_free - 2
        term *= cos(at) ** 2 * (n - 1) / n
        total += term
    series = sin(at) * total if n_free > 1 else 0.0
    within = 2 / pi * (at + series) if n_free % 2 else series
    return (1 - within) / 2 <= chance
