"""What the memory view asks of a trace again and again: worked out when first needed, kept as long as the trace."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from tb_plugin.trace.kept import LastAnswers, once_per_trace
from tb_plugin.trace.memory.series import Series, all_series
from tb_plugin.views.memory.blocks import MemoryBlocks, pair
from tb_plugin.views.memory.groupings import GROUPINGS

if TYPE_CHECKING:
    from tb_plugin.trace.groupings.grouping import Keys
    from tb_plugin.trace.model import Trace


class DeviceIndex:
    """One device: its events, its blocks, and where each event comes from. Nothing here holds the trace."""

    def __init__(self, series: Series) -> None:
        self.series = series
        self._keys: LastAnswers[str, Keys] = LastAnswers(len(GROUPINGS))

    @cached_property
    def blocks(self) -> MemoryBlocks | None:
        """None where the file has no addresses."""
        series = self.series
        return pair(series.bytes, series.address, series.is_from_before) if series.has_addresses else None

    def keys(self, trace: Trace, by: str) -> Keys:
        """Of each event of the series, by one of GROUPINGS."""
        return self._keys.get(by, lambda: GROUPINGS[by].keys(trace, self.series.row))


@once_per_trace
def devices_of(trace: Trace) -> tuple[DeviceIndex, ...]:
    """Devices with memory events."""
    return tuple(DeviceIndex(series) for series in all_series(trace))
