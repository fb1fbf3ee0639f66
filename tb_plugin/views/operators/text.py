"""The operators table for a terminal and for CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.base.text_table import aligned, percent
from tb_plugin.base.units import format_ns
from tb_plugin.view import TextTable

if TYPE_CHECKING:
    from tb_plugin.views.operators.result import OperatorRow, Operators

_COLUMNS = ("name", "kind", "input_shapes", "count", "host_self_ns", "host_total_ns", "device_self_ns", "device_total_ns")


def text(result: Operators) -> str:
    """Rows by device self time, then host self time; shares are of the totals in the last line."""
    by_shapes = result.group_by == "shapes"
    columns = ["calls", "host self", "%", "host total"]
    if result.has_device:
        columns += ["device self", "%", "device total"]
    columns += ["name"] + (["input shapes"] if by_shapes else [])
    lines = [_cells(row, result, by_shapes) for row in result.rows]
    totals = result.totals
    summary = f"{totals.count} calls, host self {format_ns(totals.host_self_ns)}"
    if result.has_device:
        summary += f", device {format_ns(totals.device_self_ns)}, of it not attributed {format_ns(totals.not_attributed_ns)}"
    if by_shapes and not result.has_shapes:
        summary += "\ninput shapes: not recorded (record_shapes=True)"
    return f"{aligned(columns, lines, left=('name', 'input shapes'))}\n{summary}"


def table(result: Operators) -> TextTable:
    return TextTable(columns=_COLUMNS, rows=[[getattr(row, column) for column in _COLUMNS] for row in result.rows])


def _cells(row: OperatorRow, result: Operators, by_shapes: bool) -> list[str]:
    totals = result.totals
    cells = [str(row.count), _time(row.host_self_ns), _share(row.host_self_ns, totals.host_self_ns), _time(row.host_total_ns)]
    if result.has_device:
        cells += [
            format_ns(row.device_self_ns),
            _share(row.device_self_ns, totals.device_self_ns),
            format_ns(row.device_total_ns),
        ]
    return cells + [row.name] + ([row.input_shapes or "not recorded"] if by_shapes else [])


def _time(ns: int | None) -> str:
    return "-" if ns is None else format_ns(ns)


def _share(ns: int | None, total_ns: int) -> str:
    return "-" if ns is None or total_ns == 0 else percent(ns / total_ns)
