"""Parquet tables hold every column, typed, with null for "not recorded"."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.base.errors import UsageError
from tb_plugin.base.units import NONE
from tb_plugin.doors import cli
from tb_plugin.formats import targets
from tb_plugin.formats.flat.csv_tables import can_lack, heads, is_text
from tb_plugin.formats.kineto import chrome_trace
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.model import TABLES
from tests.formats.made_traces import random_trace
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

    from tb_plugin.trace.model import Trace


def test_without_pyarrow_one_error_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for target in ("a.parquet", "folder.parquet/"):
        with pytest.raises(UsageError, match=r"pip install 'torch-tb-plugin\[parquet\]'"):
            targets.check(str(tmp_path / target))
    chrome_trace.write(trace_from_text("thread 1 | aten::mm 0-5"), tmp_path / "in.json")
    assert cli.main(["convert", str(tmp_path / "in.json"), str(tmp_path / "a.parquet")]) != 0
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.json"]


def expected(trace: Trace, name: str, values: Any, schema: tuple[np.dtype[Any], float, int]) -> list[Any]:
    """The cells of a column, one by one."""
    if name == "kind":
        return [Kind(value).name.lower() for value in values.tolist()]
    if is_text(name, schema[0]):
        return [trace.text(value).encode("utf-8", "replace").decode() if value != NONE else None for value in values.tolist()]
    if schema[0].kind == "f":
        return [None if value != value else value for value in values.tolist()]
    return [None if can_lack(name, schema[1]) and value == NONE else value for value in values.tolist()]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_table_is_read_again_as_it_was(seed: int, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra `parquet` is not installed")
    trace = random_trace(seed, 200)
    assert targets.write(trace, f"{tmp_path / 'a.parquet'}/") == ()
    folder = tmp_path / "a.parquet"
    assert {path.stem for path in folder.iterdir()} == {table.name for table in TABLES} | {"info", "issues"}
    for table in TABLES:
        found = parquet.read_table(folder / f"{table.name}.parquet")
        assert found.num_rows == len(trace.table(table))
        for name, values in trace.table(table).columns().items():
            schema = table.schema()[name]
            parts = [values] if schema[2] == 1 else list(values.T)
            for head, part in zip(heads(name, schema), parts, strict=True):
                assert found[head].to_pylist() == expected(trace, name, part, schema), (table.name, name)
    events = parquet.read_table(folder / "events.parquet")
    assert events["args"].to_pylist() == [text or None for text in map(trace.args.reader(), trace.events.order.tolist())]
    info = dict(zip(*parquet.read_table(folder / "info.parquet").to_pydict().values(), strict=True))
    assert json.loads(info["base_ns"]) == trace.info.base_ns
    assert events.schema.metadata[b"base_ns"] == str(trace.info.base_ns).encode()


def test_one_file_is_the_events_and_says_what_is_not_in_it(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra `parquet` is not installed")
    trace = random_trace(1, 50)
    assert "other than events" in targets.write(trace, str(tmp_path / "a.parquet"))[0]
    assert parquet.read_table(tmp_path / "a.parquet")["start_ns"].to_pylist() == trace.events.start_ns.tolist()
    assert [path.name for path in tmp_path.iterdir()] == ["a.parquet"]
