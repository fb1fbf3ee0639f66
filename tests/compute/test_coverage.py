from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.compute.coverage import by_priority, within
from tb_plugin.compute.intervals import Merged, union

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array

spans = st.tuples(st.integers(-20, 20), st.integers(0, 10)).map(lambda pair: (pair[0], pair[0] + pair[1]))
sets = st.lists(spans, max_size=8)


def columns(pairs: list[tuple[int, int]]) -> tuple[Int64Array, Int64Array]:
    start, end = np.array(pairs, np.int64).reshape(-1, 2).T
    return start, end


def instants(merged: Merged) -> set[int]:
    return {t for start, end in zip(merged.start.tolist(), merged.end.tolist(), strict=True) for t in range(start, end)}


@given(parts=st.lists(sets, max_size=4), windows=sets)
def test_each_instant_of_a_window_counts_for_the_first_set_that_has_it(
    parts: list[list[tuple[int, int]]], windows: list[tuple[int, int]]
) -> None:
    merged = [union(*columns(part)) for part in parts]
    expected = []
    for t0, t1 in windows:
        left, row = set(range(t0, t1)), []
        for one in merged:
            row.append(len(left & instants(one)))
            left -= instants(one)
        expected.append(row)
    assert within(by_priority(merged), *columns(windows)).tolist() == expected
