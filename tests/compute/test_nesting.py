"""Nesting against torch's rules written as plain loops over a stack."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.base.units import NONE
from tb_plugin.compute import nesting

spans = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 25)), max_size=40)


def naive_replay(start: list[int], end: list[int]) -> list[int]:
    """build_tree: a stack; finishing an event finishes everything above it."""
    parents: list[int] = []
    stack: list[int] = []
    for row, (t0, t1) in enumerate(zip(start, end, strict=True)):
        for place, open_row in enumerate(stack):
            if end[open_row] < t0:
                del stack[place:]
                break
        parents.append(stack[-1] if stack else -1)
        if t1 > t0:
            stack.append(row)
    return parents


def naive_nest(start: list[int], end: list[int], slack_ns: int = 0) -> list[int]:
    """EventList._populate_cpu_children; with slack a child that ends a little after its parent is cut to it."""
    parents: list[int] = []
    stack: list[int] = []
    end = list(end)
    for row, (t0, t1) in enumerate(zip(start, end, strict=True)):
        while stack and (t0 >= end[stack[-1]] or t1 > end[stack[-1]] + slack_ns):
            stack.pop()
        parents.append(stack[-1] if stack else -1)
        if t1 > t0:
            end[row] = min(t1, end[stack[-1]]) if stack else t1
            stack.append(row)
    return parents


@given(spans)
def test_replay_gives_the_parents_of_torchs_stack(rows: list[tuple[int, int]]) -> None:
    rows = sorted(rows, key=lambda r: r[0])
    start = [a for a, _ in rows]
    end = [a + d for a, d in rows]
    assert nesting.replay(np.array(start, np.int64), np.array(end, np.int64)).tolist() == naive_replay(start, end)


@given(spans)
def test_cutting_ends_gives_what_a_stack_does(rows: list[tuple[int, int]]) -> None:
    """However many overlap."""
    with (
        patch.object(nesting, "_MANY", 0),
        patch.object(nesting, "_nest_loop", side_effect=AssertionError),
        patch.object(nesting, "_replay_loop", side_effect=AssertionError),
    ):
        test_replay_gives_the_parents_of_torchs_stack.hypothesis.inner_test(rows)  # type: ignore[attr-defined]
        test_nest_gives_the_parents_of_eventlist.hypothesis.inner_test(rows)  # type: ignore[attr-defined]


@given(spans, st.integers(0, 40))
def test_where_the_first_that_overlap_lie_changes_nothing(rows: list[tuple[int, int]], n_early: int) -> None:
    with patch.object(nesting, "_EARLY", n_early):
        test_cutting_ends_gives_what_a_stack_does.hypothesis.inner_test(rows)  # type: ignore[attr-defined]


def test_events_that_overlap_early_are_nested_once_with_their_ends_cut() -> None:
    start, end = np.array([0, 5, 20, 21], np.int64), np.array([10, 15, 30, 25], np.int64)
    with patch.object(nesting, "_MANY", 0), patch.object(nesting, "_proper_parents", wraps=nesting._proper_parents) as nested:
        nesting.nest(start, end)
        assert nested.call_count == 1
        nesting.replay(start, end)
        assert nested.call_count == 3  # with the one that is cut as a moment first


def test_where_events_overlap_each_pass_over_them_is_told() -> None:
    start, end = np.array([0, 5, 20, 21], np.int64), np.array([10, 15, 30, 25], np.int64)
    with patch.object(nesting, "_MANY", 0):
        nested: list[int] = []
        nesting.nest(start, end, on_part=nested.append)
        replayed: list[int] = []
        nesting.replay(start, end, replayed.append)
    # Those at the begin overlap, so that nobody tries as if none did (1); nest needs to know of no other event around (5).
    assert nested == [0, 2, 3, 4, 6, 7]
    assert replayed == [0, 2, 3, 4, 5, 6, 7]
    assert nesting.PARTS == 8


@given(spans)
def test_nest_gives_the_parents_of_eventlist(rows: list[tuple[int, int]]) -> None:
    rows = sorted(rows, key=lambda r: (r[0], -r[1]))
    start = [a for a, _ in rows]
    end = [a + d for a, d in rows]
    parent, depth = nesting.nest(np.array(start, np.int64), np.array(end, np.int64))
    assert parent.tolist() == naive_nest(start, end)
    assert all(d == (0 if p < 0 else depth[p] + 1) for p, d in zip(parent, depth, strict=True))


@given(st.lists(st.tuples(st.integers(0, 200), st.integers(0, 60)), max_size=60))
def test_crossings_here_and_there_change_nothing_elsewhere(crossing: list[tuple[int, int]]) -> None:
    """Frames that nest properly, as of Python, and some ranges across them."""
    frames = [(0, 260)] + [(at, 50) for at in range(1, 250, 51)] + [(at + 2, 20) for at in range(1, 250, 51)]
    frames += [(at + 4, 6) for at in range(1, 250, 51)] + [(at + 12, 6) for at in range(1, 250, 51)]
    by_length = sorted(frames + crossing, key=lambda r: (r[0], -r[1]))
    start, end = [a for a, _ in by_length], [a + d for a, d in by_length]
    parent, depth = nesting.nest(np.array(start, np.int64), np.array(end, np.int64))
    assert parent.tolist() == naive_nest(start, end)
    assert all(d == (0 if p < 0 else depth[p] + 1) for p, d in zip(parent, depth, strict=True))
    assert nesting.replay(np.array(start, np.int64), np.array(end, np.int64)).tolist() == naive_replay(start, end)


@given(spans, st.integers(1, 30), st.integers(0, 6))
def test_rounded_times_need_no_loop_over_all(rows: list[tuple[int, int]], grid: int, slack_ns: int) -> None:
    """Ties, moments, and ends that lie a little after, on, and well after those around them."""
    rows = sorted([(a // grid * grid + a % 2, d) for a, d in rows], key=lambda r: (r[0], -r[1]))
    start, end = [a for a, _ in rows], [a + d for a, d in rows]
    with patch.object(nesting, "_MANY", 0), patch.object(nesting, "_nest_loop", side_effect=AssertionError):
        parent, depth = nesting.nest(np.array(start, np.int64), np.array(end, np.int64), slack_ns)
    assert parent.tolist() == naive_nest(start, end, slack_ns)
    assert all(d == (0 if p < 0 else depth[p] + 1) for p, d in zip(parent, depth, strict=True))
    with patch.object(nesting, "_MANY", 1 << 30):
        looped, its_depth = nesting.nest(np.array(start, np.int64), np.array(end, np.int64), slack_ns)
    assert (looped.tolist(), its_depth.tolist()) == (parent.tolist(), depth.tolist())


@given(st.lists(st.integers(1, 4), max_size=30))
def test_properly_nested_events_need_no_loop(widths: list[int]) -> None:
    rows: list[tuple[int, int]] = []
    at = 0
    for width in widths:
        rows += [(at, 4 * width), (at + 1, width), (at + 1 + width, width), (at + 1 + width, 0)]
        at += 5 * width
    start, end = np.array([a for a, _ in rows], np.int64), np.array([a + d for a, d in rows], np.int64)
    with patch.object(nesting, "_nest_loop", side_effect=AssertionError):
        assert nesting.nest(start, end)[0].tolist() == naive_nest(start.tolist(), end.tolist())


def test_a_child_that_ends_a_rounding_after_its_parent_stays_its_child() -> None:
    start, end = np.array([0, 10, 30], np.int64), np.array([100, 101, 40], np.int64)
    assert nesting.nest(start, end, slack_ns=1)[0].tolist() == [-1, 0, 1]
    assert nesting.nest(start, end, slack_ns=0)[0].tolist() == [-1, -1, 1]


@given(spans, st.data())
def test_sums_and_nearest_over_a_tree_equal_walking_it(rows: list[tuple[int, int]], data: st.DataObject) -> None:
    rows = sorted(rows, key=lambda r: (r[0], -r[1]))
    start, end = np.array([a for a, _ in rows], np.int64), np.array([a + d for a, d in rows], np.int64)
    parent, depth = nesting.nest(start, end)
    value = np.arange(1, len(rows) + 1, dtype=np.int64)
    marked = np.array(data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))), bool)
    subtree, direct = [0] * len(rows), [0] * len(rows)
    nearest, above = [], []
    for row in range(len(rows)):
        chain = [row]
        while parent[chain[-1]] >= 0:
            chain.append(int(parent[chain[-1]]))
        for ancestor in chain:
            subtree[ancestor] += int(value[row])
        if len(chain) > 1:
            direct[chain[1]] += int(value[row])
        nearest.append(next((a for a in chain if marked[a]), -1))
        above.append(any(marked[a] for a in chain[1:]))
    assert nesting.sum_over_subtree(parent, depth, value).tolist() == subtree
    assert nesting.sum_over_children(parent, value).tolist() == direct
    assert nesting.nearest_marked(parent, marked).tolist() == nearest
    asked = np.append(np.arange(len(parent)), NONE)
    assert nesting.marked_around(parent, marked, asked).tolist() == [*nearest, NONE]
    assert nesting.has_marked_ancestor(parent, marked).tolist() == above
