"""How much memory was taken at most, of each device."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.compute.intervals import Merged
from tb_plugin.trace.memory_devices import capacity_of, id_of, title_of
from tb_plugin.trace.memory_series import Series, all_series
from tb_plugin.views.overview.result import MemoryPeak

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace


def memory_peaks(trace: Trace, selected_time: Merged | None) -> list[MemoryPeak]:
    """One per device with memory events, accelerators first. Empty where memory was not recorded, or no step is selected."""
    if len(trace.memory) == 0 or (selected_time is not None and len(selected_time.start) == 0):
        return []
    every = sorted(all_series(trace), key=lambda series: (series.device_type == 0, series.device_type, series.device_index))
    return [_peak(trace, series, selected_time or _all_of(series)) for series in every]


def _all_of(series: Series) -> Merged:
    return Merged(series.time_ns[:1], series.time_ns[-1:] + 1)


def _peak(trace: Trace, series: Series, window: Merged) -> MemoryPeak:
    allocated, at_ns = _highest(series, np.append(series.before, series.allocated), window)
    reserved = None
    if series.reserved is not None:
        # What was reserved before the first event is not recorded: as much as after it.
        reserved, _ = _highest(series, np.append(series.reserved[0], series.reserved), window)
    return MemoryPeak(
        id=id_of(series.device_type, series.device_index),
        title=title_of(series.device_type, series.device_index),
        peak_allocated_bytes=allocated,
        peak_ns=at_ns,
        peak_reserved_bytes=reserved,
        capacity_bytes=capacity_of(trace, series.device_type, series.device_index),
    )


def _highest(series: Series, values: Int64Array, window: Merged) -> tuple[int, int]:
    """(highest value in the window, when first). `values[i]` holds until event i, `values[-1]` from the last one on."""
    best = (-1, 0)
    for start, end in zip(*(side.tolist() for side in window), strict=True):
        first, last = np.searchsorted(series.time_ns, (start, end)).tolist()
        highest = first + int(np.argmax(values[first : last + 1]))
        at_ns = start if highest == first else int(series.time_ns[highest - 1])
        if values[highest] > best[0]:
            best = int(values[highest]), at_ns
    return best
