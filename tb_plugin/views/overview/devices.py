"""How busy each device was, and with what. Times are unions over the device's streams."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Float64Array, Int64Array
from tb_plugin.compute.apportion import apportioned
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.integral import integral
from tb_plugin.compute.intervals import Merged, intersect, length, union
from tb_plugin.trace.kinds import DEVICE_KINDS, Kind, is_kind
from tb_plugin.trace.times.category_times import category_times
from tb_plugin.trace.times.occupancy import occupancy_percent
from tb_plugin.trace.work.matrix_cores import Use, matrix_core_use_by_row
from tb_plugin.trace.work.taxonomy import CATEGORIES
from tb_plugin.views.overview.result import CategoryTime, DeviceRow

if TYPE_CHECKING:
    from tb_plugin.trace.model import Device, Trace


def device_rows(
    trace: Trace, work: dict[int, Int64Array], is_collective: BoolArray, kept: BoolArray, window: Merged
) -> list[DeviceRow]:
    """One row per device with work that is `kept` (a mask of event rows); times are those inside the window."""
    properties = {entry.index: entry for entry in trace.info.devices}
    return [_row(trace, rows, index, properties.get(index), is_collective, window) for index, rows in _kept(work, kept).items()]


def categories(
    trace: Trace, work: dict[int, Int64Array], kept: BoolArray, window: Merged, devices: list[DeviceRow]
) -> list[CategoryTime]:
    """What the devices, of `device_rows`, are busy with, largest first; in whole ns that sum to their busy time."""
    busy_ns, all_ns = sum(row.busy_ns for row in devices), sum(row.window_ns for row in devices)
    parts = category_times(trace, _kept(work, kept).values(), window)
    time_ns = apportioned(parts[:, np.newaxis], np.array([busy_ns]))[:, 0]
    return [
        CategoryTime(
            category=CATEGORIES[at].id,
            category_title=CATEGORIES[at].title,
            time_ns=int(time_ns[at]),
            share=int(time_ns[at]) / max(all_ns, 1),
        )
        for at in np.argsort(-time_ns, kind="stable").tolist()
        if time_ns[at] > 0
    ]


def _kept(work: dict[int, Int64Array], kept: BoolArray) -> dict[int, Int64Array]:
    kept_of = {index: rows[kept[rows]] for index, rows in work.items()}
    return {index: rows for index, rows in kept_of.items() if len(rows)}


def not_attributed(trace: Trace, kept: BoolArray) -> tuple[int, int]:
    """(summed time of kernels, copies and sets; of it the time that belongs to no operator, range or launch), ns."""
    events = trace.events
    work = is_kind(events.kind, DEVICE_KINDS) & kept
    duration = events.end_ns - events.start_ns
    return int(duration[work].sum()), int(duration[work & (events.owner == NONE)].sum())


def _row(
    trace: Trace, rows: Int64Array, index: int, properties: Device | None, is_collective: BoolArray, window: Merged
) -> DeviceRow:
    events = trace.events
    start, end, kind = events.start_ns[rows], events.end_ns[rows], events.kind[rows]

    def when(which: BoolArray) -> Merged:
        return intersect(union(start[which], end[which]), window)

    is_kernel = kind == Kind.KERNEL
    is_communication = is_collective[rows]
    busy = union(start, end)
    busy_ns, window_ns = length(intersect(busy, window)), length(window)
    computation, communication = when(is_kernel & ~is_communication), when(is_communication)
    overlapped_ns = length(intersect(communication, computation))
    efficiency, occupancy = _estimates(trace, rows[is_kernel], window)
    matrix, unknown = _matrix_cores(trace, rows[is_kernel], window)
    return DeviceRow(
        index=index,
        name=(properties.name or None) if properties else None,
        memory_bytes=properties.memory_bytes if properties else None,
        busy_ns=busy_ns,
        busy_outside_ns=length(busy) - busy_ns,
        window_ns=window_ns,
        utilization=busy_ns / window_ns if window_ns else 0.0,
        computation_ns=length(computation),
        communication_exposed_ns=length(communication) - overlapped_ns,
        communication_overlapped_ns=overlapped_ns,
        copy_ns=length(when(kind == Kind.COPY)),
        set_ns=length(when(kind == Kind.SET)),
        streams=len(distinct(events.track[rows])),
        sm_efficiency=efficiency,
        occupancy_percent=occupancy,
        matrix_core_share=matrix,
        matrix_core_unknown_share=unknown,
    )


def _estimates(trace: Trace, kernels: Int64Array, window: Merged) -> tuple[float | None, float | None]:
    """(SM efficiency over the window, 0 to 1; mean achieved occupancy of kernels by time, percent). None: not recorded."""
    blocks, occupancy = _launch_figures(trace, kernels)
    start, end = trace.events.start_ns[kernels], trace.events.end_ns[kernels]
    window_ns = length(window)
    efficiency = mean = None
    if window_ns and len(kernels) and (blocks >= 0).all():  # not so for NaN
        efficiency = float(integral(start, end, blocks, *window, most=1.0).sum()) / window_ns
    known = occupancy >= 0
    start, end = start[known], end[known]
    running = float(integral(start, end, np.ones(len(start)), *window).sum())
    if running > 0:
        mean = float(integral(start, end, occupancy[known], *window).sum()) / running
    return efficiency, mean


def _matrix_cores(trace: Trace, kernels: Int64Array, window: Merged) -> tuple[float | None, float | None]:
    """Shares of summed kernel time in the window: (on matrix cores, of kernels whose name does not tell)."""
    use = matrix_core_use_by_row(trace)[kernels]

    def time_of(rows: Int64Array) -> float:
        start, end = trace.events.start_ns[rows], trace.events.end_ns[rows]
        return float(integral(start, end, np.ones(len(rows)), *window).sum())

    all_ns = time_of(kernels)
    if not all_ns:
        return None, None
    return time_of(kernels[use == Use.YES]) / all_ns, time_of(kernels[use == Use.UNKNOWN]) / all_ns


def _launch_figures(trace: Trace, kernels: Int64Array) -> tuple[Float64Array, Float64Array]:
    """(blocks per SM, occupancy in percent) of each kernel; NaN where not recorded."""
    work = trace.work
    if len(work) == 0:
        return np.full(len(kernels), np.nan), np.full(len(kernels), np.nan)
    place = np.minimum(np.searchsorted(work.row, kernels), len(work) - 1)
    known = work.row[place] == kernels
    return np.where(known, work.blocks_per_sm[place], np.nan), np.where(known, occupancy_percent(work)[place], np.nan)
