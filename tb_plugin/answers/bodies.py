"""A reply as bytes, in the forms that a door may ask for."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any, Final, Literal

from tb_plugin.answers import notes
from tb_plugin.answers.bounded import MAX_BYTES, encoded, fitting
from tb_plugin.base.csv_cells import inert
from tb_plugin.base.errors import OverBudgetError
from tb_plugin.question.question import Question, ViewReply

if TYPE_CHECKING:
    import msgspec

    from tb_plugin.answers.questions import AnyQuestion
    from tb_plugin.question.outline import TextTable
    from tb_plugin.trace.model import Trace

JSON: Final = "application/json"
COLUMNS: Final = "application/octet-stream"
CSV: Final = "text/csv"

MAX_CSV_CHARACTERS: Final = 64 << 20
"""Over HTTP."""

Form = Literal["sent", "csv"]
"""As the page gets it, or the rows of its table."""

_MEDIA: Final = {
    "csv": CSV,
    "openmetrics": "application/openmetrics-text; version=1.0.0; charset=utf-8",
    "jsonl": "application/jsonl; charset=utf-8",
    "markdown": "text/markdown; charset=utf-8",
}


def media(question: AnyQuestion, form: str) -> str:
    """`form`: a `Form`, or one of `Joint.forms`."""
    if form in _MEDIA:
        return _MEDIA[form]
    return COLUMNS if isinstance(question, Question) and question.encode is not None else JSON


def body(
    question: Question[Any, Any],
    trace: Trace,
    params: msgspec.Struct,
    form: Form,
    word: str | None = None,
    *,
    max_bytes: int = MAX_BYTES,
) -> bytes:
    """Answers, and encodes the answer. `word` has to be said about the profile: views have room for it."""
    if form == "csv":
        return csv_text(question.table(question.answer(trace, params)), MAX_CSV_CHARACTERS).encode(errors="replace")
    if question.may_be_missing:
        return _of_view(question, trace, params, [] if word is None else [word], max_bytes)
    reply = question.answer(trace, params)
    if question.encode is not None:
        return question.encode(reply)
    shown, left_out = fitting(reply, max_bytes)
    if left_out and question.shortened is not None:
        shown = question.shortened(shown)
    elif left_out:
        raise OverBudgetError(f"{' '.join(left_out)} Ask for less.")
    return encoded(shown)


def _of_view(question: Question[Any, Any], trace: Trace, params: msgspec.Struct, said: list[str], max_bytes: int) -> bytes:
    missing = question.missing(trace)
    if missing is not None:
        return encoded(ViewReply(view=question.id, missing=missing, notes=said, result=None))
    result = question.answer(trace, params)
    shown, left_out = fitting(result, max_bytes)
    said = [*said, *notes.on_answer(trace, params, result), *left_out]
    return encoded(ViewReply(view=question.id, missing=None, notes=said, result=shown))


def csv_text(table: TextTable, max_characters: float = float("inf")) -> str:
    """A header and rows, in base units; empty where a value is not recorded. What is too much is counted in the last row.

    A name that a spreadsheet would run as a formula begins with `'`, which tells spreadsheets that it is text.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.columns)
    for place, row in enumerate(table.rows):
        if out.tell() > max_characters:
            writer.writerow([f"... and {len(table.rows) - place:,} more rows, which are too much for one file"])
            break
        writer.writerow([inert(cell) if isinstance(cell, str) else cell for cell in row])
    return out.getvalue()
