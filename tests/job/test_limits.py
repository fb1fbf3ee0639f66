"""From where on somebody is late."""

from __future__ import annotations

import numpy as np
import pytest

from tb_plugin.job.late.limits import LateLimit, limit_of, may_be_late


@pytest.mark.parametrize("seed", range(40))
def test_who_is_not_looked_at_is_not_late(seed: int) -> None:
    """Whatever the noise, for ranks and steps that are alike or not."""
    rng = np.random.default_rng(seed)
    n_late = 0
    for _ in range(100):
        n_ranks, n_steps = int(rng.integers(3, 12)), int(rng.integers(1, 6))
        work, length = rng.gamma(4, 1e6, (n_ranks, n_steps)), rng.gamma(40, 1e6, n_steps)
        excess = rng.normal(rng.uniform(-0.03, 0.06) * length.mean(), rng.uniform(0, 0.03) * length.mean(), n_steps)
        excess[rng.random(n_steps) < 0.1] = np.nan
        spread = rng.choice([0.01, 1.0])
        limit = limit_of(work, spread * (work - np.median(work, axis=0)), length, 1)
        is_late = bool(limit.late(excess).any())
        n_late += is_late
        assert not is_late or may_be_late(excess, length)
    assert n_late > 0


@pytest.mark.parametrize(
    ("excess", "unit", "late"),
    [
        ([1.71, 1.70, 1.75], [1.0, 1.0, 1.0], [True, True, True]),  # two miss it by a hair
        ([1.71, 1.20, 1.75], [1.0, 1.0, 1.0], [True, False, True]),
        (
            [37.0, 65.0, 62.0, 54.0],
            [2.2, 0.47, 0.56, 0.78],
            [True, True, True, True],
        ),  # asleep for as long in a step that all need long
        ([0.5, 65.0, 62.0, 54.0], [1.0, 1.0, 1.0, 1.0], [False, True, True, True]),
        ([0.1, 0.1, 65.0, 0.1], [1.0, 1.0, 1.0, 1.0], [False, False, True, False]),
    ],
)
def test_who_is_late_in_some_steps_is_late_in_those_that_are_like_them(
    excess: list[float], unit: list[float], late: list[bool]
) -> None:
    limit = LateLimit(np.full(len(excess), 1.736), 25.0 if len(excess) > 3 else 0.3, unit=np.array(unit))
    assert limit.late(np.array(excess)).tolist() == late


def test_a_group_of_few_is_close_to_its_own_median_by_chance() -> None:
    """Six ranks, two steps: the last two are 2.7 % later than the others in one, and 1.2 % earlier in the other."""
    work = np.array([[9.03, 8.97], [8.97, 9.03], [9.04, 8.95], [8.96, 9.05], [8.86, 9.24], [8.93, 9.30]]) * 1e6
    sides = (np.arange(4), np.array([4, 5]))
    away = np.concatenate([work[side] - np.median(work[side], axis=0) for side in sides])
    excess = work[4:].min(axis=0) - np.median(work[:4], axis=0)
    length = np.full(2, 9e6)
    assert limit_of(work, away, length, 2).late(excess).tolist() == [False, True]
    assert not limit_of(work, away, length, 2, with_itself=True).late(excess).any()
    assert limit_of(work, away, length, 2, with_itself=True).late(excess + 1e6).all()
