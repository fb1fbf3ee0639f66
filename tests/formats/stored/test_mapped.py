"""The cache's own form of a profile: whole, column by column as it was, or an error."""

from __future__ import annotations

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hypothesis_numpy

from tb_plugin.base.errors import FormatError
from tb_plugin.base.local_disk import is_local
from tb_plugin.formats import reader
from tb_plugin.formats.stored import column_file, mapped
from tb_plugin.trace import compact
from tb_plugin.trace.check import check
from tb_plugin.trace.model import TABLES
from tests.formats.same_trace import assert_same
from tests.profiles import sample
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("least_mapped", [0, 1 << 40], ids=["mapped", "read"])
@pytest.mark.parametrize("name", ["cuda", "transformer"])
def test_what_was_written_comes_back(name: str, least_mapped: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_file, "_LEAST_MAPPED", least_mapped)
    trace, path = reader.read(sample(name)), tmp_path / "w.pt.columns"
    mapped.write(trace, path)
    opened = mapped.read(path)
    assert_same(opened, trace)
    check(opened)
    assert compact.is_mapped(opened.events.start_ns) == (least_mapped == 0 and is_local(path))
    assert [path.name for path in tmp_path.iterdir()] == ["w.pt.columns"]


def test_a_trace_without_events_comes_back_too(tmp_path: Path) -> None:
    trace = trace_from_text("")
    mapped.write(trace, tmp_path / "w")
    assert_same(mapped.read(tmp_path / "w"), trace)


def test_no_byte_may_be_another_or_missing(tmp_path: Path) -> None:
    path, broken = tmp_path / "columns", tmp_path / "broken"
    column_file.write(path, {"a": np.arange(3), "b": np.ones((2, 3), np.int16), "c": np.arange(2)}, b"noted", {"c"})
    found = column_file.read(path)
    assert (found.by_name["a"].tolist(), found.by_name["b"].tolist(), found.note) == ([0, 1, 2], [[1] * 3] * 2, b"noted")
    assert found.packed["c"]().tolist() == [0, 1]
    whole = path.read_bytes()
    for place in range(len(whole)):
        is_free = 52 <= place < 64  # between the first line and the first column
        other = whole[:place] + bytes((whole[place] ^ (not is_free),)) + whole[place + 1 :]
        for data in {whole[:place], other} - {whole}:
            broken.write_bytes(data)
            with pytest.raises(FormatError, match="damaged columns"):
                column_file.read(broken)


def _columns() -> st.SearchStrategy[np.ndarray[Any, Any]]:
    shapes = hypothesis_numpy.array_shapes(max_dims=2, min_side=0, max_side=40)
    kinds = st.sampled_from([np.uint8, np.int16, np.int32, np.int64, np.float64, np.bool_])
    return kinds.flatmap(lambda kind: hypothesis_numpy.arrays(kind, shapes))


@given(columns=st.dictionaries(st.text(max_size=5), _columns(), max_size=6), data=st.data())
def test_any_columns_come_back_packed_or_not_alone_or_twice(
    columns: dict[str, np.ndarray[Any, Any]], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    columns |= {f"{name} again": column.copy() for name, column in columns.items()}
    pack = data.draw(st.sets(st.sampled_from([*columns, "none"])))
    path = tmp_path_factory.mktemp("columns") / "w"
    column_file.write(path, columns, b"noted", pack)
    found = column_file.read(path)
    assert found.packed.keys() == columns.keys() & pack
    back = found.by_name | {name: unpack() for name, unpack in found.packed.items()}
    assert back.keys() == columns.keys()
    for name, column in columns.items():
        np.testing.assert_array_equal(back[name], column)
        assert (back[name].dtype, back[name].shape, back[name].flags.writeable) == (column.dtype, column.shape, False)


def test_columns_that_are_equal_take_room_once(tmp_path: Path) -> None:
    column = np.arange(10_000)
    nearly = column.copy()
    nearly[-1] = 0
    sizes = []
    for place, other in enumerate((column.copy(), nearly, column.astype(np.int32))):
        column_file.write(tmp_path / str(place), {"a": column, "b": other})
        assert column_file.read(tmp_path / str(place)).by_name["b"].tolist() == other.tolist()
        sizes.append((tmp_path / str(place)).stat().st_size // 40_000)
    assert sizes == [2, 4, 3]


def test_a_column_that_few_ask_for_is_unpacked_by_the_first_who_asks(tmp_path: Path) -> None:
    trace = reader.read(sample("cuda"))
    mapped.write(trace, tmp_path / "w")
    events = mapped.read(tmp_path / "w").events
    assert "sequence" not in events.columns_here()
    assert len(events) == len(trace.events)
    with ThreadPoolExecutor(4) as threads:
        first, *others = threads.map(lambda _: events.sequence, range(40))
    assert all(other is first for other in others)
    assert first.tolist() == trace.events.sequence.tolist()
    assert events.columns_here()["sequence"] is first
    with pytest.raises(AttributeError, match="no_such_column"):
        getattr(events, "no_such_column")  # noqa: B009 - mypy knows that there is none
    changed = dataclasses.replace(events, sequence=np.zeros_like(first))
    assert (changed.sequence == 0).all()
    assert changed.external_id.tolist() == trace.events.external_id.tolist()


def test_the_first_column_of_a_table_is_there_as_its_length_is_asked_of_it() -> None:
    assert not [table.name for table in TABLES if next(iter(table.schema())) in table.seldom_asked()]


def test_only_what_lies_on_this_machine_is_mapped(tmp_path: Path) -> None:
    mounts = tmp_path / "mountinfo"
    lines = [
        "22 1 8:1 / / rw - ext4 /dev/sda rw",
        f"23 22 0:41 / {tmp_path}/home rw shared:2 - nfs4 server:/home rw",
        f"24 23 8:2 / {tmp_path}/home/fast\\040disk rw - xfs /dev/sdb rw",
    ]
    mounts.write_text("\n".join(lines))
    told = [is_local(tmp_path / name, mounts) for name in ("homes", "home", "home/a/b", "home/fast disk/a")]
    assert told == [True, False, False, True]
    assert not is_local(tmp_path, tmp_path / "none")


def test_each_column_that_is_written_is_told(tmp_path: Path) -> None:
    said: list[tuple[float, str]] = []
    columns = {"a": np.arange(100), "b": np.arange(300), "c": np.arange(0)}
    column_file.write(tmp_path / "w", columns, on_progress=lambda share, stage: said.append((share, stage)))
    assert said == [(0.0, "writing, 0%"), (0.25, "writing, 25%"), (1.0, "writing, 100%")]
