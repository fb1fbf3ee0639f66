"""What holds memory at the peak? The curve of one device over a range, what is alive at its peak, and who allocated it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.grouping import group_by
from tb_plugin.trace.kinds import Kind
from tb_plugin.views.memory.blocks import Blocks, alive_after, pair
from tb_plugin.views.memory.callers import Callers, callers
from tb_plugin.views.memory.curve import curve, value_before
from tb_plugin.views.memory.devices import CPU, capacity_of, id_of, title_of
from tb_plugin.views.memory.result import (
    MemoryBlock,
    MemoryCount,
    MemoryCurve,
    MemoryDevice,
    MemoryHeld,
    MemoryOperator,
    MemoryParams,
    MemoryUse,
)
from tb_plugin.views.memory.series import Series, all_series

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """One device and range: positions [first, end) of its events are inside; `blocks` None where there are no addresses."""

    series: Series
    t0_ns: int
    t1_ns: int
    first: int
    end: int
    blocks: Blocks | None
    callers: Callers


def compute(trace: Trace, params: MemoryParams) -> MemoryUse:
    """An empty result when nothing about memory was recorded."""
    every = all_series(trace)
    window = _window(trace, every)
    t0_ns, t1_ns = _range(params, window)
    devices = [_device(trace, series, t0_ns, t1_ns) for series in every]
    failures = int((trace.events.kind == Kind.OUT_OF_MEMORY).sum())
    chosen, notes = _chosen(every, devices, params.device)
    if chosen is None:
        return _nothing(window, failures)
    blocks = pair(chosen.bytes, chosen.address) if chosen.has_addresses else None
    first, end = np.searchsorted(chosen.time_ns, (t0_ns, t1_ns)).tolist()
    asked = _Asked(
        series=chosen, t0_ns=t0_ns, t1_ns=t1_ns, first=first, end=end, blocks=blocks, callers=callers(trace, chosen.row)
    )
    at = _instant(asked, params.at_ns)
    change = chosen.bytes[first:end]
    return MemoryUse(
        device=id_of(chosen.device_type, chosen.device_index),
        devices=devices,
        start_ns=t0_ns,
        end_ns=t1_ns,
        window_start_ns=window[0],
        window_end_ns=window[1],
        totals="recorded" if chosen.has_totals else "summed",
        curve=curve(chosen, t0_ns, t1_ns, params.points),
        held=_held(trace, asked, at, params),
        allocations=_count(change[change > 0]),
        releases=_count(-change[change < 0]),
        releases_of_earlier=None if blocks is None else _count(-change[blocks.earlier[first:end]]),
        never_released=None if blocks is None else _count(change[(change > 0) & (blocks.ended_by[first:end] == NONE)]),
        operators=_operators(trace, asked, at),
        out_of_memory=failures,
        notes=[*notes, *_notes(chosen, failures)],
    )


def missing(trace: Trace) -> str | None:
    if trace.memory.bytes.any():
        return None
    return "No memory events were recorded. Record with profile_memory=True."


def _window(trace: Trace, every: list[Series]) -> tuple[int, int]:
    """From the first to the last event of the recording, memory events included; never empty. ns."""
    starts = [trace.info.start_ns, *(int(series.time_ns[0]) for series in every)]
    ends = [trace.info.end_ns, *(int(series.time_ns[-1]) + 1 for series in every)]
    return min(starts), max(*ends, min(starts) + 1)


def _range(params: MemoryParams, window: tuple[int, int]) -> tuple[int, int]:
    """The range asked for, cut to the recording; at least 1 ns long."""
    low = window[0] if params.t0_ns is None else min(max(params.t0_ns, window[0]), window[1] - 1)
    high = window[1] if params.t1_ns is None else min(params.t1_ns, window[1])
    return low, max(high, low + 1)


def _device(trace: Trace, series: Series, t0_ns: int, t1_ns: int) -> MemoryDevice:
    at = _peak(series, series.allocated, t0_ns, t1_ns)
    reserved = None if series.reserved is None else _peak(series, series.reserved, t0_ns, t1_ns)
    return MemoryDevice(
        id=id_of(series.device_type, series.device_index),
        title=title_of(series.device_type, series.device_index),
        n_events=len(series),
        peak_allocated_bytes=_after(series, at)[0],
        peak_ns=_time(series, at, t0_ns),
        peak_reserved_bytes=None if reserved is None else _after(series, reserved)[1],
        peak_reserved_ns=None if reserved is None else _time(series, reserved, t0_ns),
        capacity_bytes=capacity_of(trace, series.device_type, series.device_index),
    )


def _peak(series: Series, values: Int64Array, t0_ns: int, t1_ns: int) -> int:
    """Position of the event after which the value is highest in the range, the earliest of equals.

    It may be the last event before the range, whose value holds at its start, or NONE where none came before.
    """
    first, end = np.searchsorted(series.time_ns, (t0_ns, t1_ns)).tolist()
    if end == 0:
        return NONE
    low = max(first - 1, 0)
    highest = low + int(np.argmax(values[low:end]))
    # Only what is allocated is known for the time before the first event.
    starts_higher = first == 0 and values is series.allocated and series.before >= values[highest]
    return NONE if starts_higher else highest


def _after(series: Series, position: int) -> tuple[int, int]:
    """(allocated, reserved) from the event at this position on; before all events for NONE."""
    return value_before(series, position + 1)


def _time(series: Series, position: int, t0_ns: int) -> int:
    return t0_ns if position == NONE else max(int(series.time_ns[position]), t0_ns)


def _chosen(every: list[Series], devices: list[MemoryDevice], wanted: str | None) -> tuple[Series | None, list[str]]:
    """The device asked for, or the accelerator with the highest peak; what to say when it is another one."""
    if not every:
        return None, []
    for series, device in zip(every, devices, strict=True):
        if device.id == wanted:
            return series, []
    pairs = zip(every, devices, strict=True)
    series, device = max(pairs, key=lambda each: (each[0].device_type != CPU, each[1].peak_allocated_bytes))
    notes = [] if wanted is None else [f"There are no memory events of “{wanted}” in this profile: shown is {device.title}."]
    return series, notes


def _instant(asked: _Asked, at_ns: int | None) -> int:
    """Position of the event after which to look, NONE for before all: the peak of the range, or the last one by `at_ns`."""
    if at_ns is None:
        return _peak(asked.series, asked.series.allocated, asked.t0_ns, asked.t1_ns)
    return int(np.searchsorted(asked.series.time_ns, at_ns, side="right")) - 1


def _held(trace: Trace, asked: _Asked, at: int, params: MemoryParams) -> MemoryHeld:
    series, blocks = asked.series, asked.blocks
    allocated, reserved = _after(series, at)
    earlier = known = rest = None
    shown: list[MemoryBlock] = []
    if blocks is not None:
        alive = alive_after(blocks, series.bytes, at)
        later = np.flatnonzero(blocks.earlier[at + 1 :]) + at + 1
        known, earlier = _count(series.bytes[alive]), _count(-series.bytes[later])
        # Below 0 if events of several threads were not written in the order in which their totals were taken.
        unexplained = allocated - known.bytes - earlier.bytes
        rest = unexplained if series.has_totals and unexplained >= 0 else None
        largest = alive[np.argsort(-series.bytes[alive], kind="stable")][: max(params.top, 0)]
        shown = _blocks(trace, asked, blocks, largest)
    return MemoryHeld(
        time_ns=_time(series, at, asked.t0_ns) if params.at_ns is None else params.at_ns,
        is_peak=params.at_ns is None,
        row=None if at == NONE else int(series.row[at]),
        allocated_bytes=allocated,
        reserved_bytes=None if series.reserved is None else reserved,
        fragmentation_bytes=None if series.reserved is None or reserved < allocated else reserved - allocated,
        known=known,
        earlier=earlier,
        rest_bytes=rest,
        blocks=shown,
    )


def _blocks(trace: Trace, asked: _Asked, blocks: Blocks, positions: Int64Array) -> list[MemoryBlock]:
    series = asked.series
    ended_by = blocks.ended_by[positions]
    released = np.where(ended_by == NONE, NONE, series.time_ns[ended_by])
    columns = (series.row, asked.callers.name, asked.callers.via, series.bytes, series.time_ns)
    lists = [column[positions].tolist() for column in columns]
    return [
        MemoryBlock(
            row=row,
            name=_text(trace, name),
            via=_text(trace, via),
            bytes=n_bytes,
            allocated_ns=time_ns,
            released_ns=None if position == NONE else end_ns,
            lifetime_ns=None if position == NONE else end_ns - time_ns,
        )
        for row, name, via, n_bytes, time_ns, position, end_ns in zip(*lists, ended_by.tolist(), released.tolist(), strict=True)
    ]


def _operators(trace: Trace, asked: _Asked, at: int) -> list[MemoryOperator]:
    """Rows by what is alive, then by bytes allocated. They add up to all events of the range."""
    series, blocks = asked.series, asked.blocks
    inside = np.zeros(len(series), np.bool_)
    inside[asked.first : asked.end] = True
    alive = np.zeros(len(series), np.bool_)
    if blocks is not None:
        alive[alive_after(blocks, series.bytes, at)] = True
    rows = np.flatnonzero(inside | alive)
    if len(rows) == 0:
        return []
    name, via = asked.callers.name[rows], asked.callers.via[rows]
    groups = group_by(name, via)
    change = series.bytes[rows]

    def total(chosen: BoolArray, values: Int64Array) -> list[int]:
        # Exact: bincount's weights are doubles, and bytes of a long recording may pass 2**53.
        sums = np.zeros(len(groups), np.int64)
        np.add.at(sums, groups.of[chosen], values[chosen])
        counted: list[int] = sums.tolist()
        return counted

    one = np.ones(len(rows), np.int64)
    grows, shrinks = inside[rows] & (change > 0), inside[rows] & (change < 0)
    columns = (
        name[groups.first].tolist(),
        via[groups.first].tolist(),
        total(grows, one),
        total(grows, change),
        total(shrinks, one),
        total(shrinks, -change),
        total(alive[rows], one),
        total(alive[rows], change),
    )
    table = [
        MemoryOperator(
            name=_text(trace, name_id),
            via=_text(trace, via_id),
            allocations=n_grows,
            allocated_bytes=grown,
            releases=n_shrinks,
            released_bytes=shrunk,
            increase_bytes=grown - shrunk,
            alive=None if blocks is None else n_alive,
            alive_bytes=None if blocks is None else held,
        )
        for name_id, via_id, n_grows, grown, n_shrinks, shrunk, n_alive, held in zip(*columns, strict=True)
    ]
    table.sort(key=lambda row: (-(row.alive_bytes or 0), -row.allocated_bytes, row.name or "", row.via or ""))
    return table


def _notes(series: Series, failures: int) -> list[str]:
    notes = []
    if not series.has_totals:
        notes.append(
            "This file has no totals (torch before 1.10): the curve is the sum of allocations and releases since the recording "
            "began, raised so that it is nowhere below 0. What was allocated before and never released is not in it."
        )
    if not series.has_addresses:
        notes.append("This file has no addresses: which allocations are alive cannot be told.")
    if failures:
        notes.append(f"An allocator ran out of memory {failures} times in this recording.")
    return notes


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
        rest_bytes=None,
        blocks=[],
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
        operators=[],
        out_of_memory=failures,
        notes=[],
    )


def _count(n_bytes: Int64Array) -> MemoryCount:
    return MemoryCount(count=len(n_bytes), bytes=int(n_bytes.sum()))


def _text(trace: Trace, name_id: int) -> str | None:
    return None if name_id == NONE else trace.strings[name_id]
