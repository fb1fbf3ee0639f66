from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.compute.integral import integral

intervals = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 10), st.sampled_from((0.0, 0.25, 0.5, 3.0))), max_size=6)


def test_the_drawing_in_the_modules_head() -> None:
    columns = np.array([0, 4]), np.array([6, 8]), np.array([0.5, 0.8])
    assert integral(*columns, np.array([0]), np.array([8])) == pytest.approx([6.2])
    assert integral(*columns, np.array([0]), np.array([8]), most=1.0) == pytest.approx([5.6])


@given(rows=intervals, t0=st.integers(-5, 20), length=st.integers(0, 20), most=st.sampled_from((0.6, 1.0, np.inf)))
def test_it_is_the_sum_over_instants(rows: list[tuple[int, int, float]], t0: int, length: int, most: float) -> None:
    start = np.array([row[0] for row in rows], np.int64)
    end = start + np.array([row[1] for row in rows], np.int64)
    weight = np.array([row[2] for row in rows], np.float64)
    windows = np.array([t0, t0 + 3]), np.array([t0 + length, t0 + 3])
    naive = sum(min(sum(w for a, n, w in rows if a <= t < a + n), most) for t in range(t0, t0 + length))
    assert integral(start, end, weight, *windows, most) == pytest.approx([naive, 0.0])
