"""The Trace's tables as CSV: one file per table in a folder, or the events alone.

Texts stand for their ids, times are ns since `info.base_ns`, other tables' `row` and the events' own links (`parent`,
`launch`, ...) are the `row` of `events.csv`. An empty cell is "not recorded".
"""

from __future__ import annotations

import contextlib
import csv
import json
import shutil
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

import msgspec
import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.formats import whole_file
from tb_plugin.formats.arguments import Arguments
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.model import TABLES, Events, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tb_plugin.trace.model import Trace

_ROWS = 10_000  # at a time: as lists, columns take ten times the room
_TIMES: Final = frozenset(("start_ns", "end_ns", "time_ns", "true_end_ns"))
_NUMBERS_NOT_TEXTS: Final = frozenset(("external_id", "flow_id"))
_LOST_BY_EVENTS: Final = "tables other than events (tracks, launch shapes, allocations' sums, arrows, steps, devices)"


def write_events(trace: Trace, path: str | Path) -> tuple[str, ...]:
    """`events.csv` alone, compressed when the name ends in .gz; says what it cannot hold."""
    with whole_file.written_text(Path(path)) as file:
        _write(trace, Events, file)
    return (_LOST_BY_EVENTS,)


def write_folder(trace: Trace, folder: str | Path) -> tuple[str, ...]:
    """A file per table, `info.csv` and `issues.csv`. The folder appears complete; in one that is there, files are replaced."""
    folder = Path(folder)
    temporary = whole_file.hidden_beside(folder)
    temporary.mkdir()
    try:
        for table in TABLES:
            with whole_file.written_text(temporary / f"{table.name}.csv") as file:
                _write(trace, table, file)
        with whole_file.written_text(temporary / "info.csv") as file:
            info = msgspec.structs.asdict(trace.info)
            rows = ([key, json.dumps(msgspec.to_builtins(value))] for key, value in info.items())
            _rows(file, ("key", "json"), rows)
        with whole_file.written_text(temporary / "issues.csv") as file:
            _rows(file, ("kind", "count", "text", "first"), ([i.kind, i.count, i.text, i.first] for i in trace.issues))
        if folder.is_dir():
            for made in temporary.iterdir():
                made.replace(folder / made.name)
        else:
            temporary.replace(folder)
    finally:
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(temporary)
    return ()


def _write(trace: Trace, table: type[Table], file: IO[str]) -> None:
    columns = trace.table(table).columns()
    schema = table.schema()
    is_events = table is Events
    head = [part for name in columns for part in _heads(name, schema[name][2])]
    arguments = Arguments(trace).by_row() if is_events else iter(())

    def rows() -> Iterator[list[Any]]:
        n_rows = len(trace.table(table))
        for start in range(0, n_rows, _ROWS):
            cells = [
                cell
                for name, column in columns.items()
                for cell in _cells(trace, name, column[start : start + _ROWS], schema[name])
            ]
            for place, row in enumerate(zip(*cells, strict=True), start):
                yield [place, *row, next(arguments)] if is_events else list(row)

    _rows(file, ["row", *head, "args"] if is_events else head, rows())


def _rows(file: IO[str], head: Any, rows: Any) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)


def _heads(name: str, width: int) -> list[str]:
    name = name.removesuffix("_id") if name.endswith("_id") and name not in _NUMBERS_NOT_TEXTS else name
    return [name] if width == 1 else [f"{name}_{axis}" for axis in "xyz"[:width]]


def _cells(trace: Trace, name: str, values: Any, schema: tuple[np.dtype[Any], float, int]) -> list[list[Any]]:
    """The lists of a column's cells; of a column of triples, three."""
    dtype, missing, width = schema
    if width > 1:
        return [["" if value == missing else value for value in values[:, axis].tolist()] for axis in range(width)]
    if name == "kind":
        return [[Kind(value).name.lower() for value in values.tolist()]]
    if name.endswith("_id") and name not in _NUMBERS_NOT_TEXTS:
        return [[trace.text(value) for value in values.tolist()]]
    if dtype.kind == "f":
        return [["" if value != value else value for value in values.tolist()]]
    if dtype == np.bool_:
        return [[int(value) for value in values.tolist()]]
    if missing == NONE and name not in _TIMES:
        return [["" if value == NONE else value for value in values.tolist()]]
    return [values.tolist()]
