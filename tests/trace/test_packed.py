"""Tables of many ranks are unpacked together, and each as it is alone."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from tb_plugin.base.errors import UsageError
from tb_plugin.trace.rank.packed import all_unpacked, matrix_of, packed, unpacked


def test_all_at_once_are_each_as_it_is_alone() -> None:
    tables = [
        packed(
            {"a": np.arange(n, dtype=np.int64) * by, "b": np.full(n, -by, np.int64), **({"c": np.arange(n)} if by % 2 else {})}
        )
        for n, by in ((3, 1), (3, 7), (0, 1), (5, 4), (3, 10**12), (1, -1), (0, 2))
    ]
    for table, found in zip(tables, all_unpacked(tables), strict=True):
        assert {name: column.tolist() for name, column in found.items()} == {
            name: column.tolist() for name, column in unpacked(table).items()
        }
    assert all_unpacked([]) == []


def test_what_was_looked_at_is_handed_on_once_and_nobody_changes_it_for_others() -> None:
    table = packed({"a": np.array([5, 9]), "b": np.array([7, -2])})
    looked_at = matrix_of(table)
    assert matrix_of(table) is looked_at
    with pytest.raises(ValueError, match="read-only"):
        looked_at[0, 0] = 1
    unpacked(table)["a"][0] = 1  # its own
    (handed_on,) = all_unpacked([table])
    assert np.shares_memory(handed_on["a"], looked_at)
    handed_on["a"][0] = 2
    for again in (unpacked(table), *all_unpacked([table])):
        assert {name: column.tolist() for name, column in again.items()} == {"a": [5, 9], "b": [7, -2]}


def test_more_than_is_taken_at_once_is_taken_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tb_plugin.trace.rank.packed._AT_ONCE_BYTES", 100)
    found = all_unpacked([packed({"a": np.array([n, 2 * n, 5])}) for n in range(50)])
    assert [one["a"].tolist() for one in found] == [[n, 2 * n, 5] for n in range(50)]


def test_one_that_is_damaged_among_them_is_said() -> None:
    whole = packed({"a": np.array([1, 2])})
    with pytest.raises(UsageError, match="damaged"):
        all_unpacked([whole, msgspec.structs.replace(whole, data="AAAA")])
