"""Rows that lie in one of their group, against a walk."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.compute import alike

SPANS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 30), st.integers(0, 12)), max_size=30)


@pytest.mark.parametrize("largest", [1 << 62, 8])
@given(spans=SPANS)
def test_a_row_lies_in_one_before_it_that_ends_no_sooner(spans: list[tuple[int, int, int]], largest: int) -> None:
    spans.sort(key=lambda span: (span[1], -span[2]))
    group, start, length = np.array(spans, np.int64).reshape(-1, 3).T
    end = start + length
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alike, "_LARGEST", largest)
        found = alike.within_alike(group, end)
    for row, (mine, until) in enumerate(zip(group.tolist(), end.tolist(), strict=True)):
        assert found[row] == any(group[before] == mine and end[before] >= until for before in range(row))
