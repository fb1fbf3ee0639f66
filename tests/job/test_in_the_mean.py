"""Of two to four ranks who is late by little in every step is named by the mean of all of them, and no healthy one is."""

from __future__ import annotations

import numpy as np
import pytest

from tb_plugin.job.late.in_the_mean import in_the_mean, is_no_chance
from tests.job.few_files import MS, found_in


@pytest.mark.parametrize(("n_free", "t"), [(1, 636.62), (2, 31.599), (3, 12.924), (5, 6.869), (9, 4.781), (10, 4.587)])
def test_students_t_is_as_in_tables(n_free: int, t: float) -> None:
    assert not is_no_chance(0.999 * t, n_free, 0.0005)
    assert is_no_chance(1.001 * t, n_free, 0.0005)


@pytest.mark.parametrize(("n_ranks", "noise", "times"), [(2, 0.01, 1.06), (2, 0.02, 1.1), (3, 0.02, 1.08), (4, 0.02, 1.07)])
def test_one_that_is_slow_by_little_in_all_steps_is_named(n_ranks: int, noise: float, times: float) -> None:
    n_named = 0
    for seed in range(50):
        work = 40 * MS * (1 + np.random.default_rng(seed).normal(0, noise, (n_ranks, 6)))
        work[seed % n_ranks] *= times
        found = found_in(work)
        assert {one.number for one in found} <= {seed % n_ranks}
        n_named += bool(found)
    assert n_named >= 35


@pytest.mark.parametrize("n_steps", [3, 4, 6, 10])
@pytest.mark.parametrize("n_ranks", [2, 3, 4])
def test_of_two_hundred_healthy_jobs_at_most_one_is_late_in_the_mean(n_ranks: int, n_steps: int) -> None:
    """Ranks and steps by themselves, steps of all ranks, and each rank a little in all steps."""
    n_late = 0
    for seed in range(200):
        chance = np.random.default_rng(seed)
        noise = (0.005, 0.01, 0.02)[seed % 3]
        work = 40 * MS * (1 + chance.normal(0, noise, (n_ranks, n_steps))) * (1 + chance.normal(0, noise, n_steps))
        work *= 1 + chance.normal(0, 0.004 * (seed % 2), (n_ranks, 1))
        n_late += bool(in_the_mean(work, [np.arange(n_ranks)], 1.5 * work.mean(axis=0)).any())
    assert n_late <= 1


def test_who_stands_still_in_one_step_is_not_late_in_all_of_them() -> None:
    work = 40 * MS * (1 + np.random.default_rng(1).normal(0, 0.01, (2, 6)))
    work[0, 3] += 30 * MS
    assert not in_the_mean(work, [np.arange(2)], 1.5 * work.mean(axis=0)).any()
