"""The Trace's tables as CSV: one file per table in a folder, or the events alone.

Texts stand for their ids, times are ns since `info.base_ns`, other tables' `row` and the events' own links (`parent`,
`launch`, ...) are the `row` of `events.csv`. An empty cell is "not recorded".
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

import msgspec
import numpy as np

from tb_plugin.base.csv_cells import inert
from tb_plugin.base.units import NONE
from tb_plugin.formats import whole_file
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.model import TABLES, Events

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.table import Table

_ROWS = 10_000  # at a time: as lists, columns take ten times the room
_TIMES: Final = frozenset(("start_ns", "end_ns", "time_ns", "true_end_ns"))
LOST_BY_EVENTS: Final = "tables other than events (tracks, launch shapes, allocations' sums, arrows, steps, devices)"


def write_events(trace: Trace, path: str | Path) -> tuple[str, ...]:
    """`events.csv` alone, compressed when the name ends in .gz; says what it cannot hold."""
    with whole_file.written_text(Path(path)) as file:
        _write(trace, Events, file)
    return (LOST_BY_EVENTS,)


def write_folder(trace: Trace, folder: str | Path) -> tuple[str, ...]:
    """A file per table, `info.csv` and `issues.csv`. The folder appears complete; in one that is there, files are replaced."""
    with whole_file.written_folder(Path(folder)) as temporary:
        for table in TABLES:
            with whole_file.written_text(temporary / f"{table.name}.csv") as file:
                _write(trace, table, file)
        with whole_file.written_text(temporary / "info.csv") as file:
            _rows(file, ("key", "json"), info_rows(trace))
        with whole_file.written_text(temporary / "issues.csv") as file:
            _rows(file, ("kind", "count", "text", "first"), ([i.kind, i.count, i.text, i.first] for i in trace.issues))
    return ()


def info_rows(trace: Trace) -> list[tuple[str, str]]:
    """(key, JSON) of what is known of the whole profile."""
    return [(key, json.dumps(msgspec.to_builtins(value))) for key, value in msgspec.structs.asdict(trace.info).items()]


def _write(trace: Trace, table: type[Table], file: IO[str]) -> None:
    columns = trace.table(table).columns()
    schema = table.schema()
    is_events = table is Events
    head = [part for name in columns for part in heads(name, schema[name])]
    arguments = map(trace.args.reader(), trace.events.order.tolist()) if is_events else iter(())

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


def heads(name: str, schema: tuple[np.dtype[Any], float, int]) -> list[str]:
    """What a column is called: a text as itself, a triple as three."""
    name = name.removesuffix("_id") if is_text(name, schema[0]) else name
    return [name] if schema[2] == 1 else [f"{name}_{axis}" for axis in "xyz"[: schema[2]]]


def is_text(name: str, dtype: np.dtype[Any]) -> bool:
    """Ids of strings are int32; torch's own ids (`external_id`, `tensor_id`) are int64."""
    return name.endswith("_id") and dtype == np.int32


def can_lack(name: str, missing: float) -> bool:
    """Whether -1 in a column of whole numbers is "not recorded" rather than a time."""
    return missing == NONE and name not in _TIMES


def _cells(trace: Trace, name: str, values: Any, schema: tuple[np.dtype[Any], float, int]) -> list[list[Any]]:
    """The lists of a column's cells; of a column of triples, three."""
    dtype, missing, width = schema
    if width > 1:
        return [["" if value == missing else value for value in values[:, axis].tolist()] for axis in range(width)]
    if name == "kind":
        return [[Kind(value).name.lower() for value in values.tolist()]]
    if is_text(name, dtype):
        return [[inert(trace.text(value)) for value in values.tolist()]]
    if dtype.kind == "f":
        return [["" if value != value else value for value in values.tolist()]]
    if dtype == np.bool_:
        return [[int(value) for value in values.tolist()]]
    if can_lack(name, missing):
        return [["" if value == NONE else value for value in values.tolist()]]
    return [values.tolist()]
