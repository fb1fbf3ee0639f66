"""Each instant belongs to the open event that began last."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.compute.intervals import union
from tb_plugin.compute.nesting import nest
from tb_plugin.compute.own_time import own_part, own_times

Span = tuple[int, int]


def _own(spans: list[Span]) -> list[int]:
    start, end = (np.array([span[i] for span in spans], np.int64) for i in (0, 1))
    found: list[int] = own_times(start, end).tolist()
    return found


@pytest.mark.parametrize(
    ("spans", "own"),
    [
        ([(0, 20), (5, 10)], [15, 5]),
        ([(0, 10), (5, 15)], [5, 10]),
        ([(0, 30), (0, 10), (5, 15), (20, 25)], [10, 5, 10, 5]),
        ([(0, 10), (2, 8), (4, 9)], [3, 2, 5]),
        ([(0, 10), (0, 5), (3, 3), (4, 12)], [0, 4, 0, 8]),
        ([], []),
    ],
)
def test_what_began_last_has_the_time(spans: list[Span], own: list[int]) -> None:
    assert _own(spans) == own


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 25)), max_size=14))
def test_own_times_are_those_of_a_walk_through_all_instants(drawn: list[Span]) -> None:
    spans = sorted(((start, start + length) for start, length in drawn), key=lambda span: (span[0], -span[1]))
    naive = [0] * len(spans)
    for instant in range(66):
        is_open = [row for row, (start, end) in enumerate(spans) if start <= instant < end]
        if is_open:
            naive[is_open[-1]] += 1
    assert _own(spans) == naive


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 25)), max_size=14),
    st.lists(st.tuples(st.integers(0, 60), st.integers(1, 9)), max_size=6),
)
def test_own_parts_are_those_of_a_walk_through_the_instants_that_count(drawn: list[Span], asked: list[Span]) -> None:
    spans = sorted(((start, start + length) for start, length in drawn), key=lambda span: (span[0], -span[1]))
    start, end = (np.array([span[i] for span in spans], np.int64) for i in (0, 1))
    when = union(np.array([at for at, _ in asked], np.int64), np.array([at + length for at, length in asked], np.int64))
    naive = [0] * len(spans)
    for instant in (at for left, right in zip(*when, strict=True) for at in range(left, right)):
        is_open = [row for row, (start_ns, end_ns) in enumerate(spans) if start_ns <= instant < end_ns]
        if is_open:
            naive[is_open[-1]] += 1
    assert own_part(start, end, nest(start, end)[0], when).tolist() == naive
