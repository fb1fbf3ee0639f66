"""Sums of chunks and of single rows are those of a walk over all rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.compute import keyed_sums
from tb_plugin.compute.nesting import nest
from tb_plugin.compute.own_time import lasting_ends, until_outlived

ROWS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=40)


@given(ROWS, st.data())
def test_chunks_and_rows_together_are_all_rows(rows: list[tuple[int, int, int]], data: st.DataObject) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keyed_sums, "CHUNK", 4)
        key, length, own = np.array(rows, np.int64).T
        sums = keyed_sums.build(key, length, own)
        n_chunks = len(sums.first) - 1
        chunks = np.array(sorted(data.draw(st.sets(st.integers(0, n_chunks - 1)))), np.int64)
        outside = np.flatnonzero(~np.isin(np.arange(len(rows)) // 4, chunks))
        loose = keyed_sums.of_rows(key[outside], length[outside], own[outside], outside)
        found = keyed_sums.concatenated(sums.of_chunks(chunks), loose).in_all(5)
    for k in range(5):
        mine = [(row, length, own) for row, (each, length, own) in enumerate(rows) if each == k]
        longest = max(mine, key=lambda each: (each[1], -each[0]), default=(-1, -1, 0))
        assert (found.n_rows[k], found.length[k], found.own[k]) == (len(mine), sum(m[1] for m in mine), sum(m[2] for m in mine))
        assert (found.longest_row[k], found.longest[k]) == longest[:2]


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 30)), min_size=1, max_size=60))
def test_without_a_tree_events_last_as_long_as_with_one(spans: list[tuple[int, int]]) -> None:
    """Many begin within one of these: more than the few that are looked at in arrays."""
    start, end = np.array(sorted((a, -a - n) for a, n in spans), np.int64).T
    end = -end
    parent, _ = nest(start, end)
    assert until_outlived(start, end).tolist() == lasting_ends(parent, start, end).tolist()
