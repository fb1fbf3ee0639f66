from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.compute.histogram import log_histogram


@given(st.lists(st.integers(0, 10**13), min_size=1, max_size=50))
def test_every_value_is_in_one_bin_of_a_bounded_number(values: list[int]) -> None:
    found = log_histogram(np.array(values, np.int64))
    edges = found.edges.tolist()
    assert edges == sorted(set(edges))
    assert len(edges) - 1 == len(found.counts) <= 30
    for low, high, count, total in zip(edges[:-1], edges[1:], found.counts.tolist(), found.totals.tolist(), strict=True):
        inside = [value for value in values if low <= value < high]
        assert (count, total) == (len(inside), sum(inside))
    assert found.counts.sum() == len(values)
    assert found.counts[0] > 0
    assert found.counts[-1] > 0


def test_edges_are_round_numbers_at_about_equal_factors() -> None:
    assert log_histogram(np.array([150, 90_000])).edges.tolist()[:6] == [125, 160, 200, 250, 320, 400]
    assert log_histogram(np.array([1, 10**9])).edges.tolist()[:5] == [1, 2, 5, 10, 20]


def test_no_values_have_no_bins_and_negative_ones_are_refused() -> None:
    assert len(log_histogram(np.empty(0, np.int64)).counts) == 0
    with pytest.raises(ValueError, match="negative"):
        log_histogram(np.array([3, -1]))
