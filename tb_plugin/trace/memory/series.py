"""The `[memory]` events of each device in the order in which they happened, with what is allocated and reserved after each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.grouping import group_by
from tb_plugin.trace.memory.devices import CPU
from tb_plugin.trace.memory.names import HELD_BEFORE
from tb_plugin.trace.names import rows_named

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


@dataclass(frozen=True, kw_only=True)
class Series:
    """One row per event that allocates or releases, by time.

        row  time_ns  bytes   address  allocated  reserved
         12    5_000    512  0x7f..00       2560      4096
         19    9_000   -512  0x7f..00       2048      4096

    `before` is what was allocated before the first event. `reserved` is None where the allocator does not say.
    """

    device_type: int
    device_index: int
    row: Int64Array  # in trace.events
    time_ns: Int64Array
    bytes: Int64Array
    address: Int64Array
    allocated: Int64Array
    reserved: Int64Array | None
    before: int
    has_totals: bool
    is_from_before: BoolArray  # stands for a block that was allocated before the recording (memory snapshots)

    def __len__(self) -> int:
        return len(self.row)

    @property
    def has_addresses(self) -> bool:
        return bool((self.address != NONE).all())


def all_series(trace: Trace) -> list[Series]:
    """A Series per device, by device type and index."""
    memory, events = trace.memory, trace.events
    rows = np.flatnonzero(memory.bytes != 0)
    rows = rows[np.lexsort((events.order[memory.row[rows]], events.start_ns[memory.row[rows]]))]
    groups = group_by(memory.device_type[rows], memory.device_index[rows])
    return [_series(trace, rows[groups.of == group]) for group in range(len(groups))]


def _series(trace: Trace, rows: Int64Array) -> Series:
    memory = trace.memory
    event = memory.row[rows].astype(np.int64)
    change = memory.bytes[rows]
    allocated, reserved = memory.total_allocated[rows], memory.total_reserved[rows]
    has_totals = bool((allocated >= 0).all())
    if not has_totals:
        # The least that can have been there before, since nothing is ever less than empty.
        total = np.cumsum(change)
        allocated = total + max(0, -int(total.min()))
    elif memory.device_type[rows[0]] == CPU:
        allocated, reserved = _with_mapped(change, memory.address[rows], allocated, reserved)
    is_from_before = rows_named(trace, event, lambda name: name == HELD_BEFORE)
    return Series(
        device_type=int(memory.device_type[rows[0]]),
        device_index=int(memory.device_index[rows[0]]),
        row=event,
        time_ns=trace.events.start_ns[event],
        bytes=change,
        address=memory.address[rows],
        allocated=allocated,
        # An allocator without a cache writes 0: that is no reserve of nothing, it has none.
        reserved=reserved if (reserved >= 0).all() and reserved.any() else None,
        # Blocks from before are in the total of each of their events.
        before=max(int(allocated[0]) - (0 if is_from_before[0] else int(change[0])), 0),
        has_totals=has_totals,
        is_from_before=is_from_before,
    )


def _with_mapped(
    change: Int64Array, address: Int64Array, allocated: Int64Array, reserved: Int64Array
) -> tuple[Int64Array, Int64Array]:
    """(allocated, reserved) after each event of the CPU, shared memory included.

    torch's MapAllocator (batches of DataLoader workers) keeps no total: it writes 0 allocated and, when it maps, the block's
    own size as reserved. Taken as totals these would empty the curve at each batch.

        bytes   allocated  reserved                 allocated
          512         512         0                       512
         4096           0      4096   mapped             4608
        -4096           0         0   and unmapped        512
    """
    maps = (change > 0) & (allocated == 0) & (reserved == change)
    if not maps.any():
        return allocated, reserved
    releases = (change < 0) & (allocated == 0) & (reserved == 0)
    is_mapped = maps | (releases & _follows(maps, address))
    # A release of what was mapped before the recording: the allocator's own would not go from there to 0.
    total = _last_said(is_mapped | releases, allocated)
    earlier = releases & ~is_mapped & (np.concatenate(([0], total[:-1])) + change != 0)
    is_mapped |= earlier
    mapped = np.cumsum(np.where(is_mapped, change, 0)) - int(change[earlier].sum())
    own = _last_said(is_mapped, allocated, before=max(int((allocated - change)[~is_mapped][:1].sum()), 0))
    return own + mapped, np.where(is_mapped, 0, reserved)


def _follows(marked: BoolArray, address: Int64Array) -> BoolArray:
    """For each event: is the event before it at its address marked?"""
    by_address = np.lexsort((np.arange(len(address)), address))
    here, is_marked = address[by_address], marked[by_address]
    found = np.zeros(len(address), np.bool_)
    found[by_address[1:]] = (here[1:] == here[:-1]) & is_marked[:-1]
    return found


def _last_said(is_silent: BoolArray, value: Int64Array, before: int = 0) -> Int64Array:
    """The value of the last event that is not silent, `before` until there is one."""
    last = np.maximum.accumulate(np.where(is_silent, NONE, np.arange(len(value))))
    return np.where(last == NONE, before, value[last])
