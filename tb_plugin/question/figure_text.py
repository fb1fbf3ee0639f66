"""Figures for a terminal: how a value of each unit reads, and a table of some columns of rows."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from tb_plugin.base.text_table import aligned, percent
from tb_plugin.base.units import format_bytes, format_ns, format_rate, rounded, with_prefix
from tb_plugin.question.figure import columns_of, value_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    import msgspec

    from tb_plugin.question.figure import Figure, Unit

_NO_VALUE = "-"


def text_table(
    struct: type[msgspec.Struct],
    rows: Sequence[Any],
    names: Sequence[str],
    *,
    left: Collection[str] = ("name",),
    titles: Mapping[str, str] | None = None,
    values: Mapping[str, Callable[[Any], Any]] | None = None,
) -> str:
    """The columns of these names. `values` are made of a row: in the column's unit, or already the text of the cell."""
    columns, own, called = columns_of(struct), values or {}, titles or {}
    heads = [called.get(name, words(columns[name].figure.title)) for name in names]
    lines = [
        [cell(columns[name].figure, own[name](row) if name in own else value_of(row, columns[name])) for name in names]
        for row in rows
    ]
    return aligned(heads, lines, left=[head for head, name in zip(heads, names, strict=True) if name in left])


def cell(figure: Figure, value: Any) -> str:
    """Words say what is absent; among numbers a dash is enough."""
    if value is not None:
        return value if isinstance(value, str) else shown(value, figure.unit)
    return figure.absent if figure.unit == "text" and figure.absent != "–" else _NO_VALUE


def shown(value: Any, unit: Unit) -> str:
    """A value as read at a glance."""
    match unit:
        case "ns":
            return format_ns(value)
        case "time":
            return datetime.fromtimestamp(value / 1e9, tz=timezone.utc).astimezone().strftime("%Y-%m-%d %H:%M")
        case "bytes":
            return format_bytes(value)
        case "bytes_per_s":
            return format_rate(value)
        case "flops":
            return with_prefix(value).rstrip()
        case "flops_per_s":
            return f"{with_prefix(value)}FLOP/s"
        case "share":
            return percent(value)
        case "percent":
            return f"{rounded(value, 0)} %"
        case "number":
            return rounded(value, 2)
        case "dims":
            return "x".join(map(str, value))
        case "text" | "count":
            return str(value)


def words(title: str) -> str:
    """`Host self` as `host self`; `FLOPs` stays."""
    return title if title[1:2].isupper() else title[:1].lower() + title[1:]
