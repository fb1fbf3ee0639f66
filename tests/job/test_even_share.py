"""What of its computation each rank keeps where stages compute equally long, against plain Python."""

from __future__ import annotations

from statistics import mean, median

import numpy as np
import pytest

from tb_plugin.job.own.own_time import ALSO, PARTS, OwnTime
from tb_plugin.job.what_if.even_share import Faults, even_share

STAGE = np.array([0, 0, 1, 1, 2, 2])
COMPUTED = [[10.0, 11.0], [10.0, 30.0], [14.0, 14.0], [14.0, 14.0], [24.0, 25.0], [26.0, 25.0]]


def own(computed: list[list[float]]) -> OwnTime:
    of = np.array(computed)
    parts = {name: of if name == "computation" else np.zeros(of.shape) for name in (*PARTS, *ALSO)}
    return OwnTime(number=np.arange(of.shape[1]), step=of, wait=of * 0, untold=of * 0, own=of, parts=parts)


def plain(late: set[tuple[int, int]], slow: set[int]) -> list[float]:
    """`late`: (rank, step); `slow`: stages that are blamed for their kernels."""
    usual: list[float] = []
    due: list[float | None] = []
    for stage in range(3):
        cells = [(rank, step) for rank in range(6) if STAGE[rank] == stage for step in range(2)]
        on_time = [cell for cell in cells if cell not in late]
        usual.append(median(COMPUTED[rank][step] for rank, step in on_time or cells))
        if stage in slow and not on_time:
            due.append(None)
        else:
            due.append(usual[-1])
    others = [each for each in due if each is not None]
    wanted = mean(median(others) if each is None and others else usual[at] for at, each in enumerate(due))
    return [wanted / usual[stage] for stage in STAGE.tolist()]


@pytest.mark.parametrize(
    ("late", "slow"),
    [
        (set(), set()),
        ({(1, 1)}, set()),
        ({(4, 0), (4, 1), (5, 0), (5, 1)}, {2}),
        ({(4, 0), (4, 1), (5, 0)}, {2}),  # one was on time once: that is its measure, and nothing is the others'
        ({(rank, step) for rank in range(6) for step in range(2)}, {0, 1, 2}),
    ],
)
def test_each_keeps_the_mean_of_what_is_due_of_what_its_stage_needs(late: set[tuple[int, int]], slow: set[int]) -> None:
    is_late = np.zeros((6, 2), np.bool_)
    for at in late:
        is_late[at] = True
    found = even_share(own(COMPUTED), STAGE, Faults(is_late, np.isin(STAGE, list(slow))))
    assert found.tolist() == pytest.approx(plain(late, slow))


def test_of_nobody_at_fault_all_are_the_measure() -> None:
    assert even_share(own(COMPUTED), STAGE).tolist() == pytest.approx(plain(set(), set()))


@pytest.mark.parametrize("stage", [np.array([0, 0, 1, 1, -1, -1]), np.full(6, -1)])
def test_where_a_stage_is_not_known_nobody_gives_anything_away(stage: np.ndarray) -> None:
    assert even_share(own(COMPUTED), stage).tolist() == [1.0] * 6


@pytest.mark.parametrize("value", [0.0, float("nan")])
def test_what_computes_nothing_or_nothing_known_is_no_measure(value: float) -> None:
    assert even_share(own([*COMPUTED[:4], [value] * 2, [value] * 2]), STAGE).tolist() == [1.0] * 6
