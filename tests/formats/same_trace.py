"""Whether two Traces are one profile: every table, texts for ids, whatever numbers a reader gave to places and texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from tb_plugin.trace.model import TABLES

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

_NUMBERS = ("external_id", "flow_id", "tensor_id", "allocation_id")
_OF_THE_FILE = ("source", "format")
_KEYS_OF_THE_FILE = ("traceName", "baseTimeNanoseconds")  # the base is compared as `base_ns`


def assert_same_profile(found: Trace, expected: Trace) -> None:
    """Fails on the first column that differs."""
    for table in TABLES:
        for name in table.schema():
            assert values(found, table.name, name) == values(expected, table.name, name), f"{table.name}.{name}"
    assert texts_of(found) == texts_of(expected)
    assert facts(found) == facts(expected)


def assert_same(got: Trace, expected: Trace) -> None:
    """To the last id: what was written and read back, and nothing that a reader chose itself."""
    assert got.strings == expected.strings
    assert got.info == expected.info
    assert got.issues == expected.issues
    for table in TABLES:
        columns = got.table(table).columns()
        for name, values in expected.table(table).columns().items():
            np.testing.assert_array_equal(columns[name], values, err_msg=f"{table.name}.{name}")
            assert columns[name].dtype == values.dtype
            assert not columns[name].flags.writeable
    for order in range(0, len(expected.events) + 2, 1 + len(expected.events) // 100):  # each one unpacks a block
        assert got.args.get(order) == expected.args.get(order)


def texts_of(trace: Trace) -> list[str]:
    """The stored arguments of every event."""
    return list(map(trace.args.reader(), trace.events.order.tolist()))


def values(trace: Trace, table: str, name: str) -> list[Any]:
    """A column: texts for ids, "nan" for NaN (which equals nothing), ranks for places in the file."""
    column = getattr(getattr(trace, table), name)
    if name == "order":
        column = np.argsort(column)  # lines that are no events lie elsewhere in the file
    if name.endswith("_id") and name not in _NUMBERS:
        return [trace.text(value) for value in column.tolist()]
    found: list[Any] = column.tolist()
    return [str(value) for value in found] if column.dtype.kind == "f" else found


def facts(trace: Trace) -> dict[str, Any]:
    """What is known around the events, without what only names the file."""
    found = {key: value for key, value in msgspec.structs.asdict(trace.info).items() if key not in _OF_THE_FILE}
    found["metadata"] = {key: value for key, value in found["metadata"].items() if key not in _KEYS_OF_THE_FILE}
    return found
