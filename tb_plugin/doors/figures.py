"""`row_figures.ts` of each view: the columns of its tables as the Structs declare them (`question/figure.py`), for the page.

    python -m tb_plugin.doors.wire            with the rest of what is generated

A constant for each row: `OperatorRow` is `OPERATOR_ROW`. Its texts are those of `definitions.md`: of lists with fields of the
same name the one of the list, `groups.allocations`, before the plain one.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, get_args, get_type_hints

import msgspec

from tb_plugin import views
from tb_plugin.doors import definitions
from tb_plugin.question.figure import Column, columns_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tb_plugin.question.view import View

_HEAD: Final = """\
// Generated from the Structs and definitions.md of tb_plugin/views/{view} by `python -m tb_plugin.doors.wire`. Do not edit.
import {{ rowOf }} from '../../widgets/table/column'
"""
_DEFINITIONS: Final = "import * as define from './definitions'\n"

StructType = type[msgspec.Struct]


def rows_of(view: View[Any]) -> dict[StructType, tuple[str, ...]]:
    """Structs with figures in what a view answers, and the names on the way to each: of its question, and of fields."""
    found: dict[StructType, tuple[str, ...]] = {}
    for question in (view.main, *view.more):
        if _is_struct(question.reply):
            _collect(question.reply, () if question is view.main else (question.id,), found)
    return found


def module(view: View[Any]) -> str | None:
    """`row_figures.ts` of a view; None for one without a table."""
    rows = rows_of(view)
    if not rows:
        return None
    texts = definitions.of_view(view.id)
    constants = "\n".join(_constant(view.id, row, names, texts) for row, names in rows.items())
    return _HEAD.format(view=view.id) + (_DEFINITIONS if "define." in constants else "") + "\n" + constants


def definition_of(name: str, column: Column, names: tuple[str, ...], texts: dict[str, str]) -> str:
    """Which row of `definitions.md` is about this column."""
    own = dict.fromkeys([name, *column.path[-1:]])
    for key in (*(f"{outer}.{each}" for outer in names for each in own), *own):
        if key in texts:
            return key
    raise ValueError(f"definitions.md has no row for the column {name}")


def files() -> Iterator[tuple[Path, str]]:
    """What is generated: (file, text)."""
    for view in views.ALL:
        text = module(view)
        if text is not None:
            yield definitions.PAGE / view.id / "row_figures.ts", text


def main() -> None:
    for path, text in files():
        path.write_text(text, encoding="utf-8")


def _collect(struct: StructType, names: tuple[str, ...], found: dict[StructType, tuple[str, ...]]) -> None:
    if columns_of(struct):
        found.setdefault(struct, names)
        return  # parts of a row are columns of it
    for name, hint in get_type_hints(struct).items():
        for inner in _structs_in(hint):
            _collect(inner, (*names, name), found)


def _structs_in(hint: Any) -> list[StructType]:
    return [hint] if _is_struct(hint) else [found for part in get_args(hint) for found in _structs_in(part)]


def _is_struct(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, msgspec.Struct)


def _constant(view: str, row: StructType, names: tuple[str, ...], texts: dict[str, str]) -> str:
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", row.__name__).upper()
    lines = [f"  {_entry(id_, column, names, texts)}," for id_, column in columns_of(row).items()]
    return "\n".join([f"export const {name} = /* @__PURE__ */ rowOf('{view}', {{", *lines, "})", ""])


def _entry(name: str, column: Column, names: tuple[str, ...], texts: dict[str, str]) -> str:
    """What its name does not say, `rowOf` of the page's `column.ts`."""
    figure = column.figure
    parts = [f"title: {_quoted(figure.title)}"]
    if figure.unit != _unit_in(name):
        parts.append(f"kind: {_quoted(figure.unit)}")
    if figure.sums:
        parts.append("sums: true")
    if figure.absent != type(figure).absent:
        parts.append(f"absent: {_quoted(figure.absent)}")
    if len(column.path) > 1:
        parts.append(f"path: {json.dumps(column.path)}")
    definition = definition_of(name, column, names, texts)
    if definitions.told_as(definition, texts) != name:
        parts.append(f"definition: define.{definitions.name_of(definition)}")
    return f"{name}: {{ {', '.join(parts)} }}"


def _unit_in(name: str) -> str:
    unit = re.search(r"_(ns|bytes|share)$", name)
    return unit[1] if unit else "count" if name.startswith("n_") else "text"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
