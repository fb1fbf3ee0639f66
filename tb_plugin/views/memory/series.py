"""The `[memory]` events of each device in the order in which they happened, with what is allocated and reserved after each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.compute.grouping import group_by

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
        before=max(int(allocated[0] - change[0]), 0),
        has_totals=has_totals,
    )
