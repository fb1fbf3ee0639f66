"""Memory for a terminal and for CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.base.text_table import aligned
from tb_plugin.base.units import format_bytes, format_ns
from tb_plugin.question.figure_text import text_table
from tb_plugin.question.outline import TextTable
from tb_plugin.views.memory.result import MemoryGroup

if TYPE_CHECKING:
    from tb_plugin.views.memory.result import MemoryCount, MemoryDevice, MemoryHeld, MemorySegments, MemoryUse

# Of CSV; `frames` are no cell.
_FIRST = (
    *("name", "via", "alive", "alive_bytes", "allocations", "allocated_bytes", "releases", "released_bytes"),
    *("increase_bytes", "largest_bytes"),
)
_COLUMNS = (*_FIRST, *(name for name in MemoryGroup.__struct_fields__ if name not in {*_FIRST, "frames"}))
_DEVICE = ("device", "events", "peak allocated", "at", "peak reserved", "capacity", "allocated")
_GROUP = (
    *("alive", "alive_bytes", "allocations", "allocated_bytes", "largest_bytes", "releases", "released_bytes"),
    *("increase_bytes", "name"),
)


def text(result: MemoryUse) -> str:
    """Devices, what is alive at the instant, operators; sentences about what the file cannot tell come last."""
    if not result.devices:
        return "no allocation during the recording"
    title = next(device.title for device in result.devices if device.id == result.device)
    parts = [
        aligned(_DEVICE, [_device(device) for device in result.devices], left=("device",)),
        f"{title} from {format_ns(result.start_ns)} to {format_ns(result.end_ns)}\n{_held(result.held)}",
    ]
    smaller = f"{result.n_groups - len(result.groups)} smaller ones"
    parts.append(
        text_table(
            MemoryGroup,
            result.groups if result.others is None else [*result.groups, result.others],
            _GROUP,
            left=(),
            titles={"name": result.group_by.replace("_", " ")},
            values={"name": lambda row: smaller if row is result.others else _caller(row)},
        )
    )
    if result.releases_of_earlier is not None:
        parts.append(f"releases of what was allocated before the recording: {_count(result.releases_of_earlier)}")
    if result.never_released is not None:
        parts.append(f"not released until the recording ended: {_count(result.never_released)}")
    if result.segments is not None:
        parts.append(_segments(result.segments))
    return "\n\n".join([*parts, *result.notes])


def table(result: MemoryUse) -> TextTable:
    return TextTable(columns=_COLUMNS, rows=[[getattr(row, column) for column in _COLUMNS] for row in result.groups])


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


def _segments(found: MemorySegments) -> str:
    return (
        f"segments when the snapshot was taken: {found.segments}, {format_bytes(found.total_bytes)}\n"
        f"  allocated: {format_bytes(found.allocated_bytes)} in {found.blocks} blocks "
        f"({format_bytes(found.allocated_bytes - found.requested_bytes)} of it rounding)\n"
        f"  waiting for another stream: {format_bytes(found.awaiting_bytes)}\n"
        f"  free: {format_bytes(found.free_bytes)} in {found.free_blocks} pieces, "
        f"the largest {format_bytes(found.largest_free_bytes)}; {found.unused_segments} segments are wholly free"
    )


def _caller(row: MemoryGroup) -> str | None:
    return row.name if row.name is None or row.via is None else f"{row.name} (via {row.via})"


def _count(count: MemoryCount) -> str:
    return f"{count.count} blocks, {format_bytes(count.bytes)}"
