"""The kernels table for a terminal and for CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.base.text_table import aligned, percent
from tb_plugin.base.units import format_bytes, format_ns
from tb_plugin.view import Cell, TextTable

if TYPE_CHECKING:
    from tb_plugin.views.kernels.result import KernelRow, Kernels

_TIMES = ("count", "total_ns", "mean_ns", "min_ns", "max_ns", "share", "blocks_per_sm", "occupancy_percent", "bytes")
_LAUNCH = ("operator", "grid", "block", "registers", "shared_bytes")


def text(result: Kernels) -> str:
    """Rows by total time; the last line has the sum and the union."""
    by_launch = result.group_by == "launch"
    columns = ["calls", "total", "%", "mean", "min", "max", "blocks/SM", "occupancy", "bytes", "kind"]
    columns += ["grid", "block", "registers", "shared"] if by_launch else []
    columns += ["name"] + (["operator"] if by_launch else [])
    lines = [_cells(row, by_launch) for row in result.rows]
    summary = f"{result.count} calls, {format_ns(result.total_ns)} in all, device busy with them {format_ns(result.busy_ns)}"
    return f"{aligned(columns, lines, left=('name', 'operator', 'kind'))}\n{summary}"


def table(result: Kernels) -> TextTable:
    columns = ("name", "kind", *(_LAUNCH if result.group_by == "launch" else ()), *_TIMES)
    return TextTable(columns=columns, rows=[[_plain(getattr(row, column)) for column in columns] for row in result.rows])


def _cells(row: KernelRow, by_launch: bool) -> list[str]:
    times = [format_ns(ns) for ns in (row.mean_ns, row.min_ns, row.max_ns)]
    cells = [str(row.count), format_ns(row.total_ns), percent(row.share), *times]
    cells.append("-" if row.blocks_per_sm is None else f"{row.blocks_per_sm:.2f}")
    cells.append("-" if row.occupancy_percent is None else f"{row.occupancy_percent:.0f} %")
    cells += ["-" if row.bytes is None else format_bytes(row.bytes), row.kind]
    if not by_launch:
        return [*cells, row.name]
    shared = "-" if row.shared_bytes is None else format_bytes(row.shared_bytes)
    registers = "-" if row.registers is None else str(row.registers)
    launch = [str(_plain(row.grid) or "-"), str(_plain(row.block) or "-"), registers, shared]
    return [*cells, *launch, row.name, row.operator or "not attributed"]


def _plain(value: Cell | tuple[int, int, int]) -> Cell:
    return "x".join(map(str, value)) if isinstance(value, tuple) else value
