"""Values of a chunk to columns."""

from __future__ import annotations

from tb_plugin.base.units import NONE
from tb_plugin.formats.kineto.arguments import by_field
from tb_plugin.formats.kineto.events import MemoryArgs
from tb_plugin.formats.kineto.int_columns import float64_column, int64_column


def test_integers_that_64_bits_do_not_hold_wrap_or_are_not_recorded() -> None:
    assert int64_column([1, -1, (1 << 63) - 1, -(1 << 63)]).tolist() == [1, -1, (1 << 63) - 1, -(1 << 63)]
    assert int64_column([5, (1 << 64) - 1, 1 << 64]).tolist() == [5, -1, NONE]
    assert int64_column([]).tolist() == []


def test_columns_can_be_changed() -> None:
    for column in (int64_column([1, 2]), float64_column([1.0, 2.5])):
        column[0] = 7
        assert column.tolist()[0] == 7


def test_each_field_has_its_column() -> None:
    columns = by_field([MemoryArgs(device_type=1, bytes=3), MemoryArgs(device_type=2, total_reserved=9)], MemoryArgs)
    assert dict(zip(MemoryArgs.__struct_fields__, columns, strict=True)) == {
        "device_type": [1, 2],
        "device_index": [-1, -1],
        "address": [-1, -1],
        "bytes": [3, 0],
        "total_allocated": [-1, -1],
        "total_reserved": [-1, 9],
    }
    assert by_field([], MemoryArgs) == [[]] * 6
