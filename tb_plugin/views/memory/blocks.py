"""Which release ends which allocation: the next event with the same address."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array


@dataclass(frozen=True, kw_only=True)
class MemoryBlocks:
    """One entry per event of a Series.

        bytes     512  256  -512  -128   512
        address   a    b    a     c      a
        ended_by  2    -1   -1    -1     -1       position of the event that ends the allocation
        earlier   .    .    .     x      .        releases what was allocated before the recording
        begins    0    1    2     3      4        position from which it is there; -1 for blocks from before the recording

    An address that is allocated again without a release (it was lost) ends the block that was there.
    """

    ended_by: Int64Array
    earlier: BoolArray
    begins: Int64Array


def pair(n_bytes: Int64Array, address: Int64Array, is_from_before: BoolArray | None = None) -> MemoryBlocks:
    """Events in time order, none of 0 bytes. `is_from_before`: stand for blocks that were there before the first event."""
    ended_by = np.full(len(n_bytes), NONE, np.int64)
    earlier = n_bytes < 0
    order = np.argsort(address, kind="stable")
    here, following = order[:-1], order[1:]
    ends = (address[here] == address[following]) & (n_bytes[here] > 0)
    ended_by[here[ends]] = following[ends]
    earlier[following[ends]] = False
    begins = np.arange(len(n_bytes))
    if is_from_before is not None:
        begins[is_from_before] = NONE
    return MemoryBlocks(ended_by=ended_by, earlier=earlier, begins=begins)


def alive_after(blocks: MemoryBlocks, n_bytes: Int64Array, position: int) -> Int64Array:
    """Positions of the allocations that are alive after the event at `position`."""
    there = (n_bytes > 0) & (blocks.begins <= position)
    return np.flatnonzero(there & ((blocks.ended_by == NONE) | (blocks.ended_by > position)))
