"""Text and rows of any reply, by the names of its fields: `_ns` is a time, `_bytes` an amount of memory, `_share` a part of one,
`_bytes_per_s` a rate.

A reply's own fields stand line by line, then each list of it as a table. As rows it is its first list of Structs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args, get_origin

import msgspec

from tb_plugin.base.text_table import aligned
from tb_plugin.question.figure_text import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.question.figure import Unit

Cell = str | int | float | None

_NOT_RECORDED = "not recorded"
_WHY_NONE = "no_"  # `no_stacks` says why there are none; None is no reason
_UNITS: dict[str, Unit] = {"_ns": "ns", "bytes": "bytes", "bytes_per_s": "bytes_per_s", "_share": "share"}


@dataclass(frozen=True, kw_only=True)
class TextTable:
    """A result as rows in base units, for CSV. `columns` name the unit (`host_self_ns`)."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]


def text(reply: Any) -> str:
    """What a terminal shows where a question has no text of its own."""
    plain: list[tuple[str, str]] = []
    tables: list[tuple[str, str]] = []
    for name, value in _flat(reply):
        if isinstance(value, list | tuple) and any(isinstance(each, msgspec.Struct) for each in value):
            tables.append((name, _aligned(value)))
        elif value is not None or not name.startswith(_WHY_NONE):
            plain.append((_words(name), _shown(name, value)))
    width = max((len(name) for name, _ in plain), default=0)
    head = "\n".join(f"{name:{width}}  {value}".rstrip() for name, value in plain)
    return "\n\n".join([*([head] if head else []), *(f"{_words(name)}\n{body}" for name, body in tables)])


def table(reply: Any) -> TextTable:
    """The first list of Structs; without one the reply's own fields as one row."""
    for field in msgspec.structs.fields(type(reply)):
        row = _row_type(field.type)
        if row is not None:
            rows = [_cells(each) for each in getattr(reply, field.name)]
            columns = list(rows[0]) if rows else list(row.__struct_fields__)
            return TextTable(columns=columns, rows=[list(cells.values()) for cells in rows])
    return one_row(reply)


def one_row(reply: Any) -> TextTable:
    """The reply's own fields as one row."""
    own = _cells(reply)
    return TextTable(columns=list(own), rows=[list(own.values())])


def _row_type(hint: Any) -> type[msgspec.Struct] | None:
    """The Struct of `list[Struct]`."""
    if get_origin(hint) is not list:
        return None
    (row,) = get_args(hint)
    return row if isinstance(row, type) and issubclass(row, msgspec.Struct) else None


def _flat(value: Any, prefix: str = "") -> list[tuple[str, Any]]:
    """Fields of a Struct; those of a Struct in it by `outer.inner`."""
    found: list[tuple[str, Any]] = []
    for name in value.__struct_fields__:
        inner = getattr(value, name)
        found += _flat(inner, f"{prefix}{name}.") if isinstance(inner, msgspec.Struct) else [(prefix + name, inner)]
    return found


def _cells(row: msgspec.Struct) -> dict[str, Cell]:
    return {name: _cell(value) for name, value in _flat(row)}


def _cell(value: Any) -> Cell:
    if value is None or isinstance(value, str | int | float):
        return value
    return msgspec.json.encode(value).decode()


def _aligned(rows: Sequence[msgspec.Struct]) -> str:
    flat = [[(name, value) for name, value in _flat(row) if value is not None or not name.startswith(_WHY_NONE)] for row in rows]
    shown = [{name: _shown(name, value) for name, value in row} for row in flat]
    columns = list(dict.fromkeys(name for row in shown for name in row))
    texts = [name for name in columns if any(isinstance(value, str) for row in flat for n, value in row if n == name)]
    lines = [[row.get(name, "") for name in columns] for row in shown]
    return aligned([_words(name) for name in columns], lines, left=[_words(name) for name in texts])


def _shown(name: str, value: Any) -> str:
    if value is None:
        return _NOT_RECORDED
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return _number(name, value)
    if isinstance(value, list | tuple):
        return ", ".join(_shown(name, each) for each in value) if value else "none"
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _number(name: str, value: float) -> str:
    unit = next((unit for ending, unit in _UNITS.items() if name.endswith(ending)), None)
    if unit is None:
        return str(value) if isinstance(value, int) else f"{value:.4g}"
    return shown(value, unit)


def _words(name: str) -> str:
    for unit in ("_ns", "_share"):
        name = name.removesuffix(unit)
    return name.replace("_", " ")
