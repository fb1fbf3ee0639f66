"""Who is slow in most steps, but not in all, is late in those, and in no other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.few_files import MS, found_in
from tests.job.recorded import member
from tests.simulated_files import SimulatedJob

if TYPE_CHECKING:
    from pathlib import Path

_SEEDS = range(10)


def late_steps(n_ranks: int, n_steps: int, slow: tuple[int, ...], noise: float, seed: int) -> dict[int, tuple[int, ...]]:
    """Of each that is named, where the first takes 30 % more in these steps, another 20 % more in all where many."""
    chance = np.random.default_rng(seed)
    work = 20 * MS * (1 + chance.normal(0, noise, (n_ranks, n_steps))) * chance.uniform(0.9, 1.1, n_steps)
    work[0, list(slow)] *= 1.3
    if n_ranks > 8:
        work[1] *= 1.2
    return {one.number: one.late_steps for one in found_in(work)}


@pytest.mark.parametrize("noise", [0.005, 0.01])
@pytest.mark.parametrize(("n_steps", "slow"), [(3, (0, 2)), (4, (0, 1, 3)), (6, (0, 1, 3, 5)), (9, (0, 1, 2, 4, 6, 7, 8))])
@pytest.mark.parametrize("n_ranks", [5, 8, 12])
def test_the_steps_named_are_those_in_which_it_is_slow(n_ranks: int, n_steps: int, slow: tuple[int, ...], noise: float) -> None:
    told = [late_steps(n_ranks, n_steps, slow, noise, seed) for seed in _SEEDS]
    assert [each[0] for each in told] == [slow] * len(told)
    if n_ranks > 8:
        assert [each[1] for each in told] == [tuple(range(n_steps))] * len(told)


@pytest.mark.parametrize("noise", [0.02, 0.04])
@pytest.mark.parametrize("n_steps", [3, 6])
def test_who_is_slow_in_all_of_steps_that_differ_by_chance_is_late_in_nearly_all(n_steps: int, noise: float) -> None:
    told = [late_steps(8, n_steps, tuple(range(n_steps)), noise, seed).get(0, ()) for seed in _SEEDS]
    named = [len(steps) for steps in told if steps]
    assert len(named) > 0.9 * len(told)
    assert np.mean(named) > 0.98 * n_steps


@pytest.mark.parametrize("seed", _SEEDS)
def test_who_is_slower_in_each_step_than_before_is_late_from_where_it_stands_out(seed: int) -> None:
    work = 20 * MS * (1 + np.random.default_rng(seed).normal(0, 0.005, (8, 6)))
    work[3] *= 1 + 0.08 * np.arange(6)
    (one,) = found_in(work)
    assert (one.number, one.late_steps) == (3, (1, 2, 3, 4, 5))


def test_of_a_gpu_that_is_slow_in_two_of_three_steps_these_are_told_with_their_length_and_gain(tmp_path: Path) -> None:
    made, usual = (SimulatedJob(data=8, n_steps=3, slow=slow, slow_steps=(10, 12), step_jitter=0.01) for slow in ({3: 1.3}, {}))
    usual.write(tmp_path / "usual")
    (one,) = join([member(path) for path in made.write(tmp_path / "slow")], RanksParams()).blamed
    assert (one.ranks, one.steps) == ([3], [10, 12])
    assert one.step_was_ns == pytest.approx(1000 * (made.step_us[0] + made.step_us[2]) / 2, rel=0.02)
    assert one.step_without_ns == pytest.approx(1000 * (usual.step_us[0] + usual.step_us[2]) / 2, rel=0.02)
