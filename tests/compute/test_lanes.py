"""Lanes keep every event visible: nothing overlaps in a lane, and callers lie above what they call."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.compute import lanes

Intervals = list[tuple[int, int]]

_INTERVALS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 12)), max_size=25).map(
    lambda pairs: sorted(((a, a + n) for a, n in pairs), key=lambda p: (p[0], -p[1]))
)


def _assign(intervals: Intervals, *, nested: bool) -> list[int]:
    start = np.array([a for a, _ in intervals], np.int64)
    end = np.array([b for _, b in intervals], np.int64)
    return [int(lane) for lane in lanes.assign(start, end, nested=nested)]


def _crosses(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return a[0] < b[0] < a[1] < b[1] or b[0] < a[0] < b[1] < a[1]


@given(_INTERVALS, st.booleans())
def test_no_two_events_of_a_lane_overlap(intervals: Intervals, nested: bool) -> None:
    lane = _assign(intervals, nested=nested)
    for i, (_, end) in enumerate(intervals):
        for j in range(i + 1, len(intervals)):
            assert lane[i] != lane[j] or intervals[j][0] >= end or intervals[i][0] == end


@given(_INTERVALS)
def test_lanes_are_used_without_gaps(intervals: Intervals) -> None:
    for nested in (True, False):
        lane = _assign(intervals, nested=nested)
        assert set(lane) == set(range(max(lane, default=-1) + 1))


@given(_INTERVALS)
def test_where_nothing_crosses_the_lane_is_the_depth_of_nesting(intervals: Intervals) -> None:
    laminar: Intervals = []
    for interval in intervals:
        if not any(_crosses(interval, other) for other in laminar):
            laminar.append(interval)
    depth: list[int] = []
    open_ends: list[int] = []
    for start, end in laminar:
        while open_ends and open_ends[-1] <= start:
            open_ends.pop()
        depth.append(len(open_ends))
        if end > start:
            open_ends.append(end)
    assert _assign(laminar, nested=True) == depth


@pytest.mark.parametrize(
    ("intervals", "nested", "expected"),
    [
        ([], True, []),
        ([(5, 9)], True, [0]),
        ([(0, 9), (0, 9), (0, 9)], True, [0, 1, 2]),
        # A step that crosses the short Python frame that opens it stays above its own content; the frame gives way.
        ([(0, 100), (10, 20), (12, 90), (21, 40), (50, 60)], True, [0, 3, 1, 2, 2]),
        # Kernels that start before the last one ends, in a row of any length, need two lanes.
        ([(0, 10), (9, 20), (19, 30), (29, 40)], False, [0, 1, 0, 1]),
        ([(0, 10), (2, 12), (4, 14), (10, 20)], False, [0, 1, 2, 0]),
    ],
)
def test_known_pictures(intervals: Intervals, nested: bool, expected: list[int]) -> None:
    assert _assign(intervals, nested=nested) == expected
