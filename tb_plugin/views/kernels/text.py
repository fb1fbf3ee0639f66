"""The kernels table for a terminal and for CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import at_least, format_ns
from tb_plugin.question.effects import effect_or_why
from tb_plugin.question.figure_text import text_table
from tb_plugin.question.outline import Cell, TextTable
from tb_plugin.trace.work.taxonomy import CATEGORIES
from tb_plugin.views.kernels.result import KernelRow

if TYPE_CHECKING:
    from tb_plugin.views.kernels.result import Kernels

_NOBODY: Final = {"operator": "not attributed", "module": "in no module"}
_TITLES: Final = {info.id: info.title.lower() for info in CATEGORIES}

_SHOWN = (
    *("count", "total_ns", "share", "mean_ns", "min_ns", "max_ns", "blocks_per_sm", "occupancy_percent", "bytes"),
    *("launch_delay_median_ns", "matrix_core", "category"),
)
_COLLECTIVES = ("message_bytes", "process_group", "dimension", "least_bus_bytes_per_s")
# Of CSV.
_FIRST = ("name", "kind")
_LAUNCH = ("operator", "grid", "block", "registers", "shared_bytes")
_SHAPE = ("registers", "shared_bytes")
_TIMES = ("count", "total_ns", "mean_ns", "min_ns", "max_ns", "share", "blocks_per_sm", "occupancy_percent", "bytes")
_ORDERED = {*_FIRST, *_LAUNCH, *_TIMES, "example"}
_MORE = tuple(name for name in KernelRow.__struct_fields__ if name not in _ORDERED)


def text(result: Kernels) -> str:
    """Rows by total time; the last lines have the sum, the union, and the categories."""
    by_launch = result.group_by == "launch"
    effect = ["effect_share"] if any(row.effect_share is not None for row in result.rows) else []
    shown = [*_SHOWN, *effect, *(name for name in _COLLECTIVES if any(getattr(row, name) is not None for row in result.rows))]
    names = [*shown, *_LAUNCH[1:], "name", "operator"] if by_launch else [*shown, "name"]
    rows = text_table(
        KernelRow,
        result.rows,
        names,
        left=("name", "operator", "category", "matrix_core", "process_group", "dimension"),
        values={
            "matrix_core": _cores,
            "category": lambda row: row.kind if row.category is None else _TITLES[row.category],
            "name": lambda row: row.name or _NOBODY.get(result.group_by, ""),
            "message_bytes": lambda row: None if row.message_bytes is None else at_least(row.message_bytes, row.n_unsized),
            "process_group": lambda row: _of_collectives(row, row.process_group, row.n_without_group),
            "dimension": lambda row: _of_collectives(row, row.dimension, row.n_without_dimension),
        },
    )
    summary = f"{result.count} calls, {format_ns(result.total_ns)} in all, device busy with them {format_ns(result.busy_ns)}"
    not_known = f"\nEffect of 10 % not known: {result.no_effect}." if result.no_effect else ""
    return f"{rows}\n{summary}{_categories(result)}{not_known}"


def table(result: Kernels) -> TextTable:
    by_launch = result.group_by == "launch"
    columns = (*_FIRST, *(_LAUNCH if by_launch else ()), *_TIMES, *_MORE, *(() if by_launch else _SHAPE))
    rows = [[effect_or_why(column, _plain(getattr(row, column)), result.no_effect) for column in columns] for row in result.rows]
    return TextTable(columns=columns, rows=rows)


def _cores(row: KernelRow) -> str:
    """Matrix core use; of several kernels the share of time that certainly has it."""
    if row.matrix_core == "several":
        return percent(row.matrix_ns / max(row.total_ns, 1))
    return row.matrix_core or "-"


def _of_collectives(row: KernelRow, said: str | None, n_without: int) -> str:
    if said is None:
        return "not recorded" if row.kind == "communication" else "-"
    return f"{said}, {n_without} not recorded" if n_without else said


def _categories(result: Kernels) -> str:
    total = max(sum(each.total_ns for each in result.categories), 1)
    parts = [f"{_TITLES[each.category]} {percent(each.total_ns / total)}" for each in result.categories]
    return f"\n{', '.join(parts)}" if parts else ""


def _plain(value: Cell | tuple[int, int, int]) -> Cell:
    return "x".join(map(str, value)) if isinstance(value, tuple) else value
