"""How much memory was taken at most, of each device."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tb_plugin.trace.memory.devices import capacity_of
from tb_plugin.trace.memory.peaks import after, peak, range_of_steps, time_of, window_of
from tb_plugin.trace.memory.series import Series, all_series

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


class DevicePeak(NamedTuple):
    """Bytes; `reserved` and `capacity` None where not recorded. `peak_ns` is when `allocated` is first reached."""

    device_type: int
    device_index: int
    allocated: int
    peak_ns: int
    reserved: int | None
    capacity: int | None


def device_peaks(trace: Trace, steps: str = "") -> list[DevicePeak]:
    """One per device with memory events, accelerators first. Empty where memory was not recorded, or no step is selected."""
    every = sorted(all_series(trace), key=lambda series: (series.device_type == 0, series.device_type, series.device_index))
    window = range_of_steps(trace, steps) if steps else window_of(trace, every)
    return [] if window is None else [_peak(trace, series, *window) for series in every]


def highest(peaks: list[DevicePeak]) -> DevicePeak | None:
    """Of the accelerators, if there are any."""
    return max(peaks, key=lambda peak: (peak.device_type != 0, peak.allocated), default=None)


def _peak(trace: Trace, series: Series, t0_ns: int, t1_ns: int) -> DevicePeak:
    at = peak(series, series.allocated, t0_ns, t1_ns)
    reserved = None
    if series.reserved is not None:
        _, reserved = after(series, peak(series, series.reserved, t0_ns, t1_ns))
    return DevicePeak(
        device_type=series.device_type,
        device_index=series.device_index,
        allocated=after(series, at)[0],
        peak_ns=time_of(series, at, t0_ns),
        reserved=reserved,
        capacity=capacity_of(trace, series.device_type, series.device_index),
    )
