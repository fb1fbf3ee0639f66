"""Every block of a profile as columns: an allocation with the release that ends it, or the release of a block from before."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from tb_plugin.base.units import NONE, BoolArray, Int32Array, Int64Array
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.views.memory.index import devices_of

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.memory.allocations_result import AllocationState
    from tb_plugin.views.memory.index import DeviceIndex

STATES: Final[tuple[AllocationState, ...]] = ("released", "held", "earlier", "held_before", "unknown")
_RELEASED, _HELD, _EARLIER, _HELD_BEFORE, _UNKNOWN = range(len(STATES))


@dataclass(frozen=True, kw_only=True)
class BlockList:
    """One entry per block, devices one after the other.

    device  position  state     allocated_ns  released_ns  bytes
         0         3  released         5_000        9_000    512
         0         7  earlier             -1       12_000    256     released at position 7, allocated before the recording
    """

    device: npt.NDArray[np.int16]  # place in `devices_of`
    position: Int32Array  # in that device's series: the allocation, or the release of a block from before
    row: Int32Array  # of that event
    state: npt.NDArray[np.int8]  # place in STATES
    time_ns: Int64Array  # of that event
    allocated_ns: Int64Array  # NONE: before the recording
    released_ns: Int64Array  # NONE: not in the recording
    bytes: Int64Array
    address: Int64Array
    name: Int32Array  # string ids
    via: Int32Array
    module: Int32Array  # paths of `module_paths`
    call_site: Int32Array  # places in `call_sites`
    category: npt.NDArray[np.int8]  # places in memory_categories.CATEGORIES

    def __len__(self) -> int:
        return len(self.device)

    @property
    def lifetime_ns(self) -> Int64Array:
        known = (self.allocated_ns != NONE) & (self.released_ns != NONE)
        return np.where(known, self.released_ns - self.allocated_ns, NONE)


@once_per_trace
def block_list(trace: Trace) -> BlockList:
    """Of all devices."""
    parts = [_of_device(trace, place, device) for place, device in enumerate(devices_of(trace))]
    dtypes = {"device": np.int16, "state": np.int8, "category": np.int8, **dict.fromkeys(_WIDE, np.int64)}
    columns: dict[str, Any] = {
        field.name: np.concatenate([np.empty(0, np.int64), *(part[field.name] for part in parts)]).astype(
            dtypes.get(field.name, np.int32)
        )
        for field in fields(BlockList)
    }
    return BlockList(**columns)


_WIDE: Final = ("time_ns", "allocated_ns", "released_ns", "bytes", "address")


def _of_device(trace: Trace, place: int, device: DeviceIndex) -> dict[str, npt.NDArray[np.integer[Any]]]:
    series, blocks = device.series, device.blocks
    operator = device.keys(trace, "operator")
    is_release = series.bytes < 0
    # Without addresses nothing tells which release ends which allocation: each is an entry of its own.
    position = np.flatnonzero(~is_release | (True if blocks is None else blocks.earlier))
    time_ns, is_release = series.time_ns[position], is_release[position]
    from_before = series.is_from_before[position]
    allocated_ns = np.where(is_release | from_before, NONE, time_ns)
    released_ns = np.where(is_release, time_ns, NONE)
    state = np.full(len(position), _UNKNOWN)
    if blocks is not None:
        ended_by = blocks.ended_by[position]
        released_ns = np.where(ended_by != NONE, series.time_ns[ended_by], released_ns)
        gone = np.where(is_release | from_before, _EARLIER, _RELEASED)
        state = np.where(released_ns != NONE, gone, np.where(from_before, _HELD_BEFORE, _HELD))
    return {
        "device": np.full(len(position), place),
        "position": position,
        "row": series.row[position],
        "state": state,
        "time_ns": time_ns,
        "allocated_ns": allocated_ns,
        "released_ns": released_ns,
        "bytes": np.abs(series.bytes[position]),
        "address": series.address[position],
        "name": operator.name.of[position],
        "via": operator.parts["via"].of[position],
        **{by: device.keys(trace, by).name.of[position] for by in ("module", "call_site", "category")},
    }


def is_alive(blocks: BlockList, device: int, index: DeviceIndex, at: int) -> BoolArray:
    """Which blocks of a device are there after the event at position `at` of its series; none without addresses."""
    alive = np.zeros(len(blocks), np.bool_)
    if index.blocks is None:
        return alive
    mine = np.flatnonzero(blocks.device == device)
    position = blocks.position[mine]
    ended_by = index.blocks.ended_by[position]
    from_release = index.blocks.earlier[position]
    there = (index.blocks.begins[position] <= at) & ((ended_by == NONE) | (ended_by > at))
    alive[mine] = np.where(from_release, position > at, there)
    return alive
