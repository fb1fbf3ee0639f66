"""The operators table for a terminal and for CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from tb_plugin.base.text_table import aligned, percent
from tb_plugin.base.units import format_bytes, format_ns
from tb_plugin.view import TextTable
from tb_plugin.views.operators.result import OperatorRow

if TYPE_CHECKING:
    from tb_plugin.views.operators.result import GroupBy, Operators

_COLUMNS: Final = tuple(field.name for field in msgspec.structs.fields(OperatorRow))
_TITLES: Final[dict[GroupBy, str]] = {
    "name": "name",
    "shapes": "name",
    "call_site": "call site",
    "module": "module",
    "category": "category",
}


def text(result: Operators) -> str:
    """Rows by device self time, then host self time; shares are of the totals in the last line."""
    by_shapes = result.group_by == "shapes"
    columns = ["calls", "host self", "%", "host total"]
    if result.has_device:
        columns += ["device self", "%", "device total", "tensor cores", "eligible"]
    if result.has_shapes:
        columns += ["FLOPs", "FLOP/s", "input bytes"]
    columns += [_TITLES[result.group_by]] + (["input shapes"] if by_shapes else [])
    lines = [_cells(row, result) for row in result.rows]
    totals = result.totals
    summary = f"{totals.count} calls, host self {format_ns(totals.host_self_ns)}"
    if result.has_device:
        summary += f", device {format_ns(totals.device_self_ns)}, of it not attributed {format_ns(totals.not_attributed_ns)}"
    if totals.flops is not None:
        summary += f", {_scaled(totals.flops)}FLOP"
    notes = [result.not_recorded] if result.not_recorded else []
    if result.has_shapes:
        notes.append("FLOP/s over device total, or host total where it has none. Input bytes: tensor inputs, each once.")
    elif not by_shapes:
        notes.append("FLOPs and input bytes: not recorded (record_shapes=True)")
    return "\n".join([aligned(columns, lines, left=(*_TITLES.values(), "input shapes")), summary, *notes])


def table(result: Operators) -> TextTable:
    return TextTable(columns=_COLUMNS, rows=[[getattr(row, column) for column in _COLUMNS] for row in result.rows])


def _cells(row: OperatorRow, result: Operators) -> list[str]:
    totals = result.totals
    cells = [str(row.count), _time(row.host_self_ns), _share(row.host_self_ns, totals.host_self_ns), _time(row.host_total_ns)]
    if result.has_device:
        cells += [
            format_ns(row.device_self_ns),
            _share(row.device_self_ns, totals.device_self_ns),
            format_ns(row.device_total_ns),
            _cores(row),
            row.matrix_core_eligible or "-",
        ]
    if result.has_shapes:
        cells += [
            "-" if row.flops is None else _scaled(row.flops).rstrip(),
            "-" if row.flops_per_s is None else f"{_scaled(row.flops_per_s)}FLOP/s",
            "-" if row.input_bytes is None else format_bytes(row.input_bytes),
        ]
    cells.append(row.name)
    return cells + ([row.input_shapes or "not recorded"] if result.group_by == "shapes" else [])


def _cores(row: OperatorRow) -> str:
    if row.matrix_core_share is None or row.matrix_core_unknown_share is None:
        return "-"
    known = f"{percent(row.matrix_core_share)}"
    return f"{known} + {percent(row.matrix_core_unknown_share)} unknown" if row.matrix_core_unknown_share else known


def _time(ns: int | None) -> str:
    return "-" if ns is None else format_ns(ns)


def _share(ns: int | None, total_ns: int) -> str:
    return "-" if ns is None or total_ns == 0 else percent(ns / total_ns)


def _scaled(count: float) -> str:
    """`61.2 T`, with a decimal prefix."""
    for size, prefix in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= size * 0.9995:
            return f"{count / size:.3g} {prefix}"
    return f"{count:.3g} "
