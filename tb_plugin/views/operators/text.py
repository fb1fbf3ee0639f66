"""The operators table for a terminal and for CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns, with_prefix
from tb_plugin.question.effects import effect_or_why
from tb_plugin.question.figure_text import text_table
from tb_plugin.question.outline import TextTable
from tb_plugin.views.operators.result import OperatorRow

if TYPE_CHECKING:
    from tb_plugin.views.operators.result import Operators

_COLUMNS: Final = tuple(field.name for field in msgspec.structs.fields(OperatorRow))


def text(result: Operators) -> str:
    """Rows by device self time, then host self time; shares are of the totals in the last line."""
    by_shapes = result.group_by == "shapes"
    names = ["count", "host_self_ns", "host_self_share", "host_total_ns"]
    if result.has_device:
        names += ["device_self_ns", "device_self_share", "device_total_ns", "matrix_core_share", "matrix_core_eligible"]
    if result.has_shapes:
        names += ["flops", "flops_per_s", "input_bytes"]
    names += ["effect_share"] if any(row.effect_share is not None for row in result.rows) else []
    names += ["name", "input_shapes"] if by_shapes else ["name"]
    chosen = next(each for each in result.groupings if each.id == result.group_by)
    totals = result.totals
    rows = text_table(
        OperatorRow,
        result.rows,
        names,
        left=("name", "input_shapes"),
        titles={} if result.group_by in ("name", "shapes") else {"name": chosen.title},
        values={
            "host_self_share": lambda row: _share(row.host_self_ns, totals.host_self_ns),
            "device_self_share": lambda row: _share(row.device_self_ns, totals.device_self_ns),
            "matrix_core_share": _cores,
        },
    )
    summary = f"{totals.count} calls, host self {format_ns(totals.host_self_ns)}"
    if result.has_device:
        summary += f", device {format_ns(totals.device_self_ns)}, of it not attributed {format_ns(totals.not_attributed_ns)}"
    if totals.flops is not None:
        summary += f", {with_prefix(totals.flops)}FLOP"
    notes = [chosen.missing] if chosen.missing else []
    notes += [f"Effect of 10 % not known: {result.no_effect}."] if result.no_effect else []
    if result.has_shapes:
        notes.append("FLOP/s over device total, or host total where it has none. Input bytes: tensor inputs, each once.")
    elif not by_shapes and result.no_shapes:
        notes.append(f"No FLOPs, no input bytes: {result.no_shapes}")
    return "\n".join([rows, summary, *notes])


def table(result: Operators) -> TextTable:
    rows = [[effect_or_why(column, getattr(row, column), result.no_effect) for column in _COLUMNS] for row in result.rows]
    return TextTable(columns=_COLUMNS, rows=rows)


def _share(ns: int | None, total_ns: int) -> float | None:
    return None if ns is None or total_ns == 0 else ns / total_ns


def _cores(row: OperatorRow) -> str | None:
    if row.matrix_core_share is None or row.matrix_core_unknown_share is None:
        return None
    known = percent(row.matrix_core_share)
    return f"{known} + {percent(row.matrix_core_unknown_share)} unknown" if row.matrix_core_unknown_share else known
