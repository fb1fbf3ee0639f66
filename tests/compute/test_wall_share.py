"""An instant that n intervals share counts 1/n for each: together they have the time of their union."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.compute.intervals import length, union
from tb_plugin.compute.wall_share import wall_shares


def test_two_that_overlap() -> None:
    assert wall_shares(np.array([0, 4]), np.array([8, 10])).tolist() == [6, 4]


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 20)), max_size=8))
def test_it_is_what_counting_each_instant_gives(drawn: list[tuple[int, int]]) -> None:
    start = np.array([at for at, _ in drawn], np.int64)
    end = np.array([at + n for at, n in drawn], np.int64)
    shares = wall_shares(start, end)
    plain = [sum(1 / int(((start <= t) & (t < end)).sum()) for t in range(a, b)) for a, b in zip(start, end, strict=True)]
    assert shares.tolist() == pytest.approx(plain)
    assert shares.sum() == pytest.approx(length(union(start, end)))


@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(0, 20)), max_size=6),
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 20)), max_size=4),
)
def test_only_the_time_in_the_window_counts(drawn: list[tuple[int, int]], windows: list[tuple[int, int]]) -> None:
    start, end = (np.array(each, np.int64) for each in ([at for at, _ in drawn], [at + n for at, n in drawn]))
    window = union(*(np.array(each, np.int64) for each in ([at for at, _ in windows], [at + n for at, n in windows])))
    counted = {t for at, n in windows for t in range(at, at + n)}
    plain = [
        sum(1 / int(((start <= t) & (t < end)).sum()) for t in range(a, b) if t in counted)
        for a, b in zip(start.tolist(), end.tolist(), strict=True)
    ]
    assert wall_shares(start, end, window).tolist() == pytest.approx(plain)
