"""Allocations and releases, and what is alive, summed by a key: rows that add up to all of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.views.memory.result import MemoryGroup

if TYPE_CHECKING:
    from tb_plugin.trace.groupings.grouping import Keys
    from tb_plugin.views.memory.index import DeviceIndex

_NONE = np.empty(0, np.int64)


@dataclass(frozen=True, kw_only=True)
class _Sums:
    """One entry per group, by what is alive, then by what was allocated."""

    allocations: Int64Array
    allocated: Int64Array
    largest: Int64Array
    releases: Int64Array
    released: Int64Array
    kept: Int64Array
    kept_bytes: Int64Array
    alive: Int64Array
    alive_bytes: Int64Array


@dataclass(frozen=True, kw_only=True)
class MemoryGroups:
    """`of` is the first event of each group, largest group first; texts are made for those that are listed only."""

    keys: Keys
    of: Int64Array
    sums: _Sums
    has_blocks: bool
    order: Int64Array = field(repr=False)

    def __len__(self) -> int:
        return len(self.order)

    def listed(self, top: int) -> list[MemoryGroup]:
        """The first `top` of them."""
        return [self._row(group, self.of[group]) for group in self.order[: max(top, 0)].tolist()]

    def others(self, top: int) -> MemoryGroup | None:
        """The rest as one, None when there is none."""
        rest = self.order[max(top, 0) :]
        return self._row(rest, None) if len(rest) else None

    def _row(self, groups: int | Int64Array, event: int | None) -> MemoryGroup:
        sums, chosen = self.sums, np.atleast_1d(groups)

        def total(values: Int64Array) -> int:
            return int(values[chosen].sum())

        grown, shrunk = total(sums.allocated), total(sums.released)
        allocations = total(sums.allocations)
        name, via, frames = (None, None, []) if event is None else self._words(event)
        return MemoryGroup(
            name=name,
            via=via,
            frames=frames,
            allocations=allocations,
            allocated_bytes=grown,
            largest_bytes=int(sums.largest[chosen].max()) if allocations else None,
            releases=total(sums.releases),
            released_bytes=shrunk,
            increase_bytes=grown - shrunk,
            never_released=total(sums.kept) if self.has_blocks else None,
            never_released_bytes=total(sums.kept_bytes) if self.has_blocks else None,
            alive=total(sums.alive) if self.has_blocks else None,
            alive_bytes=total(sums.alive_bytes) if self.has_blocks else None,
        )

    def _words(self, event: int) -> tuple[str | None, str | None, list[str]]:
        """(name, via, frames) of the group of an event."""
        keys = self.keys
        if keys.frames is None:
            return keys.name.at(event), keys.parts["via"].at(event) if "via" in keys.parts else None, []
        stack = int(keys.name.of[event])
        frames = keys.frames(stack) if stack != NONE else []
        return frames[0] if frames else None, None, frames


def group_rows(device: DeviceIndex, keys: Keys, grows: BoolArray, shrinks: BoolArray, alive: Int64Array | None) -> MemoryGroups:
    """`grows`, `shrinks`: events that count as allocations and releases; `alive`: positions, None without addresses."""
    change, blocks = device.series.bytes, device.blocks
    is_alive = np.zeros(len(change), np.bool_)
    is_alive[_NONE if alive is None else alive] = True
    rows = np.flatnonzero(grows | shrinks | is_alive)
    groups = keys.groups(rows)
    change = change[rows]
    grows, shrinks, is_alive = grows[rows], shrinks[rows], is_alive[rows]
    kept = grows & (blocks.ended_by[rows] == NONE) if blocks is not None else np.zeros(len(rows), np.bool_)

    def total(chosen: BoolArray, values: Int64Array) -> Int64Array:
        # Exact: bincount's weights are doubles, and bytes of a long recording may pass 2**53.
        sums = np.zeros(len(groups), np.int64)
        np.add.at(sums, groups.of[chosen], values[chosen])
        return sums

    largest = np.zeros(len(groups), np.int64)
    np.maximum.at(largest, groups.of[grows], change[grows])
    one = np.ones(len(rows), np.int64)
    sums = _Sums(
        allocations=total(grows, one),
        allocated=total(grows, change),
        largest=largest,
        releases=total(shrinks, one),
        released=total(shrinks, -change),
        kept=total(kept, one),
        kept_bytes=total(kept, change),
        alive=total(is_alive, one),
        alive_bytes=total(is_alive, change),
    )
    order = np.lexsort((groups.first, -sums.allocated, -sums.alive_bytes))
    return MemoryGroups(keys=keys, of=rows[groups.first], sums=sums, has_blocks=blocks is not None, order=order)
