"""Interval sets against sets of unit ticks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.compute import intervals

if TYPE_CHECKING:
    from tb_plugin.compute.intervals import Merged

spans = st.lists(st.tuples(st.integers(-20, 40), st.integers(-3, 12)), max_size=25)


def merged(rows: list[tuple[int, int]]) -> Merged:
    return intervals.union(np.array([a for a, _ in rows], np.int64), np.array([a + d for a, d in rows], np.int64))


def ticks_of_rows(rows: list[tuple[int, int]]) -> set[int]:
    return {t for a, d in rows for t in range(a, a + d)}


def ticks(m: Merged) -> set[int]:
    return {t for a, b in zip(m.start.tolist(), m.end.tolist(), strict=True) for t in range(a, b)}


def is_merged(m: Merged) -> bool:
    return bool((m.end > m.start).all() and (m.start[1:] > m.end[:-1]).all())


@given(spans)
def test_union_covers_each_instant_once(rows: list[tuple[int, int]]) -> None:
    m = merged(rows)
    assert ticks(m) == ticks_of_rows(rows)
    assert is_merged(m)
    assert intervals.length(m) == len(ticks_of_rows(rows))


@given(spans, spans)
def test_set_verbs_equal_sets_of_ticks(left: list[tuple[int, int]], right: list[tuple[int, int]]) -> None:
    a, b = merged(left), merged(right)
    for got, want in (
        (intervals.intersect(a, b), ticks(a) & ticks(b)),
        (intervals.subtract(a, b), ticks(a) - ticks(b)),
        (intervals.join(a, b), ticks(a) | ticks(b)),
    ):
        assert ticks(got) == want
        assert is_merged(got)


@given(spans, spans)
def test_length_within_counts_the_ticks_of_each_window(rows: list[tuple[int, int]], windows: list[tuple[int, int]]) -> None:
    asked = [(a, a + abs(d)) for a, d in windows]
    t0, t1 = np.array(asked, np.int64).reshape(-1, 2).T
    expected = [len(ticks_of_rows(rows) & set(range(a, b))) for a, b in asked]
    assert intervals.length_within(merged(rows), t0, t1).tolist() == expected


@given(spans)
def test_covers_says_which_ticks_are_inside(rows: list[tuple[int, int]]) -> None:
    points = np.arange(-60, 120)
    assert set(points[intervals.covers(merged(rows), points)].tolist()) == ticks_of_rows(rows)


@given(spans, st.integers(-25, 55), st.integers(0, 40))
def test_clip_keeps_what_is_inside(rows: list[tuple[int, int]], t0: int, width: int) -> None:
    assert ticks(intervals.clip(merged(rows), t0, t0 + width)) == ticks_of_rows(rows) & set(range(t0, t0 + width))


@given(spans, spans)
def test_meets_says_which_intervals_share_a_tick(left: list[tuple[int, int]], right: list[tuple[int, int]]) -> None:
    right = sorted(right)
    start, end = (np.array([a + by * d for a, d in right], np.int64) for by in (0, 1))
    met = intervals.meets(merged(left), start, end)
    assert met.tolist() == [bool(ticks_of_rows([row]) & ticks_of_rows(left)) for row in right]
