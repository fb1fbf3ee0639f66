"""What ranks of a replica, or of a host that has as many of each stage of a pipeline, need more than others where stages have
more or less to do than each other.

    stage           0     1     2    level
    replica 0      30    45    30    0.86, 1.29, 0.86: how much of a stage's mean each is
    replica 1      36    54    36    6, 9 and 6 more than is usual in their stages: 20 % on each

Ranks outside tell what is usual together, each at the level of the stage that is asked about. A rank that is slow makes its side
of its stage longer, the level is what both sides have; beside many others few change no median of all.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import distinct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array

_FEW: Final = 4
"""Of so many times as many."""


class Stages:
    """`stage`: of each rank. Asked about hundreds of units of thousands of ranks."""

    def __init__(self, stage: Int64Array) -> None:
        self._numbers = distinct(stage)
        self.place: Int64Array = np.searchsorted(self._numbers, stage)
        self.n_ranks = np.bincount(self.place)
        self._are_told = len(self._numbers) > 1 and not (stage == NONE).any()

    def are_across(self, members: Int64Array) -> bool:
        """Whether they are as many of each stage, and not all of it."""
        if not self._are_told or len(members) % len(self.n_ranks):
            return False
        its = np.bincount(self.place[members], minlength=len(self.n_ranks))
        return bool((its == its[0]).all() and (its < self.n_ranks).all())


class StageLevels:
    """Of each rank how long its stage is, of the mean of all stages, for each unit that is asked about. `work`: [rank, step]."""

    def __init__(self, work: Float64Array, stages: Stages) -> None:
        self._work, self._stages = work, stages
        self.even: Float64Array = np.ones(len(work))

    @cached_property
    def of_all(self) -> Float64Array:
        """For units of few of many ranks."""
        return self._common([np.ones(len(self._work), np.bool_)])

    def of(self, members: Int64Array) -> Float64Array:
        """1 where they are not across stages."""
        if not self._stages.are_across(members):
            return self.even
        if _FEW * len(members) <= len(self._work):
            return self.of_all
        is_member = np.isin(np.arange(len(self._work)), members)
        return self._common([is_member, ~is_member])

    def _common(self, sides: Sequence[BoolArray]) -> Float64Array:
        place = self._stages.place
        stages = range(len(self._stages.n_ranks))
        usual = np.array([[_usual(self._work[(place == one) & side]) for one in stages] for side in sides])
        if not (np.isfinite(usual).all() and (usual > 0).all()):
            return self.even
        both = (usual / usual.min(axis=1)[:, None]).min(axis=0)
        level: Float64Array = (both / both.mean())[place]
        return level


def _usual(work: Float64Array) -> float:
    known = work[np.isfinite(work)]
    return float(np.median(known)) if len(known) else float("nan")
