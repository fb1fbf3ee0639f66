"""Columns in little memory hold the same values."""

from __future__ import annotations

import numpy as np
import pytest

from tb_plugin.base.units import NONE
from tb_plugin.trace import compact
from tb_plugin.trace.model import Events, Work

INT16 = np.dtype(np.int16)


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([0, 5, NONE], np.int16),
        ([-16_383, 16_383], np.int16),  # the inner half: a difference of two fits as well
        ([0, 16_384], np.int32),
        ([-16_384, 0], np.int32),
        ([0, 1 << 30], np.int32),
    ],
)
def test_a_column_is_narrow_where_its_values_allow_it(values: list[int], dtype: type[np.signedinteger]) -> None:
    found = compact.compact(np.array(values, np.int32), NONE, INT16)
    assert found.dtype == dtype
    assert found.tolist() == values
    assert not found.flags.writeable


def test_what_was_not_recorded_takes_no_memory() -> None:
    for dtype, missing in ((np.int64, NONE), (np.float64, np.nan), (np.bool_, 0)):
        found = compact.compact(np.full((1000, 3), missing, dtype), missing, None)
        np.testing.assert_array_equal(found, np.full((1000, 3), missing, dtype))
        assert found.dtype == dtype
        assert compact.n_bytes(found) == 0
        assert not found.flags.writeable
    assert compact.n_bytes(compact.compact(np.array([NONE, 0]), NONE, None)) == 16


def test_tables_keep_their_columns_so() -> None:
    n_rows = 100
    events = Events.from_columns(
        {"start_ns": np.arange(n_rows) << 40, "correlation": np.arange(n_rows), "sequence": np.full(n_rows, NONE)}
    )
    assert events.start_ns.tolist() == [row << 40 for row in range(n_rows)]
    assert events.correlation.dtype == np.int32
    assert events.correlation.tolist() == list(range(n_rows))
    assert compact.n_bytes(events.sequence) == compact.n_bytes(events.external_id) == 0
    large = Events.from_columns({"correlation": np.array([1 << 40, NONE])})
    assert large.correlation.dtype == np.int64
    assert large.correlation.tolist() == [1 << 40, NONE]
    work = Work.from_columns({"row": np.arange(2), "grid": np.array([[1, 2, 3], [1 << 33, NONE, NONE]])})
    assert work.grid.tolist() == [[1, 2, 3], [1 << 33, NONE, NONE]]
    assert work.block.tolist() == [[NONE] * 3] * 2
