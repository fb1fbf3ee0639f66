"""What the SQL view is asked and answers; the wire format of `view/sql`."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

MAX_CHARACTERS: Final = 8_000
"""Of a statement. A link and a request's first line hold it, and nobody writes longer ones by hand."""

Statement = Annotated[
    str,
    msgspec.Meta(
        max_length=MAX_CHARACTERS,
        description="one SELECT; without one, the tables and columns that there are",
        extra={"place": "STATEMENT"},
    ),
]
Cell = int | float | str | None


class SqlParams(msgspec.Struct, frozen=True, kw_only=True):
    """One statement, or none."""

    statement: Statement = ""


class SqlColumn(msgspec.Struct, frozen=True, kw_only=True):
    """A column that statements may name."""

    name: str
    says: str


class SqlTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table that statements may name."""

    name: str
    says: str
    columns: list[SqlColumn]


class SqlAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """`columns` are the statement's; a row has a cell for each. `events`: (start, duration) of the event that its `id` names."""

    columns: list[str]
    rows: list[list[Cell]]
    is_cut: bool
    events: list[tuple[int, int] | None]
    tables: list[SqlTable]
