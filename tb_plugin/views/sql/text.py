"""The answer of a statement, or the tables that there are, for a terminal and as CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.base.text_table import aligned
from tb_plugin.question.outline import TextTable

if TYPE_CHECKING:
    from tb_plugin.views.sql.result import Cell, SqlAnswer, SqlTable

_NULL = "-"


def text(answer: SqlAnswer) -> str:
    """Rows as they come; without a statement each table with its columns."""
    if not answer.columns:
        return "\n\n".join(f"{each.name}: {each.says}\n{_columns(each)}" for each in answer.tables)
    words = {at for row in answer.rows for at, cell in enumerate(row) if isinstance(cell, str)}
    # A table of text tells columns by their heads; a statement may have two of one name.
    heads = [name if answer.columns.index(name) == at else f"{name}:{at + 1}" for at, name in enumerate(answer.columns)]
    shown = aligned(heads, [[_shown(cell) for cell in row] for row in answer.rows], left=[heads[at] for at in words])
    return f"{shown}\n{cut_at(answer)}".rstrip()


def table(answer: SqlAnswer) -> TextTable:
    """The rows; without a statement a row a column that there is."""
    if not answer.columns:
        rows = [[table.name, column.name, column.says] for table in answer.tables for column in table.columns]
        return TextTable(columns=["table", "column", "is"], rows=rows)
    return TextTable(columns=answer.columns, rows=answer.rows)


def _columns(table: SqlTable) -> str:
    return aligned(["column", "is"], [[each.name, each.says] for each in table.columns], left=("column", "is"))


def cut_at(answer: SqlAnswer) -> str:
    """What is left out."""
    return f"Cut at {len(answer.rows):,} rows: group them, or ask with LIMIT." if answer.is_cut else ""


def _shown(cell: Cell) -> str:
    return _NULL if cell is None else f"{cell:.6g}" if isinstance(cell, float) else str(cell)
