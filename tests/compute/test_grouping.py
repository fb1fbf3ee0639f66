from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.compute.grouping import count_by, group_by, max_by, median_by, min_by, quantile_by, sum_by, weighted_mean_by

small = st.integers(-3, 3)
huge = st.integers(-(2**62), 2**62)


@given(rows=st.lists(st.tuples(small, huge, huge, small), max_size=30))
def test_groups_are_those_of_a_dictionary(rows: list[tuple[int, int, int, int]]) -> None:
    columns = np.array(rows, np.int64).reshape(-1, 4).T
    groups = group_by(*columns)
    places: dict[tuple[int, ...], list[int]] = {}
    for place, row in enumerate(rows):
        places.setdefault(row, []).append(place)
    expected = [places[key] for key in sorted(places)]
    assert groups.first.tolist() == [rows_of[0] for rows_of in expected]
    assert [np.flatnonzero(groups.of == g).tolist() for g in range(len(groups))] == expected


@given(rows=st.lists(st.tuples(small, st.integers(0, 2**40)), min_size=1, max_size=30))
def test_sums_counts_and_extremes_are_those_of_a_loop(rows: list[tuple[int, int]]) -> None:
    key, values = np.array(rows, np.int64).T
    groups = group_by(key)
    of_group = [[value for k, value in rows if k == key] for key in sorted({k for k, _ in rows})]
    assert sum_by(groups, values).tolist() == [sum(v) for v in of_group]
    assert count_by(groups).tolist() == [len(v) for v in of_group]
    assert min_by(groups, values).tolist() == [min(v) for v in of_group]
    assert max_by(groups, values).tolist() == [max(v) for v in of_group]


def test_a_weighted_mean_skips_nan_and_survives_weights_of_zero() -> None:
    groups = group_by(np.array([0, 0, 0, 1, 1, 2]))
    values, weights = np.array([10.0, 40.0, np.nan, 1.0, 3.0, np.nan]), np.array([1, 2, 9, 0, 0, 5])
    assert weighted_mean_by(groups, values, weights).tolist() == [30.0, 2.0, pytest.approx(np.nan, nan_ok=True)]


@pytest.mark.parametrize("seed", range(3))
def test_medians_are_numpys(seed: int) -> None:
    rng = np.random.default_rng(seed)
    key, values = rng.integers(0, 9, 100), rng.integers(0, 50, 100).astype(np.float64)
    values[rng.random(100) < 0.2] = np.nan
    values[key == 4] = np.nan
    groups = group_by(key)
    expected = [np.nan if np.isnan(values[key == k]).all() else np.nanmedian(values[key == k]) for k in np.unique(key)]
    np.testing.assert_array_equal(median_by(groups, values), expected)


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75, 1.0])
def test_quantiles_are_numpys(share: float) -> None:
    rng = np.random.default_rng(4)
    key, values = rng.integers(0, 9, 100), rng.integers(0, 50, 100).astype(np.float64)
    values[rng.random(100) < 0.2] = np.nan
    values[key == 4] = np.nan
    groups = group_by(key)
    known = [values[(key == k) & ~np.isnan(values)] for k in np.unique(key)]
    expected = [np.quantile(each, share, method="inverted_cdf") if len(each) else np.nan for each in known]
    np.testing.assert_array_equal(quantile_by(groups, values, share), expected)
