"""The tree of modules for a terminal and for CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.base.text_table import aligned, percent
from tb_plugin.base.units import format_bytes, format_ns
from tb_plugin.view import TextTable

if TYPE_CHECKING:
    from tb_plugin.view import Cell
    from tb_plugin.views.modules.result import ModuleRow, Modules

_FACTS = (
    *("id", "parent", "depth", "kind", "name", "class_name", "qualified", "path", "instances", "calls", "recomputed"),
    *("operators_self", "operators_total", "kernels_self", "kernels_total"),
)
_TIMES = ("forward_self_ns", "forward_total_ns", "backward_self_ns", "backward_total_ns", "self_ns", "total_ns")
_MEMORY = ("allocated_self_bytes", "allocated_total_bytes", "net_self_bytes", "net_total_bytes")


def text(result: Modules) -> str:
    """Indented by depth, in the order of the first calls; shares are of all time on the device, or on the host."""
    columns = ["calls"]
    for side in ("host", "device") if result.has_device else ("host",):
        columns += [f"{side} forward", f"{side} backward"] if result.has_backward else []
        columns += [f"{side} total", "self"]
    if result.has_host_memory or result.has_device_memory:
        columns.append(f"{'device' if result.has_device_memory else 'host'} allocated")
    lines = [_cells(row, result) for row in result.rows]
    totals = result.totals
    summary = f"host {format_ns(totals.host_ns)} on the threads that run modules"
    if result.has_device:
        not_attributed = format_ns(totals.not_attributed_ns)
        summary += f", device {format_ns(totals.device_ns)}, of it not attributed {not_attributed}"
    if not result.has_backward:
        summary += "\nbackward: no backward operators of these modules were recorded"
    return f"{aligned([*columns, '%', 'module'], lines, left=('module',))}\n{summary}"


def table(result: Modules) -> TextTable:
    times = [f"{side}_{time}" for side in ("host", "device") for time in _TIMES]
    memory = [f"{side}_{size}" for side in ("host", "device") for size in _MEMORY]
    return TextTable(columns=[*_FACTS, *times, *memory], rows=[_values(row) for row in result.rows])


def _values(row: ModuleRow) -> list[Cell]:
    values = [getattr(row, fact) for fact in _FACTS]
    for part, names in ((row.host, _TIMES), (row.device, _TIMES), (row.host_memory, _MEMORY), (row.device_memory, _MEMORY)):
        values += [None if part is None else getattr(part, name) for name in names]
    return values


def _cells(row: ModuleRow, result: Modules) -> list[str]:
    cells = ["-" if row.calls is None else str(row.calls)]
    wanted = [*(("forward_total_ns", "backward_total_ns") if result.has_backward else ()), "total_ns", "self_ns"]
    for times in (row.host, row.device) if result.has_device else (row.host,):
        parts = [None if times is None else getattr(times, time) for time in wanted]
        cells += ["-" if ns is None else format_ns(ns) for ns in parts]
    times, whole = (row.device, result.totals.device_ns) if result.has_device else (row.host, result.totals.host_ns)
    share = "-" if times is None or whole == 0 else percent(times.total_ns / whole)
    # Spaces at the start of a cell are cut, so that a name with line breaks stays one line: dots keep the depth.
    if result.has_host_memory or result.has_device_memory:
        memory = row.device_memory if result.has_device_memory else row.host_memory
        cells.append("-" if memory is None else format_bytes(memory.allocated_total_bytes))
    many = f" x{row.instances}" if row.instances > 1 else ""
    known = f" ({row.qualified})" if row.qualified not in ("", row.name) else ""
    return [*cells, share, "· " * row.depth + row.name + many + known]
