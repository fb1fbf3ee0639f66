"""The tree of modules for a terminal and for CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.base.units import format_ns
from tb_plugin.question.effects import EFFECT, effect_or_why
from tb_plugin.question.figure import columns_of, value_of
from tb_plugin.question.figure_text import text_table
from tb_plugin.question.outline import TextTable
from tb_plugin.views.modules.result import ModuleRow

if TYPE_CHECKING:
    from tb_plugin.views.modules.result import Modules, PhaseTimes

_COLUMNS: Final = columns_of(ModuleRow)
# Of CSV: what stands before the times, then the figures of the host and of the device.
_FACTS: Final = ModuleRow.__struct_fields__[: ModuleRow.__struct_fields__.index("host")]
_OF_PARTS: Final = [name for name, column in _COLUMNS.items() if len(column.path) > 1]


def text(result: Modules) -> str:
    """Shares are of all time on the device, or on the host. By class one row a class, its modules are in JSON and CSV.

    Else indented by depth, in the order of the first calls.
    """
    if not any(row.kind == "module" for row in result.rows):
        return "No modules are in what was recorded."
    side = "device" if result.has_device else "host"
    by_class = result.group_by == "class"
    names = [f"{side}_self_share", "calls"] if by_class else ["calls"]
    for each in ("host", "device") if result.has_device else ("host",):
        names += [f"{each}_forward_total_ns", f"{each}_backward_total_ns"] if result.has_backward else []
        names += [f"{each}_total_ns", f"{each}_self_ns"]
    if result.has_host_memory or result.has_device_memory:
        names.append(f"{'device' if result.has_device_memory else 'host'}_allocated_total_bytes")
    names += [f"{side}_share"]
    names += ["effect_share", "name"] if any(row.effect_share is not None for row in result.rows) else ["name"]
    totals = result.totals
    summary = f"host {format_ns(totals.host_ns)} on the threads that run modules"
    if result.has_device:
        not_attributed = format_ns(totals.not_attributed_ns)
        summary += f", device {format_ns(totals.device_ns)}, of it not attributed {not_attributed}"
    if not result.has_backward:
        summary += "\nbackward: no backward operators of these modules were recorded"
    if by_class:
        summary += "\nby class, the largest own time first; each module: --group-by instance"
    if result.no_effect:
        summary += f"\nEffect of 10 % not known: {result.no_effect}."
    shares = {
        "device_share": lambda row: _share(row.device, totals.device_ns),
        "host_share": lambda row: _share(row.host, totals.host_ns),
        "device_self_share": lambda row: _own_share(row.device, totals.device_ns),
        "host_self_share": lambda row: _own_share(row.host, totals.host_ns),
    }
    rows = [row for row in result.rows if row.parent is None] if by_class else result.rows
    return f"{text_table(ModuleRow, rows, names, values=shares | {'name': _indented})}\n{summary}"


def table(result: Modules) -> TextTable:
    rows = [
        [
            *(getattr(row, fact) for fact in _FACTS),
            *(value_of(row, _COLUMNS[name]) for name in _OF_PARTS),
            *(effect_or_why(name, getattr(row, name), result.no_effect) for name in EFFECT),
        ]
        for row in result.rows
    ]
    return TextTable(columns=[*_FACTS, *_OF_PARTS, *EFFECT], rows=rows)


def _share(times: PhaseTimes | None, whole_ns: int) -> float | None:
    return None if times is None or whole_ns == 0 else times.total_ns / whole_ns


def _own_share(times: PhaseTimes | None, whole_ns: int) -> float | None:
    return None if times is None or whole_ns == 0 else times.self_ns / whole_ns


def _indented(row: ModuleRow) -> str:
    # Spaces at the start of a cell are cut, so that a name with line breaks stays one line: dots keep the depth.
    many = f" x{row.instances}" if row.instances > 1 else ""
    known = f" ({row.qualified})" if row.qualified not in ("", row.name) else ""
    return "· " * row.depth + row.name + many + known
