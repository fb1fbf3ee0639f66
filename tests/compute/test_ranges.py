"""Positions of ranges against a list of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.compute.ranges import ranges


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 6)), max_size=20))
def test_each_range_is_written_out_after_the_one_before(asked: list[tuple[int, int]]) -> None:
    first, n = (np.array([pair[side] for pair in asked], np.int64) for side in (0, 1))
    assert ranges(first, n).tolist() == [place for begin, count in asked for place in range(begin, begin + count)]
