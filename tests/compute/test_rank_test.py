from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest

from tb_plugin.compute.rank_test import benjamini_hochberg, holm, least_p, p_value, shift_between


def naive_p(a: list[int], b: list[int]) -> float:
    """Every split of the values, its sum of mid-ranks against that of this one."""
    values = a + b
    ranks = [sum(other < value for other in values) + (values.count(value) + 1) / 2 for value in values]
    middle = len(a) * (len(values) + 1) / 2
    mine = abs(sum(ranks[: len(a)]) - middle)
    splits = [abs(sum(ranks[i] for i in chosen) - middle) for chosen in itertools.combinations(range(len(values)), len(a))]
    return sum(off >= mine - 1e-9 for off in splits) / len(splits)


def naive_confidence(n_a: int, n_b: int, k: int) -> float:
    """Of all splits without equal values: those whose k-th difference is on the right side, on both ends."""
    us = [
        sum(x > y for x in chosen for y in set(range(n_a + n_b)) - set(chosen))
        for chosen in itertools.combinations(range(n_a + n_b), n_a)
    ]
    return 1 - 2 * sum(u <= k - 1 for u in us) / len(us)


def test_p_is_that_of_all_splits_also_with_equal_values() -> None:
    drawn = random.Random(7)
    for _ in range(60):
        a = [drawn.randrange(8) for _ in range(drawn.randrange(1, 6))]
        b = [drawn.randrange(8) for _ in range(drawn.randrange(1, 6))]
        assert p_value(np.array(a), np.array(b)) == pytest.approx(naive_p(a, b), abs=1e-12), (a, b)


def test_the_smallest_p_of_few_values() -> None:
    assert [round(least_p(n, n), 4) for n in (1, 2, 3, 4, 5, 6)] == [1.0, 0.3333, 0.1, 0.0286, 0.0079, 0.0022]
    assert least_p(1, 9) == pytest.approx(2 / 10)
    a, b = np.arange(6), np.arange(6) + 10
    assert p_value(a, b) == pytest.approx(least_p(6, 6))


def test_the_interval_has_the_confidence_that_it_says() -> None:
    a = np.array([0, 7, 9, 14, 20, 31])
    b = a + 100
    found = shift_between(a, b)
    differences = sorted(int(y - x) for x in a for y in b)
    assert (found.low, found.high) == (differences[5], differences[-6])
    assert found.confidence == pytest.approx(naive_confidence(6, 6, 6))
    assert round(found.confidence, 3) == 0.959
    assert found.shift == float(np.median(differences))


@pytest.mark.parametrize(("n", "confidence"), [(1, 0.0), (2, 1 - 2 / 6), (3, 0.9)])
def test_too_few_values_give_the_whole_range(n: int, confidence: float) -> None:
    found = shift_between(np.arange(n) * 3, np.arange(n) * 3 + 5)
    assert (found.low, found.high) == (5 - 3 * (n - 1), 5 + 3 * (n - 1))
    assert found.confidence == pytest.approx(confidence)


def test_the_other_way_round_the_sign_turns() -> None:
    drawn = random.Random(3)
    for _ in range(30):
        a, b = (np.array([drawn.randrange(50) for _ in range(drawn.randrange(1, 9))]) for _ in range(2))
        there, back = shift_between(a, b), shift_between(b, a)
        assert (back.shift, back.low, back.high) == (-there.shift, -there.high, -there.low)
        assert (back.p, back.confidence) == (there.p, there.confidence)


def test_what_is_equal_does_not_differ() -> None:
    assert shift_between(np.full(6, 4), np.full(6, 4))[:3] == (0, 0, 0)
    assert p_value(np.full(6, 4), np.full(6, 4)) == 1.0
    assert p_value(np.full(600, 4), np.full(600, 4)) == 1.0


def test_many_values_are_approximated_and_few_counted_alike() -> None:
    drawn = np.random.default_rng(5)
    a, b = drawn.integers(0, 1000, 9), drawn.integers(200, 1200, 9)
    counted = p_value(a, b)
    many_a, many_b = np.repeat(a, 1), np.repeat(b, 1)
    n, ranks = 18, sorted([*many_a.tolist(), *many_b.tolist()])
    w = sum(ranks.index(value) + 1 for value in many_a.tolist())
    z = (abs(w - 9 * 19 / 2) - 0.5) / math.sqrt(9 * 9 * (n + 1) / 12)
    assert counted == pytest.approx(math.erfc(z / math.sqrt(2)), abs=0.01)
    assert p_value(drawn.integers(0, 99, 100), drawn.integers(90, 189, 100)) < 1e-6


def test_families_of_tests() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert benjamini_hochberg([0.01, 0.04, 0.03, 0.5]) == pytest.approx([0.04, 0.16 / 3, 0.16 / 3, 0.5])
    assert holm([]) == benjamini_hochberg([]) == []
