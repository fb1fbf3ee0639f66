"""Whether what a rank has more than its peers in some of its steps is more than chance explains, for as many as were looked at.

    8 ranks, 6 steps, 1 % apart     of 48 values one is 2.2 % more by chance; of 8 x 15 pairs of steps one is 1.8 % in both

So many ways there are to choose a rank and as many of its steps, and in one of `_OF_ONE` such jobs at most one is late by chance.
How far they are apart by chance those tell that are not late. Of fewer than five ranks they tell too little: what one has more
in every step is most of what they are apart by.
"""

from __future__ import annotations

from math import comb, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.job.late.limits import spread_of, unit_of
from tb_plugin.job.late.peers import from_peers

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Float64Array
    from tb_plugin.job.own.layout import JobLayout

_OF_ONE: Final = 10_000
"""Of 414 healthy jobs (5 to 16 ranks, 2 to 6 steps, kernels 6 to 20 % apart) in two somebody is blamed, without this in seven.
With Student's t, for those who tell may be few, in one; but then two thirds are missed of who takes 20 % more than
four peers in a single step."""

_FAR: Final = 5.0
"""Spreads: what is farther off than this is none of the chance that the others are apart by."""

_LEAST: Final = 1e-300
"""What floating point holds: of a thousand steps there are more choices than it can count."""


def but_chance(work: Float64Array, place: JobLayout, is_late: BoolArray) -> BoolArray:
    """[rank, step]: who of them is late by no chance; who is late by chance is as usual as the others."""
    unit = unit_of(work)
    while is_late.any():
        usual, away = from_peers(np.where(is_late, np.nan, work), place), from_peers(work, place, is_late)
        kept = is_late & _beyond_chance(usual / unit, away / unit, is_late)[:, None]
        if (kept == is_late).all():
            break
        is_late = kept
    return is_late


def _beyond_chance(usual: Float64Array, away: Float64Array, is_late: BoolArray) -> BoolArray:
    """[rank]: whether what it is late by is more than chance. `usual`, `away`: [rank, step], what those that are not late and all
    are away from their peers.
    """
    spread = _spread_of_one(usual)
    beyond: BoolArray = is_late.sum(axis=1) > 0
    for rank in np.flatnonzero(beyond).tolist():
        late = is_late[rank]
        n_looked_at = len(away) * comb(int(np.isfinite(away[rank]).sum()), int(late.sum()))
        beyond[rank] = float(away[rank, late].mean()) > spread * farthest(n_looked_at) / sqrt(late.sum())
    return beyond


def _spread_of_one(usual: Float64Array) -> float:
    """Of a value of those that are not late, which in each step are apart from a middle of their own; 0 where none tells."""
    n_free = int(np.maximum(np.isfinite(usual).sum(axis=0) - 1, 0).sum())
    usual = usual[np.isfinite(usual)]
    is_far = np.abs(usual) > _FAR * spread_of(usual)
    n_free -= int(is_far.sum())
    return float(np.sqrt((usual[~is_far] ** 2).sum() / n_free)) if n_free > 0 else 0.0


def farthest(n_looked_at: int) -> float:
    """Spreads that one of so many is off by chance, but in one of so many jobs."""
    return -NormalDist().inv_cdf(max(1 / (_OF_ONE * n_looked_at), _LEAST))
