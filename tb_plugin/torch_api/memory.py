"""What was allocated and released while an event ran: torch counts every [memory] record within its closed interval,
on whichever thread it happened.

    aten::add 0-10     records  +64 at 2, -16 at 10, +8 at 11    ->  48 bytes; the record at 11 belongs to no event
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.torch_api.device import CPU_MEMORY, DEVICE_MEMORY

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace


class MemoryRecords:
    """The [memory] records of a trace, by time. Kept: running sums of their bytes."""

    def __init__(self, trace: Trace) -> None:
        memory = trace.memory
        time_ns = trace.events.start_ns[memory.row]
        by_time = np.argsort(time_ns, kind="stable")
        self.row = memory.row[by_time]
        self.cpu_bytes = np.where(np.isin(memory.device_type[by_time], CPU_MEMORY), memory.bytes[by_time], 0)
        self.device_bytes = np.where(np.isin(memory.device_type[by_time], DEVICE_MEMORY), memory.bytes[by_time], 0)
        self._time_ns = time_ns[by_time]

    def within(self, start_ns: Int64Array, end_ns: Int64Array) -> tuple[Int64Array, Int64Array, Int64Array]:
        """(CPU bytes, device bytes) of each interval, and the rows of the records that are in none of them."""
        low = np.searchsorted(self._time_ns, start_ns, side="left")
        high = np.maximum(low, np.searchsorted(self._time_ns, end_ns, side="right"))
        cpu, device = _running(self.cpu_bytes), _running(self.device_bytes)
        n = len(self._time_ns)
        covered = np.cumsum(np.bincount(low, minlength=n + 1) - np.bincount(high, minlength=n + 1))[:n]
        return cpu[high] - cpu[low], device[high] - device[low], self.row[covered == 0].astype(np.int64)


def _running(values: Int64Array) -> Int64Array:
    """sums[k] = the sum of the first k values."""
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(values, dtype=np.int64)))


def wanted_in_vain(trace: Trace, rows: Int64Array) -> tuple[Int64Array, Int64Array]:
    """(CPU bytes, device bytes) that failed allocations asked for: torch counts them as used by the event."""
    cpu, device = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
    for place, order in enumerate(trace.events.order[rows].tolist()):
        args = trace.args.get(order)
        size, kind = args.get("Bytes"), args.get("Device Type")
        if isinstance(size, int):
            cpu[place] = size if kind in CPU_MEMORY else 0
            device[place] = size if kind in DEVICE_MEMORY else 0
    return cpu, device
