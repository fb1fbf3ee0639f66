"""How long the stages of a pipeline are beside each other, told by what both sides have: those of a replica, and the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.base.units import NONE
from tb_plugin.job.late.stage_level import StageLevels, Stages

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array, Int64Array

STAGE = np.repeat(np.arange(3), 4)
REPLICA, TWO_OF_FOUR = (np.flatnonzero(np.arange(12) % 4 % n == 1) for n in (4, 2))
LAYERS = np.repeat([2.0, 3.0, 4.0], 4)


def level(work: Float64Array, members: Int64Array, stage: Int64Array = STAGE) -> Float64Array:
    return StageLevels(work, Stages(stage)).of(members)


@pytest.mark.parametrize(
    ("members", "stage", "is_it"),
    [
        (REPLICA, STAGE, True),
        (TWO_OF_FOUR, STAGE, True),
        (np.arange(4), STAGE, False),
        (np.arange(6), STAGE, False),
        (REPLICA[:2], STAGE, False),
        (REPLICA, np.zeros(12, np.int64), False),
        (REPLICA, np.full(12, NONE), False),
        (np.arange(12), STAGE, False),
    ],
)
def test_a_unit_is_across_stages_where_it_has_as_many_of_each(members: Int64Array, stage: Int64Array, *, is_it: bool) -> None:
    assert Stages(stage).are_across(members) is is_it


def test_a_level_is_how_much_of_the_mean_a_stage_has_to_do() -> None:
    work = np.repeat(1e6 * LAYERS[:, None], 3, axis=1)
    assert level(work, REPLICA) == pytest.approx(LAYERS / 3)
    assert level(work, np.arange(4)) == pytest.approx(1.0)


@pytest.mark.parametrize("members", [REPLICA, TWO_OF_FOUR])
@pytest.mark.parametrize("slow", [list(REPLICA), [0], [9], [1, 5, 9, 0]])
def test_who_is_slow_on_one_side_changes_no_level(members: Int64Array, slow: list[int]) -> None:
    work = np.repeat(1e6 * LAYERS[:, None], 3, axis=1)
    work[slow] *= 1.3
    work[0, 1] = np.nan
    assert level(work, members) == pytest.approx(LAYERS / 3)


def test_a_slow_rank_of_even_stages_makes_none_of_them_longer() -> None:
    work = np.full((4, 3), 1e6)
    work[2] *= 1.3
    assert level(work, np.array([1, 3]), np.array([0, 0, 1, 1])) == pytest.approx(1.0)


def test_where_a_side_of_a_stage_is_not_known_there_is_no_level() -> None:
    work = np.repeat(1e6 * LAYERS[:, None], 3, axis=1)
    work[[1, 3]] = np.nan
    assert level(work, TWO_OF_FOUR) == pytest.approx(1.0)
