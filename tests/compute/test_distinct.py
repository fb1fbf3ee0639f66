from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tb_plugin.compute.distinct import all_but, distinct, in_both, is_among, numbered

NEAR = st.integers(-50, 50)
FAR = st.integers(-(1 << 62), 1 << 62)
LONG = hnp.array_shapes(min_dims=1, max_dims=1, min_side=0, max_side=60)
VALUES = st.one_of(hnp.arrays(np.int64, LONG, elements=NEAR), hnp.arrays(np.int64, LONG, elements=FAR))


@given(VALUES)
def test_each_value_is_there_once_and_in_order(values: npt.NDArray[np.int64]) -> None:
    assert distinct(values).tolist() == sorted(set(values.tolist()))


@given(VALUES)
def test_numbers_lead_back_to_the_values(values: npt.NDArray[np.int64]) -> None:
    once, place = numbered(values)
    assert once.tolist() == sorted(set(values.tolist()))
    assert once[place].tolist() == values.tolist()


@given(VALUES, VALUES)
def test_two_sets_are_told_apart(one: npt.NDArray[np.int64], other: npt.NDArray[np.int64]) -> None:
    assert all_but(one, other).tolist() == sorted(set(one.tolist()) - set(other.tolist()))
    assert in_both(one, other).tolist() == sorted(set(one.tolist()) & set(other.tolist()))


@given(VALUES, VALUES)
def test_what_is_among_others_is_told(values: npt.NDArray[np.int64], others: npt.NDArray[np.int64]) -> None:
    some = set(others.tolist())
    assert is_among(values, np.sort(others)).tolist() == [each in some for each in values.tolist()]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.int64])
@pytest.mark.parametrize("step", [1, 60])
def test_values_keep_their_type(dtype: type[np.integer], step: int) -> None:
    values = np.array([step, 0, step, 2 * step], dtype)
    assert distinct(values).dtype == numbered(values)[0].dtype == values.dtype
    assert distinct(values).tolist() == [0, step, 2 * step]


def test_the_whole_range_of_a_narrow_type_fits() -> None:
    values = np.array([127, -128, 127], np.int8)
    assert [part.tolist() for part in numbered(values)] == [[-128, 127], [1, 0, 1]]
