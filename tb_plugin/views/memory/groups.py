"""Allocations and releases, and what is alive, summed by a key: rows that add up to all of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.grouping import group_by
from tb_plugin.views.memory.result import MemoryGroup

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.memory.groupings import Keys
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
class Groups:
    """`of` is the first event of each group, largest group first; texts are made for those that are listed only."""

    trace: Trace
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
        return MemoryGroup(
            name=None if event is None else _text(self.keys.texts, self.keys.key[event]),
            via=None if event is None or self.keys.via is None else _text(self.keys.texts, self.keys.via[event]),
            frames=[] if event is None else self._frames(int(self.keys.key[event])),
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

    def _frames(self, key: int) -> list[str]:
        if self.keys.frames is None or key == NONE:
            return []
        return [self.trace.strings[name_id] for name_id in self.keys.frames(key)]


def group_rows(
    trace: Trace, device: DeviceIndex, keys: Keys, grows: BoolArray, shrinks: BoolArray, alive: Int64Array | None
) -> Groups:
    """`grows`, `shrinks`: events that count as allocations and releases; `alive`: positions, None without addresses."""
    change, blocks = device.series.bytes, device.blocks
    is_alive = np.zeros(len(change), np.bool_)
    is_alive[_NONE if alive is None else alive] = True
    rows = np.flatnonzero(grows | shrinks | is_alive)
    columns = [keys.key[rows]] if keys.via is None else [keys.key[rows], keys.via[rows]]
    groups = group_by(*columns)
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
    return Groups(trace=trace, keys=keys, of=rows[groups.first], sums=sums, has_blocks=blocks is not None, order=order)


def _text(texts: object, key: int) -> str | None:
    return None if key == NONE else texts[key]  # type: ignore[index]
