"""Times of several lanes on one axis."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.compute.side_by_side import in_lanes

LANES = st.lists(st.tuples(st.integers(0, 3), st.integers(-(1 << 61), 1 << 61) | st.integers(-9, 9)), max_size=9)


@given(LANES, LANES)
def test_numbers_are_in_order_of_lanes_and_then_of_times(one: list[tuple[int, int]], other: list[tuple[int, int]]) -> None:
    columns = [np.array(each, np.int64).reshape(-1, 2).T for each in (one, other)]
    found = np.concatenate(in_lanes([lane for lane, _ in columns], [time for _, time in columns])).tolist()
    every = one + other
    assert [[a < b for b in found] for a in found] == [[a < b for b in every] for a in every]


@pytest.mark.parametrize("far", [0, 1 << 61])
def test_a_time_of_two_lists_is_one_number(far: int) -> None:
    first, second = in_lanes([np.array([0, 1]), np.array([1])], [np.array([7, 5]), np.array([5 + far])])
    assert (first[1] == second[0]) == (far == 0)
