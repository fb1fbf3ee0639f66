"""Changes of a series: exact chances against every order; how often one is seen where there is one, and where there is none."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from tb_plugin.compute import change_points as module
from tb_plugin.compute.change_points import LEAST, P, chance, change_points, splits, stretches


def drawn(
    seed: int, n: int, noise: float, *, after: int = 0, shift: float = 0.0, outliers: tuple[float, float] = (1.1, 1.4)
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Noise around 1, one value in 20 too high by a factor between these; the last `after` values higher by `shift`."""
    random = np.random.default_rng(seed)
    values = 1 + noise * random.standard_normal(n)
    values *= np.where(random.random(n) < 0.05, outliers[0] + (outliers[1] - outliers[0]) * random.random(n), 1.0)
    values[n - after :] *= 1 + shift
    return values


def test_a_drawn_change_is_found_where_it_is() -> None:
    values = np.array([180, 182, 179, 181, 180, 127, 126, 129, 125, 128.0])
    assert change_points(values, least_share=0.02) == [5]
    assert change_points(values[::-1], least_share=0.02) == [5]
    assert change_points(np.concatenate((values, values + 200)), least_share=0.02) == [5, 10, 15]


def test_a_change_that_is_too_small_few_values_and_equal_ones_are_none() -> None:
    values = np.array([100, 100.1, 100.2, 99.9, 100, 101, 101.1, 101.2, 100.9, 101.3])
    assert change_points(values, least_share=0.02) == []
    assert change_points(values, least_share=0.005) == [5]
    assert change_points(values, least_share=0.005, least=2) == []
    assert change_points(np.array([1, 1, 1, 2, 2, 2, 2.0]), least_share=0.02) == []  # 3 and 4
    assert change_points(np.ones(30), least_share=0.02) == []
    assert change_points(np.array([]), least_share=0.02) == []


def standardised(n: int, length: int, rank_sum: float) -> float:
    return abs(rank_sum - length * (n + 1) / 2) / math.sqrt(length * (n - length) * (n + 1) / 12)


def test_the_chance_is_at_least_that_of_every_order_of_the_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LEAST", 2)
    n = 7
    sums = [[0, *itertools.accumulate(order)] for order in itertools.permutations(range(1, n + 1))]
    best_split = [max(standardised(n, k, of[k]) for k in range(2, n - 1)) for of in sums]
    best_stretch = [
        max(standardised(n, length, of[i + length] - of[i]) for length in (2, 3) for i in range(2, n - 2 - length + 1))
        for of in sums
    ]
    for statistic in (0.5, 1.0, 1.5, 1.9, 2.1):
        for tried, best in ((splits(n), best_split), (stretches(n), best_stretch)):
            exact = sum(one >= statistic - 1e-9 for one in best) / len(best)
            assert exact <= chance(tried, statistic) + 1e-12


def test_the_chance_is_the_sum_of_the_chances_of_each() -> None:
    n = 10  # splits before 4, 5 and 6; a stretch of 4 is not possible

    def far(length: int) -> float:
        chosen = list(itertools.combinations(range(1, n + 1), length))
        return sum(standardised(n, length, sum(ranks)) >= 1.9 - 1e-9 for ranks in chosen) / len(chosen)

    assert chance(splits(n), 1.9) == pytest.approx(far(4) + far(5) + far(6))
    assert stretches(n).length.tolist() == []
    assert stretches(13).length.tolist() == [4, 5]
    assert stretches(13).n_of_it.tolist() == [2, 1]


def test_beyond_the_exact_chances_the_normal_ones_follow_on() -> None:
    exact, normal = chance(splits(64), 3.5), chance(splits(65), 3.5)
    assert exact <= normal <= 2 * exact


@pytest.mark.parametrize("noise", [0.01, 0.02, 0.05])
def test_without_a_change_one_series_in_a_hundred_has_one_at_most(noise: float) -> None:
    false = sum(bool(change_points(drawn(seed, 30, noise), least_share=0.02)) for seed in range(1000))
    assert false <= 1000 * P


@pytest.mark.parametrize("outliers", [(1.1, 1.4), (1.0, 1.5)])
def test_ten_percent_in_two_percent_of_noise_are_seen_eight_values_later(outliers: tuple[float, float]) -> None:
    """Also where each outlier is as large as the change."""
    series = [drawn(seed, 28, 0.02, after=8, shift=0.1, outliers=outliers) for seed in range(400)]
    found = [change_points(values, least_share=0.02) for values in series]
    near = sum(any(abs(place - 20) <= 1 for place in places) for places in found)
    assert near >= 0.9 * 400


def test_an_outlier_beside_a_change_does_not_move_it() -> None:
    flat = 100 + np.arange(20) * 7 % 5 / 2
    values = np.concatenate((flat, flat[:8] + 10))
    for beside in (18, 19):
        values[beside] = 125
    assert change_points(values, least_share=0.02) == [20]


def test_a_level_that_came_and_went_is_two_changes() -> None:
    values = (100 + np.arange(48) * 7 % 5) * np.repeat([1, 1.2, 1], [20, 8, 20])
    assert change_points(values, least_share=0.02) == [20, 28]


def test_changes_keep_their_distance() -> None:
    values = np.concatenate([drawn(seed, 6, 0.001) * (1 + seed) for seed in range(6)])
    places = change_points(values, least_share=0.02)
    assert all(b - a >= LEAST for a, b in itertools.pairwise([0, *places, len(values)]))
    assert places == [6, 12, 18, 24, 30]
