"""Which devices there are, and which device, range and instant were asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from tb_plugin.base.errors import NotFoundError
from tb_plugin.base.units import NONE, BoolArray
from tb_plugin.trace.memory.devices import CPU, capacity_of, id_of, title_of
from tb_plugin.trace.memory.peaks import after, peak, range_of_steps, time_of
from tb_plugin.trace.scope.selection import is_all, selected
from tb_plugin.views.memory.result import MemoryDevice, MemoryWhere

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.trace.memory.series import Series
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.memory.index import DeviceIndex

_NO_RESERVE: Final = "This allocator does not report a reserve."
_NO_TOTALS: Final = "The file has no totals."
_NO_CAPACITY: Final = "The file does not say how much this device has."
_NO_ADDRESSES: Final = "The file has no addresses."
"""What no option of torch.profiler brings: it is up to the allocator, or to the version that wrote the file."""


def range_of(trace: Trace, params: MemoryWhere, window: tuple[int, int]) -> tuple[int, int]:
    """The range asked for, else that of the steps chosen, cut to the recording; at least 1 ns long."""
    low, high = params.t0_ns, params.t1_ns
    if params.steps and low is None and high is None:
        low, high = range_of_steps(trace, params.steps)
    low = window[0] if low is None else min(max(low, window[0]), window[1] - 1)
    high = window[1] if high is None else min(high, window[1])
    return low, max(high, low + 1)


def kept_by_filters(trace: Trace, params: MemoryWhere, series: Series) -> BoolArray | None:
    """Which events of a device count; None: all. Filters of devices and streams are about work, not about memory."""
    filters = msgspec.structs.replace(params, devices="", streams="")
    return None if is_all(filters) else selected(trace, filters)[series.row]


def devices_in(trace: Trace, every: Sequence[DeviceIndex], t0_ns: int, t1_ns: int) -> list[MemoryDevice]:
    return [_device(trace, device.series, t0_ns, t1_ns) for device in every]


def _device(trace: Trace, series: Series, t0_ns: int, t1_ns: int) -> MemoryDevice:
    at = peak(series, series.allocated, t0_ns, t1_ns)
    reserved = None if series.reserved is None else peak(series, series.reserved, t0_ns, t1_ns)
    unused = None if series.reserved is None else np.maximum(series.reserved - series.allocated, 0)
    worst = None if unused is None else peak(series, unused, t0_ns, t1_ns)
    capacity = capacity_of(trace, series.device_type, series.device_index)
    return MemoryDevice(
        id=id_of(series.device_type, series.device_index),
        title=title_of(series.device_type, series.device_index),
        n_events=len(series),
        peak_allocated_bytes=after(series, at)[0],
        peak_ns=time_of(series, at, t0_ns),
        peak_reserved_bytes=None if reserved is None else after(series, reserved)[1],
        peak_reserved_ns=None if reserved is None else time_of(series, reserved, t0_ns),
        peak_fragmentation_bytes=None if unused is None or worst is None or worst == NONE else int(unused[worst]),
        peak_fragmentation_ns=None if worst is None or worst == NONE else time_of(series, worst, t0_ns),
        capacity_bytes=capacity,
        no_reserved=None if reserved is not None else _NO_RESERVE if series.has_totals else _NO_TOTALS,
        no_capacity=None if capacity else _NO_CAPACITY,
        no_addresses=None if series.has_addresses else _NO_ADDRESSES,
    )


def chosen_device(every: Sequence[DeviceIndex], devices: list[MemoryDevice], wanted: str | None) -> DeviceIndex | None:
    """The device asked for, or the accelerator with the highest peak. NotFoundError where it has no memory events."""
    if not devices:
        return None
    pairs = list(zip(every, devices, strict=True))
    for chosen, device in pairs:
        if device.id == wanted:
            return chosen
    if wanted is not None:
        raise NotFoundError(f"device={wanted}: this profile has memory events of {', '.join(device.id for device in devices)}")
    chosen, _ = max(pairs, key=lambda each: (each[0].series.device_type != CPU, each[1].peak_allocated_bytes))
    return chosen


def instant(series: Series, at_ns: int | None, t0_ns: int, t1_ns: int) -> int:
    """Position of the event after which to look, NONE for before all: the peak of the range, or the last one by `at_ns`."""
    if at_ns is None:
        return peak(series, series.allocated, t0_ns, t1_ns)
    return int(np.searchsorted(series.time_ns, at_ns, side="right")) - 1
