"""The lowest of what is open, against a look at every instant."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.compute.lowest import lowest_open

intervals = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(0, 5)), max_size=20)


@given(intervals)
def test_it_is_the_lowest_at_every_instant(drawn: list[tuple[int, int, int]]) -> None:
    start, end, number = np.array(drawn, np.int64).reshape(-1, 3).T
    left, lowest = lowest_open(start, end, number, 9)
    assert (np.diff(left) > 0).all()
    for instant in range(-1, 32):
        place = int(np.searchsorted(left, instant, side="right")) - 1
        found = lowest[place] if place >= 0 else 9
        assert found == min((n for s, e, n in drawn if s <= instant < e), default=9)
