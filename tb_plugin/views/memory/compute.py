"""What holds memory at the peak? The curve of one device over a range, what is alive at its peak, and who allocated it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.trace.groupings.grouping import choices
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.memory.devices import CUDA, id_of
from tb_plugin.trace.memory.names import NO_TOTALS
from tb_plugin.trace.memory.peaks import after, time_of, window_of
from tb_plugin.trace.scope.recorded import MEMORY
from tb_plugin.views.memory.blocks import alive_after
from tb_plugin.views.memory.curve import curve
from tb_plugin.views.memory.groupings import GROUPINGS, usual
from tb_plugin.views.memory.groups import group_rows
from tb_plugin.views.memory.index import DeviceIndex, devices_of
from tb_plugin.views.memory.result import (
    MemoryCount,
    MemoryCurve,
    MemoryHeld,
    MemoryParams,
    MemorySegments,
    MemoryUse,
)
from tb_plugin.views.memory.where import chosen_device, devices_in, instant, kept_by_filters, range_of

if TYPE_CHECKING:
    from tb_plugin.trace.memory.series import Series
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.memory.blocks import MemoryBlocks


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """One device and range: positions [first, end) of its events are inside, and those marked in `counts` count."""

    device: DeviceIndex
    t0_ns: int
    t1_ns: int
    first: int
    end: int
    counts: BoolArray  # by position; inside the range and kept by the filters

    @property
    def series(self) -> Series:
        return self.device.series

    @property
    def blocks(self) -> MemoryBlocks | None:
        return self.device.blocks


def compute(trace: Trace, params: MemoryParams) -> MemoryUse:
    """An empty result when nothing about memory was recorded."""
    every = devices_of(trace)
    window = window_of(trace, [device.series for device in every])
    t0_ns, t1_ns = range_of(trace, params, window)
    devices = devices_in(trace, every, t0_ns, t1_ns)
    failures = int((trace.events.kind == Kind.OUT_OF_MEMORY).sum())
    chosen = chosen_device(every, devices, params.device)
    if chosen is None:
        return _nothing(window, failures)
    asked = _asked(trace, chosen, params, t0_ns, t1_ns)
    series, blocks = chosen.series, chosen.blocks
    at = instant(series, params.at_ns, t0_ns, t1_ns)
    change = series.bytes
    grows = asked.counts & (change > 0) & ~series.is_from_before
    shrinks = asked.counts & (change < 0)
    by = params.group_by or usual(trace)
    alive = None if blocks is None else alive_after(blocks, change, at)
    keys = chosen.keys(trace, by)
    groups = group_rows(chosen, keys, grows, shrinks, alive)
    return MemoryUse(
        device=id_of(series.device_type, series.device_index),
        devices=devices,
        start_ns=t0_ns,
        end_ns=t1_ns,
        window_start_ns=window[0],
        window_end_ns=window[1],
        totals="recorded" if series.has_totals else "summed",
        curve=curve(series, t0_ns, t1_ns, params.points),
        held=_held(asked, alive, at, params),
        allocations=_count(change[grows]),
        releases=_count(-change[shrinks]),
        releases_of_earlier=None if blocks is None else _count(-change[shrinks & blocks.earlier]),
        never_released=None if blocks is None else _count(change[grows & (blocks.ended_by == NONE)]),
        group_by=by,
        groupings=choices(trace, GROUPINGS, by, keys),
        groups=groups.listed(params.top),
        others=groups.others(params.top),
        n_groups=len(groups),
        segments=_segments(trace, series),
        out_of_memory=failures,
        notes=_notes(trace, series, failures),
    )


def missing(trace: Trace) -> str | None:
    if trace.memory.bytes.any():
        return None
    return MEMORY.lack(trace) or "Nothing was allocated or released during the recording."


def _asked(trace: Trace, device: DeviceIndex, params: MemoryParams, t0_ns: int, t1_ns: int) -> _Asked:
    first, end = np.searchsorted(device.series.time_ns, (t0_ns, t1_ns)).tolist()
    counts = np.zeros(len(device.series), np.bool_)
    counts[first:end] = True
    kept = kept_by_filters(trace, params, device.series)
    if kept is not None:
        counts &= kept
    return _Asked(device=device, t0_ns=t0_ns, t1_ns=t1_ns, first=first, end=end, counts=counts)


def _held(asked: _Asked, alive: Int64Array | None, at: int, params: MemoryParams) -> MemoryHeld:
    series, blocks = asked.series, asked.blocks
    allocated, reserved = after(series, at)
    earlier = known = rest = from_before = None
    if blocks is not None and alive is not None:
        later = np.flatnonzero(blocks.earlier[at + 1 :]) + at + 1
        known, earlier = _count(series.bytes[alive]), _count(-series.bytes[later])
        from_before = _count(series.bytes[alive[series.is_from_before[alive]]])
        # Below 0 if events of several threads were not written in the order in which their totals were taken.
        unexplained = allocated - known.bytes - earlier.bytes
        rest = unexplained if series.has_totals and unexplained >= 0 else None
    return MemoryHeld(
        time_ns=time_of(series, at, asked.t0_ns) if params.at_ns is None else params.at_ns,
        is_peak=params.at_ns is None,
        row=None if at == NONE else int(series.row[at]),
        allocated_bytes=allocated,
        reserved_bytes=None if series.reserved is None else reserved,
        fragmentation_bytes=None if series.reserved is None or reserved < allocated else reserved - allocated,
        known=known,
        from_before=from_before,
        earlier=earlier,
        rest_bytes=rest,
    )


def _segments(trace: Trace, series: Series) -> MemorySegments | None:
    """Of a memory snapshot: `formats/snapshot/state.py` makes them."""
    listed = trace.info.metadata.get("memory_segments")
    if series.device_type != CUDA or not isinstance(listed, list):
        return None
    found = next((each for each in listed if isinstance(each, dict) and each.get("device") == series.device_index), None)
    try:
        return None if found is None else msgspec.convert(found, MemorySegments)
    except msgspec.ValidationError:
        return None  # another program's key of the same name


def _notes(trace: Trace, series: Series, failures: int) -> list[str]:
    notes = []
    if not series.has_totals:
        notes.append(
            f"{_no_totals(trace)}: the curve is the sum of allocations and releases since the recording "
            "began, raised so that it is nowhere below 0. What was allocated before and never released is not in it."
        )
    if not series.has_addresses:
        notes.append("This file has no addresses: which allocations are alive cannot be told.")
    if failures:
        notes.append(f"An allocator ran out of memory {failures} times in this recording.")
    return notes


def _no_totals(trace: Trace) -> str:
    """Why: what the reader said, else what the file shows."""
    told = next((issue.text for issue in trace.issues if issue.kind == NO_TOTALS), None)
    if told is not None:
        return f"This file has no totals ({told})"
    if (trace.memory.total_allocated[trace.memory.bytes != 0] >= 0).any():
        return "Not every allocation of this file has a total"
    return "This file has no totals (torch before 1.10 writes none)"


def _nothing(window: tuple[int, int], failures: int) -> MemoryUse:
    empty = MemoryCount(count=0, bytes=0)
    held = MemoryHeld(
        time_ns=window[0],
        is_peak=True,
        row=None,
        allocated_bytes=0,
        reserved_bytes=None,
        fragmentation_bytes=None,
        known=None,
        earlier=None,
        from_before=None,
        rest_bytes=None,
    )
    return MemoryUse(
        device="",
        devices=[],
        start_ns=window[0],
        end_ns=window[1],
        window_start_ns=window[0],
        window_end_ns=window[1],
        totals="recorded",
        curve=MemoryCurve(time_ns=[], allocated_bytes=[], reserved_bytes=None),
        held=held,
        allocations=empty,
        releases=empty,
        releases_of_earlier=None,
        never_released=None,
        group_by="operator",
        groupings=[],
        groups=[],
        others=None,
        n_groups=0,
        segments=None,
        out_of_memory=failures,
        notes=[],
    )


def _count(n_bytes: Int64Array) -> MemoryCount:
    return MemoryCount(count=len(n_bytes), bytes=int(n_bytes.sum()))
