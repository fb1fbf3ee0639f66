"""What the memory view asks of a trace again and again: worked out when first needed, kept as long as the trace."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE, Int32Array, Int64Array
from tb_plugin.trace.call_sites import CallSites, call_sites
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.memory_categories import memory_categories
from tb_plugin.trace.memory_series import Series, all_series
from tb_plugin.trace.module_paths import ModulePaths, module_paths
from tb_plugin.views.memory.block_list import BlockList, block_list
from tb_plugin.views.memory.blocks import Blocks, pair
from tb_plugin.views.memory.callers import Callers, callers, innermost
from tb_plugin.views.memory.stacks import Stacks, stacks

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


class DeviceIndex:
    """One device: its events, its blocks, and where each event comes from. Arrays have one entry per event of the series."""

    def __init__(self, trace: Trace, series: Series, whole: MemoryIndex) -> None:
        self.series = series
        self._trace_ref = weakref.ref(trace)  # the index lives as long as the trace, and must not keep it
        self._whole = whole

    @property
    def _trace(self) -> Trace:
        return _there(self._trace_ref)

    @cached_property
    def blocks(self) -> Blocks | None:
        """None where the file has no addresses."""
        series = self.series
        return pair(series.bytes, series.address, series.is_from_before) if series.has_addresses else None

    @cached_property
    def callers(self) -> Callers:
        return callers(self._trace, self.series.row)

    @cached_property
    def module(self) -> Int64Array:
        """Places in `MemoryIndex.modules.texts`."""
        return self._of_event_or_operator(self._whole.modules.of_row)

    @cached_property
    def call_site(self) -> Int64Array:
        """Places in `MemoryIndex.sites.texts`."""
        return self._of_event_or_operator(self._whole.sites.of_row)

    @cached_property
    def category(self) -> Int64Array:
        """Places in `memory_categories.CATEGORIES`; NONE where no tensors were recorded. Releases have that of their block."""
        found = memory_categories(self._trace)
        if not found.is_recorded:
            return np.full(len(self.series), NONE, np.int64)
        place = np.searchsorted(self._trace.memory.row, self.series.row)
        return found.of_memory[place].astype(np.int64)

    @cached_property
    def stacks(self) -> Stacks:
        return stacks(self._trace, self.series.row)

    @cached_property
    def allocation_of(self) -> Int64Array:
        """Of a release the position of the allocation that it ends, else its own."""
        own = np.arange(len(self.series))
        if self.blocks is not None:
            ends = np.flatnonzero(self.blocks.ended_by != NONE)
            ended = self.blocks.ended_by[ends]
            is_release = self.series.bytes[ended] < 0
            own[ended[is_release]] = ends[is_release]
        return own

    @cached_property
    def _operator(self) -> Int64Array:
        return innermost(self._trace, self.series.row)

    def _of_event_or_operator(self, of_row: Int32Array) -> Int64Array:
        """Events with rounded times hang in no tree: then what holds for the operator open at that time."""
        own = of_row[self.series.row].astype(np.int64)
        operator = self._operator
        return np.where((own == NONE) & (operator != NONE), of_row[operator], own)


class MemoryIndex:
    """All devices of a trace; modules and call sites are found once for all of them."""

    def __init__(self, trace: Trace) -> None:
        self._trace_ref = weakref.ref(trace)
        self.orders: OrderedDict[object, object] = OrderedDict()  # of the list of allocations, used last last
        self.devices = [DeviceIndex(trace, series, self) for series in all_series(trace)]

    @cached_property
    def modules(self) -> ModulePaths:
        return module_paths(_there(self._trace_ref))

    @cached_property
    def sites(self) -> CallSites:
        return call_sites(_there(self._trace_ref))

    @cached_property
    def block_list(self) -> BlockList:
        return block_list(self)


def _there(trace: weakref.ref[Trace]) -> Trace:
    found = trace()
    assert found is not None, "whoever asks holds the trace"
    return found


index_of = once_per_trace(MemoryIndex)
