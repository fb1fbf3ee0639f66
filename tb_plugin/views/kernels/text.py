"""The kernels table for a terminal and for CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.base.text_table import aligned, percent
from tb_plugin.base.units import format_bytes, format_ns
from tb_plugin.trace.taxonomy import CATEGORIES
from tb_plugin.view import Cell, TextTable

if TYPE_CHECKING:
    from tb_plugin.views.kernels.result import KernelRow, Kernels

_NOBODY: Final = {"operator": "not attributed", "module": "in no module"}
_TITLES: Final = {info.id: info.title.lower() for info in CATEGORIES}

_TIMES = ("count", "total_ns", "mean_ns", "min_ns", "max_ns", "share", "blocks_per_sm", "occupancy_percent", "bytes")
_LAUNCH = ("operator", "grid", "block", "registers", "shared_bytes")
_SHAPE = ("registers", "shared_bytes")
_MORE = (
    "category",
    "names",
    "matrix_core",
    "matrix_ns",
    "matrix_unknown_ns",
    "launch_delay_median_ns",
    "launch_delay_max_ns",
    "queue_length",
    "bytes_per_s",
    "copy_kind",
    "flops",
    "flops_per_s",
    "peak_share",
    "flops_per_byte",
    "bandwidth_share",
)


def text(result: Kernels) -> str:
    """Rows by total time; the last lines have the sum, the union, and the categories."""
    by_launch = result.group_by == "launch"
    columns = ["calls", "total", "%", "mean", "min", "max", "blocks/SM", "occupancy", "bytes", "delay", "cores", "kind"]
    columns += ["grid", "block", "registers", "shared"] if by_launch else []
    columns += ["name"] + (["operator"] if by_launch else [])
    lines = [_cells(row, result.group_by) for row in result.rows]
    summary = f"{result.count} calls, {format_ns(result.total_ns)} in all, device busy with them {format_ns(result.busy_ns)}"
    return f"{aligned(columns, lines, left=('name', 'operator', 'kind', 'cores'))}\n{summary}{_categories(result)}"


def table(result: Kernels) -> TextTable:
    more = tuple(name for name in _MORE if name not in _LAUNCH)
    columns = ("name", "kind", *(_LAUNCH if result.group_by == "launch" else ()), *_TIMES, *more)
    columns += () if result.group_by == "launch" else _SHAPE
    return TextTable(columns=columns, rows=[[_plain(getattr(row, column)) for column in columns] for row in result.rows])


def _cells(row: KernelRow, group_by: str) -> list[str]:
    times = [format_ns(ns) for ns in (row.mean_ns, row.min_ns, row.max_ns)]
    cells = [str(row.count), format_ns(row.total_ns), percent(row.share), *times]
    cells.append("-" if row.blocks_per_sm is None else f"{row.blocks_per_sm:.2f}")
    cells.append("-" if row.occupancy_percent is None else f"{row.occupancy_percent:.0f} %")
    cells.append("-" if row.bytes is None else format_bytes(row.bytes))
    cells.append("-" if row.launch_delay_median_ns is None else format_ns(row.launch_delay_median_ns))
    cells += [_cores(row), row.kind if row.category is None else _TITLES[row.category]]
    name = row.name or _NOBODY.get(group_by, "")
    if group_by != "launch":
        return [*cells, name]
    shared = "-" if row.shared_bytes is None else format_bytes(row.shared_bytes)
    registers = "-" if row.registers is None else str(row.registers)
    launch = [str(_plain(row.grid) or "-"), str(_plain(row.block) or "-"), registers, shared]
    return [*cells, *launch, name, row.operator or "not attributed"]


def _cores(row: KernelRow) -> str:
    """Matrix core use; of several kernels the share of time that certainly has it."""
    if row.matrix_core == "several":
        return percent(row.matrix_ns / max(row.total_ns, 1))
    return row.matrix_core or "-"


def _categories(result: Kernels) -> str:
    total = max(sum(each.total_ns for each in result.categories), 1)
    parts = [f"{_TITLES[each.category]} {percent(each.total_ns / total)}" for each in result.categories]
    return f"\n{', '.join(parts)}" if parts else ""


def _plain(value: Cell | tuple[int, int, int]) -> Cell:
    return "x".join(map(str, value)) if isinstance(value, tuple) else value
