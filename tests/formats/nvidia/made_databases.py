"""Databases as nvprof and nsys write them, small: tables with the columns that are given."""

from __future__ import annotations

import contextlib
import sqlite3
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tb_plugin.trace.kinds import Kind
    from tb_plugin.trace.model import Trace


def database(path: Path, tables: Mapping[str, Sequence[Mapping[str, Any]]]) -> Path:
    """A file with these tables; the columns of a table are those of its first row."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        for table, rows in tables.items():
            columns = list(rows[0])
            connection.execute(f"CREATE TABLE {table} ({', '.join(f'''[{column}]''' for column in columns)})")
            values = [[row.get(column) for column in columns] for row in rows]
            connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})", values)
        connection.commit()
    return path


def row_named(trace: Trace, name: str) -> int:
    (row,) = np.flatnonzero(trace.events.name_id == trace.strings.index(name))
    return int(row)


def events_of(trace: Trace, kind: Kind) -> list[tuple[str, int, int]]:
    """(name, start, end) in ns since the trace's base, in the order of the trace."""
    rows = np.flatnonzero(trace.events.kind == kind)
    events = trace.events
    return [(trace.text(events.name_id[r]), int(events.start_ns[r]), int(events.end_ns[r])) for r in rows]


def work_of(trace: Trace, row: int) -> dict[str, Any]:
    """How this row was launched."""
    (place,) = np.flatnonzero(trace.work.row == row)
    return {name: column[place].tolist() for name, column in trace.work.columns().items() if name != "row"}
