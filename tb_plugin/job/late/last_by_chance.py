"""Whether a rank is waited for more than chance explains: ranks that differ a little from step to step come last by turns.

step      10    11    12
rank 0    0.1   1.3   0.0     what each makes the others wait
rank 1    1.1   0.0   0.9     1.0 more than rank 0 in the first, then 1.3 less, then 0.9 more: by turns
rank 2    0.0   8.9   0.0     no chance: in a step many times as long as anybody in any other
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.job.late.in_the_mean import is_no_chance

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array

_TIMES: Final = 4.0
_FEW: Final = 4.0
"""Far is so many times as long as n others, each (1 + this / n) times."""

_A_THIRD: Final = 1 / 3
_OF_STEP: Final = 0.03
_SOME_STEPS: Final = 3
_BY_CHANCE: Final = 0.01
"""In so many of healthy jobs one is named."""


def far_step(caused: Float64Array, length: Float64Array) -> tuple[int, int] | None:
    """(rank, column) of the one step in which somebody is waited for 3 % of it and far longer than anybody in any other step: who
    waits in it comes late to others in turn. `caused`: [rank, step].
    """
    rank, column = np.unravel_index(int(np.argmax(caused)), caused.shape)
    others = np.delete(caused, column, axis=1).ravel()
    return (int(rank), int(column)) if _is_far(float(caused[rank, column]), others, float(length[column])) else None


def stands_still_in(idle: Float64Array, wait: Float64Array, length: Float64Array) -> tuple[int, int] | None:
    """(rank, column) where a device idles so much longer than any other does and itself in any other step, while the others wait
    longer than else by a third of that. `idle`, what each has more than its peers, and `wait`: [rank, step].
    """
    idle = np.nan_to_num(idle)
    rank, column = np.unravel_index(int(np.argmax(idle)), idle.shape)
    most = float(idle[rank, column])
    if not _is_far(most, np.delete(idle.ravel(), rank * idle.shape[1] + column), float(length[column])) or idle.shape[1] == 1:
        return None
    theirs = np.delete(wait, rank, axis=0)
    longer = np.median(theirs[:, column]) - np.median(np.delete(theirs, column, axis=1))
    return (int(rank), int(column)) if longer >= _A_THIRD * most else None


def _is_far(most: float, others: Float64Array, length: float) -> bool:
    """The fewer they are the farther it has to be."""
    return len(others) > 0 and most > max(_OF_STEP * length, _TIMES * (1 + _FEW / len(others)) * float(np.max(others)))


def is_last_by_chance(caused: Float64Array, length: Float64Array, rank: int) -> bool:
    """Neither far from all in other steps, nor by Student's t in the mean of what it is waited for beyond any other."""
    far = far_step(caused, length)
    if far is not None and far[0] == rank:
        return False
    beyond = caused[rank] - np.delete(caused, rank, axis=0).max(axis=0, initial=0.0)
    beyond = beyond[np.isfinite(beyond)]
    if len(beyond) < _SOME_STEPS or beyond.mean() <= 0:
        return True
    spread = float(beyond.std(ddof=1)) / sqrt(len(beyond))
    return spread > 0 and not is_no_chance(float(beyond.mean()) / spread, len(beyond) - 1, _BY_CHANCE / len(caused))
