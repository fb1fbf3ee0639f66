"""How busy each device was, and with what. All figures are unions over the device's streams."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.intervals import intersect, length, union, union_length
from tb_plugin.trace.kinds import DEVICE_KINDS, Kind
from tb_plugin.views.overview.result import DeviceRow

if TYPE_CHECKING:
    from tb_plugin.trace.model import Device, Trace


def device_rows(trace: Trace, is_collective: BoolArray) -> list[DeviceRow]:
    """One row per device that worked, by index. Devices that are only listed in the file had nothing to do here."""
    work = np.flatnonzero(np.isin(trace.events.kind, DEVICE_KINDS))
    device = trace.tracks.device[trace.events.track[work]]
    properties = {entry.index: entry for entry in trace.info.devices}
    return [_row(trace, work[device == i], i, properties.get(i), is_collective) for i in np.unique(device).tolist()]


def _row(trace: Trace, rows: Int64Array, index: int, properties: Device | None, is_collective: BoolArray) -> DeviceRow:
    events = trace.events
    start, end, kind = events.start_ns[rows], events.end_ns[rows], events.kind[rows]
    is_communication = is_collective[rows]
    is_computation = (kind == Kind.KERNEL) & ~is_communication
    busy_ns = union_length(start, end)
    window_ns = int(end.max() - start.min())
    computation = union(start[is_computation], end[is_computation])
    communication = union(start[is_communication], end[is_communication])
    overlapped_ns = length(intersect(communication, computation))
    return DeviceRow(
        index=index,
        name=(properties.name or None) if properties else None,
        memory_bytes=properties.memory_bytes if properties else None,
        busy_ns=busy_ns,
        window_ns=window_ns,
        utilization=busy_ns / window_ns if window_ns else 0.0,
        computation_ns=length(computation),
        communication_exposed_ns=length(communication) - overlapped_ns,
        communication_overlapped_ns=overlapped_ns,
        copy_ns=union_length(start[kind == Kind.COPY], end[kind == Kind.COPY]),
        set_ns=union_length(start[kind == Kind.SET], end[kind == Kind.SET]),
        streams=len(np.unique(events.track[rows])),
    )


def not_attributed(trace: Trace) -> tuple[int, int]:
    """(summed time of kernels, copies and sets; of it the time that belongs to no operator, range or launch), ns."""
    events = trace.events
    work = np.isin(events.kind, DEVICE_KINDS)
    duration = events.end_ns - events.start_ns
    return int(duration[work].sum()), int(duration[work & (events.owner == NONE)].sum())
