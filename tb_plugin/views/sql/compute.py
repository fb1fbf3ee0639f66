"""One SELECT over a profile, by the standard library's SQLite, in memory.

    EXPLAIN on empty tables  ->  which columns are read   ->  these are filled  ->  the statement, read only, with an end

A statement is a stranger's: it may read our tables and call functions, and nothing else (the authorizer), for 8 s of a processor
(the progress handler), with values of 100 000 bytes at most, so that none of SQLite's functions takes long in one go.
"""

from __future__ import annotations

import re
import sqlite3
import time
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, Final

from tb_plugin.base.errors import OverBudgetError, UsageError
from tb_plugin.base.own_memory import own_bytes
from tb_plugin.views.sql import parts
from tb_plugin.views.sql.result import MAX_CHARACTERS, Cell, SqlAnswer, SqlColumn, SqlParams, SqlTable
from tb_plugin.views.sql.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tb_plugin.trace.model import Trace
    from tb_plugin.views.sql.tables import Relation

MAX_ROWS: Final = 10_000
MAX_S: Final = 8.0
"""Of a processor, filling the tables included: less than a request has."""
MAX_BYTES: Final = 1 << 30
"""Of memory, for the shell; a request has less (`answers/budget.py`)."""

MAX_VALUE_BYTES: Final = 100_000
"""Of a value, or of a row while it is sorted."""

_EVENT: Final = "id"  # the column that names one
_LOOK_EVERY: Final = 200  # of SQLite's steps: one takes up to 30 ms with values as long as they may be
_WEIGH_EVERY: Final = 50  # looks: reading how much memory there is takes 20 us
_BROWSER_INTEGER: Final = 1 << 53  # JSON numbers beyond are rounded there
_MOST_TEXT: Final = 8 << 20  # characters of all cells
_ALSO_READ: Final = ("json_each", "json_tree", "sqlite_master", "sqlite_schema")
_LIMITS: Final = {
    "SQLITE_LIMIT_LENGTH": MAX_VALUE_BYTES,
    "SQLITE_LIMIT_SQL_LENGTH": 4 * MAX_CHARACTERS,
    "SQLITE_LIMIT_COLUMN": 200,
    "SQLITE_LIMIT_EXPR_DEPTH": 100,
    "SQLITE_LIMIT_COMPOUND_SELECT": 50,
    "SQLITE_LIMIT_LIKE_PATTERN_LENGTH": 100,
    "SQLITE_LIMIT_ATTACHED": 0,
    "SQLITE_LIMIT_WORKER_THREADS": 0,
}


def missing(trace: Trace) -> str | None:
    return None if len(trace.events) else "This profile has no events."


def compute(trace: Trace, params: SqlParams) -> SqlAnswer:
    """UsageError says what is wrong with a statement, OverBudgetError what it took too much of."""
    columns: list[str] = []
    rows: list[list[Cell]] = []
    is_cut = False
    if params.statement.strip():
        columns, rows, is_cut = _answer(trace, params.statement)
    return SqlAnswer(columns=columns, rows=rows, is_cut=is_cut, events=_events(trace, columns, rows), tables=_said())


def _said() -> list[SqlTable]:
    return [
        SqlTable(
            name=table.name,
            says=table.says,
            columns=[
                SqlColumn(name=table.id, says="the event, as links have it" if table.id == _EVENT else ""),
                *(SqlColumn(name=column.name, says=column.says) for column in table.columns),
            ],
        )
        for table in TABLES
    ]


def _events(trace: Trace, columns: list[str], rows: list[list[Cell]]) -> list[tuple[int, int] | None]:
    """Where and how long the event is that a row's `id` names; nothing without such a column."""
    if _EVENT not in columns:
        return []
    start, end, at = trace.events.start_ns, trace.events.end_ns, columns.index(_EVENT)
    ids = [row[at] for row in rows]
    return [
        (int(start[each]), int(end[each] - start[each])) if isinstance(each, int) and 0 <= each < len(start) else None
        for each in ids
    ]


def _answer(trace: Trace, statement: str) -> tuple[list[str], list[list[Cell]], bool]:
    if not hasattr(sqlite3.Connection, "setlimit"):
        raise UsageError("SQL needs Python 3.11 or newer, where it can be told how much a statement may take")
    if parts.names(statement) > parts.MOST_NAMES:
        raise UsageError(f"a statement may name what it defines with WITH {parts.MOST_NAMES} times, all in all")
    guard = _Guard()
    with closing[Any](sqlite3.connect(":memory:", isolation_level=None)) as base:  # Any: Python 3.10 knows less of it
        for name, most in _LIMITS.items():
            base.setlimit(getattr(sqlite3, name), most)
        base.text_factory = lambda text: text.decode("utf-8", "replace")
        base.execute("PRAGMA temp_store=MEMORY")
        for table in TABLES:
            columns = ", ".join(f"{column.name} {column.type}" for column in table.columns)
            # In `memory` an event may be there twice in a damaged file, so its id is no key.
            base.execute(f"CREATE TABLE {table.name} ({table.id} INTEGER, {columns})")
        base.set_progress_handler(guard.look, _LOOK_EVERY)
        base.set_authorizer(guard.allow)
        with _in_words(guard, statement):
            base.execute(f"EXPLAIN {statement}").fetchall()
            base.set_authorizer(None)
            for table in TABLES:
                if table.name in guard.read:
                    _fill(base, trace, table, guard.read[table.name])
            base.set_authorizer(guard.allow)
            cursor = base.execute(statement)
            rows, is_cut = _rows(cursor)
        return [name for name, *_ in cursor.description or ()], rows, is_cut


def _fill(base: sqlite3.Connection, trace: Trace, table: Relation, read: set[str]) -> None:
    rows = table.rows(trace)
    filled = {table.id: table.ids(trace, rows)} | {c.name: c.fill(trace, rows) for c in table.columns if c.name in read}
    marks = ", ".join("?" * len(filled))
    base.execute("BEGIN")
    base.executemany(f"INSERT INTO {table.name} ({', '.join(filled)}) VALUES ({marks})", zip(*filled.values(), strict=True))
    base.execute("COMMIT")


def _rows(cursor: sqlite3.Cursor) -> tuple[list[list[Cell]], bool]:
    rows: list[list[Cell]] = []
    room = _MOST_TEXT
    for row in cursor:
        if len(rows) == MAX_ROWS or room < 0:
            return rows, True
        rows.append([_cell(value) for value in row])
        room -= sum(len(value) for value in rows[-1] if isinstance(value, str))
    return rows, False


def _cell(value: Any) -> Cell:
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    if isinstance(value, int) and abs(value) > _BROWSER_INTEGER:
        return str(value)
    return value  # type: ignore[no-any-return]  # SQLite has no other types


class _Guard:
    """What SQLite asks before and while it works: what may be done, and whether to go on."""

    def __init__(self) -> None:
        self.read: dict[str, set[str]] = {}
        self.denied = False
        self.too_much: str | None = None
        self._ends_s = time.thread_time() + MAX_S
        self._began_bytes = own_bytes()
        self._n_looks = 0

    def allow(self, action: int, name: str | None, column: str | None, _base: str | None, _inside: str | None) -> int:
        """Reading our tables, functions but the one that loads code; a part of WITH is named without a column."""
        if action == sqlite3.SQLITE_READ and name in _OURS:
            self.read.setdefault(name, set()).add(column or "")
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ and (name in _ALSO_READ or not column):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION and column != "load_extension":
            return sqlite3.SQLITE_OK
        if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE):
            return sqlite3.SQLITE_OK
        self.denied = True
        return sqlite3.SQLITE_DENY

    def look(self) -> int:
        """Not 0: end. Here a request that is over its budget is stopped too: Python runs."""
        self._n_looks += 1
        if time.thread_time() > self._ends_s:
            self.too_much = f"the statement takes more than {MAX_S:g} s of computing"
        elif self._n_looks % _WEIGH_EVERY == 0 and own_bytes() - self._began_bytes > MAX_BYTES:
            self.too_much = f"the statement takes more than {MAX_BYTES >> 20} MB of memory"
        return self.too_much is not None


@contextmanager
def _in_words(guard: _Guard, statement: str) -> Iterator[None]:
    """What SQLite says is wrong, in one sentence with what there is."""
    try:
        yield
    except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
        said = " ".join(str(error).split())
        if guard.too_much is not None:
            raise OverBudgetError(f"{guard.too_much}; ask for fewer rows, with WHERE for example") from error
        if guard.denied or "one statement" in said:
            raise UsageError("one SELECT at a time, over these tables and nothing else") from error
        if "too big" in said:
            said = f"a value or a row would be longer than {MAX_VALUE_BYTES:,} bytes"
        raise UsageError(f"SQL: {said}{_there_is(said, statement)}") from error


def _there_is(said: str, statement: str) -> str:
    """The names to choose from, where one is not there."""
    if said.startswith("no such table"):
        return f"; there is {', '.join(_OURS)}"
    if said.startswith("no such column"):
        named = [table for name, table in _OURS.items() if re.search(rf"\b{name}\b", statement, re.IGNORECASE)]
        return "".join(f"; {table.name} has {table.id}, {', '.join(column.name for column in table.columns)}" for table in named)
    return ""


_OURS: Final = {table.name: table for table in TABLES}
