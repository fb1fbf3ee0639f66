"""Which release ends which allocation: the next event with the same address."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array


@dataclass(frozen=True, kw_only=True)
class Blocks:
    """One entry per event of a Series.

        bytes     512  256  -512  -128   512
        address   a    b    a     c      a
        ended_by  2    -1   -1    -1     -1       position of the event that ends the allocation
        earlier   .    .    .     x      .        releases what was allocated before the recording

    An address that is allocated again without a release (it was lost) ends the block that was there.
    """

    ended_by: Int64Array
    earlier: BoolArray


def pair(n_bytes: Int64Array, address: Int64Array) -> Blocks:
    """Events in time order, none of 0 bytes."""
    ended_by = np.full(len(n_bytes), NONE, np.int64)
    earlier = n_bytes < 0
    order = np.argsort(address, kind="stable")
    here, following = order[:-1], order[1:]
    ends = (address[here] == address[following]) & (n_bytes[here] > 0)
    ended_by[here[ends]] = following[ends]
    earlier[following[ends]] = False
    return Blocks(ended_by=ended_by, earlier=earlier)


def alive_after(blocks: Blocks, n_bytes: Int64Array, position: int) -> Int64Array:
    """Positions of the allocations that are alive after the event at `position`."""
    begun = n_bytes[: position + 1] > 0
    ended_by = blocks.ended_by[: position + 1]
    return np.flatnonzero(begun & ((ended_by == NONE) | (ended_by > position)))
