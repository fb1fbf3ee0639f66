"""How much memory was taken at most, of each device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.trace.memory.device_peaks import device_peaks
from tb_plugin.trace.memory.devices import id_of, title_of
from tb_plugin.views.overview.result import MemoryPeak

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


def memory_peaks(trace: Trace, steps: str) -> list[MemoryPeak]:
    """One per device with memory events, accelerators first. Empty where memory was not recorded, or no step is selected."""
    return [
        MemoryPeak(
            id=id_of(peak.device_type, peak.device_index),
            title=title_of(peak.device_type, peak.device_index),
            peak_allocated_bytes=peak.allocated,
            peak_ns=peak.peak_ns,
            peak_reserved_bytes=peak.reserved,
            capacity_bytes=peak.capacity,
        )
        for peak in device_peaks(trace, steps)
    ]
