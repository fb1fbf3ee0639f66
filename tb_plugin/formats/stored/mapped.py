"""A Trace as a file of columns, for the cache: open at once whatever its size, and hardly any memory of one's own.

A column that says "not recorded" throughout is left out. Columns that few ask for are packed, to a twentieth: who asks first
unpacks them. Arguments stay compressed, block for block. All else (what was recorded where, names, what was odd) is a stored
profile without rows, the note of the file.
"""

from __future__ import annotations

import dataclasses
import io
import itertools
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tb_plugin.base import progress
from tb_plugin.formats.stored import column_file
from tb_plugin.trace.args import ArgsStore
from tb_plugin.trace.compact import n_bytes, nothing
from tb_plugin.trace.late import Late
from tb_plugin.trace.model import TABLES, Trace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tb_plugin.base.progress import OnProgress
    from tb_plugin.formats.stored.column_file import Column
    from tb_plugin.trace.table import Table

ENDING: Final = ".pt.columns"
_LEVEL: Final = 1
_N_ROWS: Final = "rows"  # of each table
_ARGS_FIRST, _ARGS_END, _ARGS = "args.first_order", "args.end", "args"


def write(trace: Trace, path: Path, on_progress: OnProgress = progress.silent) -> None:
    """OSError where it cannot be written; a file that is there is whole."""
    from tb_plugin.formats.stored import profile_pb

    columns: dict[str, Column] = {_N_ROWS: np.array([len(trace.table(table)) for table in TABLES])}
    seldom = {f"{table.name}.{name}" for table in TABLES for name in table.seldom_asked()}
    for table in TABLES:
        of_table = trace.table(table).columns()
        columns |= {f"{table.name}.{name}": column for name, column in of_table.items() if n_bytes(column)}
    first_orders, blocks = trace.args.packed()
    columns[_ARGS_FIRST] = np.array(first_orders, np.int64)
    columns[_ARGS_END] = np.cumsum([len(block) for block in blocks], dtype=np.int64)
    columns[_ARGS] = np.frombuffer(b"".join(blocks), np.uint8)
    empty: dict[str, Any] = {table.name: table.from_columns({}) for table in TABLES}
    rest = dataclasses.replace(trace, args=ArgsStore([], []), **empty)
    column_file.write(path, columns, b"".join(profile_pb.pieces(rest, _LEVEL)), seldom, on_progress)


def read(path: Path) -> Trace:
    """What was written. FormatError for anything else; OSError where it cannot be read."""
    from tb_plugin.formats.stored import profile_pb  # protobuf: answers that are kept need none

    found = column_file.read(path)
    columns, note = found.by_name, found.note
    rest = profile_pb.read_from(io.BytesIO(note), len(note), path)
    tables: dict[str, Any] = {
        table.name: _table(table, found, n_rows) for table, n_rows in zip(TABLES, columns[_N_ROWS].tolist(), strict=True)
    }
    ends, packed = columns[_ARGS_END].tolist(), columns[_ARGS].data
    blocks = [packed[start:end] for start, end in itertools.pairwise([0, *ends])]
    args = ArgsStore(columns[_ARGS_FIRST].tolist(), blocks)
    return dataclasses.replace(rest, args=args, **tables)


def _table(table: type[Table], found: column_file.Columns, n_rows: int) -> Table:
    """As it was: `Table.from_columns` would look at every row."""
    made: dict[str, Column] = {}
    late: dict[str, Callable[[], Column]] = {}
    for name, (dtype, missing, width) in table.schema().items():
        full = f"{table.name}.{name}"
        if full in found.packed:
            late[name] = found.packed[full]
        elif full in found.by_name:
            made[name] = found.by_name[full]
        else:
            made[name] = nothing((n_rows,) if width == 1 else (n_rows, width), dtype, missing)
    return table.opened(made, Late(late))
