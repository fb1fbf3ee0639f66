"""SQLite databases of strangers, read as columns: tables and columns may be missing, values may be anything.

The file is opened read-only, and an authorizer allows nothing but reading. Only plain columns of plain tables are there for
us: what a stranger's view, virtual table or generated column computes is not run.
"""

from __future__ import annotations

import contextlib
import sqlite3
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tb_plugin.base.errors import FormatError
from tb_plugin.base.units import NONE, Int64Array

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

MAGIC: Final = b"SQLite format 3\x00"

_ROWS_AT_ONCE = 1 << 15
_FEWEST_BYTES_OF_A_ROW = 5
"""A damaged tree of pages may lead to one page many times; a sound file has no more rows than fit into it."""

# Names and messages of a damaged file need not be UTF-8, which Python insists on.
_UNREADABLE = (sqlite3.Error, UnicodeError)

_READING = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ)


@dataclass(frozen=True, kw_only=True)
class TableColumns:
    """Rows of a table. Integers that are missing, NULL or no numbers are NONE; in `others` they are None."""

    n_rows: int
    ints: dict[str, Int64Array]
    others: dict[str, list[Any]]

    def __getitem__(self, name: str) -> Int64Array:
        return self.ints[name]

    def has(self, name: str) -> bool:
        """Does any row say something?"""
        return bool((self.ints[name] != NONE).any())


class Tables:
    """The tables of an open file. Use `opened`."""

    def __init__(self, path: Path, connection: sqlite3.Connection, size_bytes: int) -> None:
        self._path = path
        self._connection = connection
        self._most_rows = size_bytes // _FEWEST_BYTES_OF_A_ROW
        self._read: set[str] = set()
        listed = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
        self.names = frozenset(name for name, sql in listed if isinstance(sql, str) and sql[:13].upper() == "CREATE TABLE ")

    def read(self, table: str, ints: Sequence[str], others: Sequence[str] = (), needs: Sequence[str] = ()) -> TableColumns:
        """These columns of a table; no rows when there is no such table. FormatError when a column in `needs` is missing."""
        self._read.add(table)
        there = self._columns_of(table)
        if there and (absent := [name for name in needs if name not in there]):
            raise FormatError(str(self._path), f"table {table} has no column {absent[0]}; expected an export of nvprof or nsys")
        chosen = [name for name in (*ints, *others) if name in there]
        parts: dict[str, list[Any]] = {name: [] for name in chosen}
        n_rows = 0
        for rows in self._rows(table, chosen):
            n_rows += len(rows)
            for name, values in zip(chosen, zip(*rows, strict=True), strict=True):
                if name in others:
                    parts[name].extend(values)
                else:
                    parts[name].append(_int_column(values))
        return TableColumns(
            n_rows=n_rows,
            ints={n: np.concatenate(parts[n]) if parts.get(n) else np.full(n_rows, NONE, np.int64) for n in ints},
            others={n: parts.get(n) or [None] * n_rows for n in others},
        )

    def texts(self, table: str, key: str, value: str) -> dict[int, str]:
        """A table of numbered texts; FormatError when a number comes twice."""
        rows = self.read(table, (key,), (value,))
        found = {
            number: text for number, text in zip(rows[key].tolist(), rows.others[value], strict=True) if isinstance(text, str)
        }
        ids, counts = np.unique(rows[key], return_counts=True)
        if (counts > 1).any():
            raise FormatError(str(self._path), f"table {table} has the id {ids[counts > 1][0]} more than once")
        return found

    def left_out(self) -> list[str]:
        """Tables with events that nobody has asked for, by name."""
        found = []
        for table in sorted(self.names - self._read):
            columns = self._columns_of(table)
            if {"start", "timestamp"} & columns and self._connection.execute(
                f"SELECT 1 FROM {_quoted(table)} LIMIT 1"
            ).fetchone():
                found.append(table)
        return found

    def _columns_of(self, table: str) -> set[str]:
        if table not in self.names:
            return set()
        listed = self._connection.execute(f"PRAGMA table_xinfo({_quoted(table)})").fetchall()
        return {name for _place, name, _type, _not_null, _default, _key, hidden in listed if hidden == 0}

    def _rows(self, table: str, columns: Sequence[str]) -> Iterator[list[tuple[Any, ...]]]:
        if not columns:
            return
        cursor = self._connection.execute(f"SELECT {', '.join(map(_quoted, columns))} FROM {_quoted(table)}")
        n_rows = 0
        while rows := cursor.fetchmany(_ROWS_AT_ONCE):
            n_rows += len(rows)
            if n_rows > self._most_rows:
                raise FormatError(str(self._path), f"table {table} is damaged: it has more rows than fit into the file")
            yield rows


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Tables]:
    """The tables of a file, which is closed at the end. FormatError when it is no sound database, then or while it is read."""
    try:
        size_bytes = path.stat().st_size
        # Immutable: no lock, no journal beside the file is looked for, nothing is written next to it.
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True, isolation_level=None)
    except (OSError, sqlite3.Error) as error:
        raise FormatError(str(path), f"cannot be opened ({error})") from error
    with contextlib.closing(connection):
        try:
            connection.text_factory = _text
            connection.execute("PRAGMA trusted_schema = OFF")
            if sys.version_info >= (3, 11):
                connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max(size_bytes, 1 << 16))
            connection.set_authorizer(_only_reading)
            tables = Tables(path, connection, size_bytes)
        except _UNREADABLE as error:
            raise FormatError(
                str(path), f"not a PyTorch profile: an SQLite database that is damaged or cut off ({error})"
            ) from error
        try:
            yield tables
        except _UNREADABLE as error:
            raise FormatError(str(path), f"the SQLite database is damaged or cut off ({error})") from error


def _only_reading(action: int, what: str | None, *_where: str | None) -> int:
    allowed = action in _READING or (action == sqlite3.SQLITE_PRAGMA and what == "table_xinfo")
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", errors="replace")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _int_column(values: Sequence[Any]) -> Int64Array:
    """int64 of what SQLite gave: as fast as it can be for integers, value by value only where something else stands."""
    try:
        return np.fromiter(values, np.int64, len(values))
    except (TypeError, ValueError, OverflowError):
        return np.fromiter((value if isinstance(value, int) else NONE for value in values), np.int64, len(values))
