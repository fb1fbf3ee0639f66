"""Memory for a terminal and for CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.base.text_table import aligned
from tb_plugin.base.units import format_bytes, format_ns
from tb_plugin.view import TextTable

if TYPE_CHECKING:
    from tb_plugin.views.memory.result import MemoryCount, MemoryDevice, MemoryHeld, MemoryOperator, MemoryUse

_COLUMNS = (
    "name",
    "via",
    "alive",
    "alive_bytes",
    "allocations",
    "allocated_bytes",
    "releases",
    "released_bytes",
    "increase_bytes",
)
_DEVICE = ("device", "events", "peak allocated", "at", "peak reserved", "capacity", "allocated")
_OPERATOR = ("alive", "held", "allocations", "allocated", "releases", "released", "increase", "name")
_BLOCK = ("bytes", "allocated at", "lifetime", "name")
_BLOCKS_SHOWN = 10


def text(result: MemoryUse) -> str:
    """Devices, what is alive at the instant, operators; sentences about what the file cannot tell come last."""
    if not result.devices:
        return "no memory events"
    title = next(device.title for device in result.devices if device.id == result.device)
    parts = [
        aligned(_DEVICE, [_device(device) for device in result.devices], left=("device",)),
        f"{title} from {format_ns(result.start_ns)} to {format_ns(result.end_ns)}\n{_held(result.held)}",
    ]
    if result.held.blocks:
        lines = [
            [format_bytes(b.bytes), format_ns(b.allocated_ns), _or(b.lifetime_ns, "not released"), _caller(b.name, b.via)]
            for b in result.held.blocks[:_BLOCKS_SHOWN]
        ]
        parts.append(aligned(_BLOCK, lines))
    parts.append(aligned(_OPERATOR, [_operator(row) for row in result.operators]))
    if result.releases_of_earlier is not None:
        parts.append(f"releases of what was allocated before the recording: {_count(result.releases_of_earlier)}")
    return "\n\n".join([*parts, *result.notes])


def table(result: MemoryUse) -> TextTable:
    return TextTable(columns=_COLUMNS, rows=[[getattr(row, column) for column in _COLUMNS] for row in result.operators])


def _device(device: MemoryDevice) -> list[str]:
    capacity, peak = device.capacity_bytes, device.peak_allocated_bytes
    return [
        device.id,
        str(device.n_events),
        format_bytes(peak),
        format_ns(device.peak_ns),
        "-" if device.peak_reserved_bytes is None else format_bytes(device.peak_reserved_bytes),
        "-" if capacity is None else format_bytes(capacity),
        "-" if not capacity else f"{100 * peak / capacity:.1f} %",
    ]


def _held(held: MemoryHeld) -> str:
    at = f"at the {'peak' if held.is_peak else 'instant'} ({format_ns(held.time_ns)})"
    when = f"{at}: {format_bytes(held.allocated_bytes)} allocated"
    if held.fragmentation_bytes is not None:
        when += f", {format_bytes(held.fragmentation_bytes)} reserved beyond"
    if held.known is None or held.earlier is None:
        return when
    rest = "not known" if held.rest_bytes is None else format_bytes(held.rest_bytes)
    return (
        f"{when}\n  allocated in the recording: {_count(held.known)}\n  before it, released in it: {_count(held.earlier)}"
        f"\n  before it, never released in it: {rest}"
    )


def _operator(row: MemoryOperator) -> list[str]:
    return [
        "-" if row.alive is None else str(row.alive),
        "-" if row.alive_bytes is None else format_bytes(row.alive_bytes),
        str(row.allocations),
        format_bytes(row.allocated_bytes),
        str(row.releases),
        format_bytes(row.released_bytes),
        format_bytes(row.increase_bytes),
        _caller(row.name, row.via),
    ]


def _caller(name: str | None, via: str | None) -> str:
    return "not attributed" if name is None else name if via is None else f"{name} (via {via})"


def _count(count: MemoryCount) -> str:
    return f"{count.count} blocks, {format_bytes(count.bytes)}"


def _or(ns: int | None, otherwise: str) -> str:
    return otherwise if ns is None else format_ns(ns)
