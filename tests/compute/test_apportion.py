from __future__ import annotations

import numpy as np

from tb_plugin.compute.apportion import apportioned


def test_parts_sum_to_the_total_and_are_less_than_one_off() -> None:
    drawn = np.random.default_rng(2)
    for _ in range(50):
        parts = drawn.random((drawn.integers(1, 9), 4)) * 100
        totals = np.round(parts.sum(axis=0)).astype(np.int64)
        found = apportioned(parts, totals)
        assert found.sum(axis=0).tolist() == totals.tolist()
        assert (np.abs(found - parts) < 1).all()


def test_the_largest_remainders_are_rounded_up_and_of_equal_ones_the_first() -> None:
    assert apportioned(np.array([[1.2], [1.7], [1.1]]), np.array([4])).tolist() == [[1], [2], [1]]
    assert apportioned(np.array([[0.5], [0.5]]), np.array([1])).tolist() == [[1], [0]]


def test_noise_of_floats_decides_nothing() -> None:
    assert apportioned(np.array([[2.9999999], [1.0000001]]), np.array([4])).tolist() == [[3], [1]]
