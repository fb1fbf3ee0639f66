"""How much memory was taken at most, of each device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.trace.memory_devices import capacity_of, id_of, title_of
from tb_plugin.trace.memory_peaks import after, peak, range_of_steps, time_of, window_of
from tb_plugin.trace.memory_series import Series, all_series
from tb_plugin.views.overview.result import MemoryPeak

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


def memory_peaks(trace: Trace, steps: str) -> list[MemoryPeak]:
    """One per device with memory events, accelerators first. Empty where memory was not recorded, or no step is selected."""
    every = sorted(all_series(trace), key=lambda series: (series.device_type == 0, series.device_type, series.device_index))
    window = range_of_steps(trace, steps) if steps else window_of(trace, every)
    return [] if window is None else [_peak(trace, series, *window) for series in every]


def _peak(trace: Trace, series: Series, t0_ns: int, t1_ns: int) -> MemoryPeak:
    at = peak(series, series.allocated, t0_ns, t1_ns)
    reserved = None
    if series.reserved is not None:
        _, reserved = after(series, peak(series, series.reserved, t0_ns, t1_ns))
    return MemoryPeak(
        id=id_of(series.device_type, series.device_index),
        title=title_of(series.device_type, series.device_index),
        peak_allocated_bytes=after(series, at)[0],
        peak_ns=time_of(series, at, t0_ns),
        peak_reserved_bytes=reserved,
        capacity_bytes=capacity_of(trace, series.device_type, series.device_index),
    )
