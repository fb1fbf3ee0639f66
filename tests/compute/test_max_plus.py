from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.compute import max_plus
from tb_plugin.compute.max_plus import layers, values

#   0 -> 1 -> 3 -> 4      2 -> 3, 0 -> 4: a node stands after all that lead into it
SOURCE, TARGET = np.array([0, 1, 3, 2, 0]), np.array([1, 3, 4, 3, 4])


@pytest.mark.parametrize("wide", [0, 32], ids=["at once", "one by one"])
def test_edges_into_a_node_come_before_those_out_of_it(wide: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(max_plus, "_WIDE", wide)
    groups = layers(5, SOURCE, TARGET)
    assert groups is not None
    assert [group.edges.tolist() for group in groups] == [[0], [1, 3], [2, 4]]
    lag, own = np.array([2.0, 3.0, 1.0, 9.0, 1.0]), np.array([1.0, 0.0, 1.0, 0.5, 0.0])
    assert values(groups, SOURCE, lag, own).tolist() == [1.0, 3.0, 1.0, 10.5, 11.5]


@pytest.mark.parametrize("wide", [0, 32], ids=["at once", "one by one"])
def test_a_circle_has_no_order(wide: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(max_plus, "_WIDE", wide)
    assert layers(3, np.array([0, 1, 2]), np.array([1, 2, 1])) is None


@given(st.lists(st.tuples(st.integers(0, 19), st.integers(1, 5), st.integers(-3, 9)), min_size=1, max_size=60))
def test_a_node_begins_when_the_last_that_it_waits_for_allows_it(edges: list[tuple[int, int, int]]) -> None:
    source, more, lag = np.array(edges, np.int64).T
    target, own = source + more, (np.arange(30) % 4).astype(np.float64)
    groups = layers(30, source, target)
    assert groups is not None
    expected = own.tolist()
    for node in range(30):  # every edge leads to a later one
        into = [
            expected[one] + by for one, to, by in zip(source.tolist(), target.tolist(), lag.tolist(), strict=True) if to == node
        ]
        expected[node] += max(into, default=0.0)
    assert values(groups, source, lag.astype(np.float64), own).tolist() == expected


@given(st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), max_size=60))
def test_one_by_one_and_at_once_say_the_same(edges: list[tuple[int, int]]) -> None:
    source, target = np.array(edges, np.int64).reshape(-1, 2).T
    order, waiting = np.argsort(source, kind="stable"), np.bincount(target, minlength=20)
    begin, after = np.searchsorted(source[order], np.arange(21)), target[order]
    ready = np.flatnonzero(waiting == 0)
    one_by_one, at_once = (
        find(begin, after, waiting.copy(), ready) for find in (max_plus._depth_one_by_one, max_plus._depth_at_once)
    )
    assert (one_by_one is None) == (at_once is None)
    if one_by_one is not None and at_once is not None:
        assert one_by_one.tolist() == at_once.tolist()
