"""What a link's speed is held against."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.job.links import median_of_others


@given(st.lists(st.integers(1, 9), min_size=2, max_size=9))
def test_a_set_is_held_against_the_median_of_the_others(values: list[int]) -> None:
    naive = [float(np.median(values[:place] + values[place + 1 :])) for place in range(len(values))]
    assert median_of_others(np.array(values, np.float64)) == naive


def test_of_two_sets_the_slow_one_is_as_slow_as_it_is() -> None:
    assert median_of_others(np.array([10.0, 40.0])) == [40.0, 10.0]
    assert median_of_others(np.array([10.0])) == [None]
