"""torch's call tree as its pattern matcher walks it: children and siblings by time, host events of one thread."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.trace.kinds import HOST_KINDS, Kind

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

_IN_TREE = (*HOST_KINDS, Kind.MEMORY, Kind.OUT_OF_MEMORY)


@dataclass(frozen=True)
class Family:
    """Relations by `events.parent`. Roots of one thread are each other's siblings."""

    trace: Trace

    @cached_property
    def _by_key(self) -> tuple[Int64Array, Int64Array]:
        """(keys, rows): rows that are in the tree, by (parent or thread, start, order)."""
        events = self.trace.events
        rows = np.flatnonzero(np.isin(events.kind, _IN_TREE))
        key = self._key(rows)
        order = np.lexsort((events.order[rows], events.start_ns[rows], key))
        return key[order], rows[order]

    @cached_property
    def _place(self) -> Int64Array:
        """Of each event row its place in `_by_key`, NONE outside the tree."""
        _, rows = self._by_key
        place = np.full(len(self.trace.events), NONE, np.int64)
        place[rows] = np.arange(len(rows))
        return place

    def _key(self, rows: Int64Array) -> Int64Array:
        """Parent's row; of roots a negative number per thread."""
        events = self.trace.events
        return np.where(events.parent[rows] != NONE, events.parent[rows], -2 - events.track[rows]).astype(np.int64)

    def children(self, row: int) -> Int64Array:
        return self._under(row)

    def siblings(self, row: int) -> Int64Array:
        """All children of the row's parent, itself included."""
        return self._under(int(self._key(np.array([row]))[0]))

    def before(self, row: int) -> int:
        """The sibling before, or NONE."""
        return self._beside(row, -1)

    def after(self, row: int) -> int:
        return self._beside(row, 1)

    def up(self, row: int) -> int:
        return int(self.trace.events.parent[row])

    def first_child(self, row: int) -> int:
        children = self.children(row)
        return int(children[0]) if len(children) else NONE

    def last_child(self, row: int) -> int:
        children = self.children(row)
        return int(children[-1]) if len(children) else NONE

    def below(self, row: int) -> list[int]:
        """Every row under this one."""
        found: list[int] = []
        open_ = self.children(row).tolist()
        while open_:
            found.append(open_.pop())
            open_ += self.children(found[-1]).tolist()
        return found

    def _under(self, key: int) -> Int64Array:
        keys, rows = self._by_key
        low, high = np.searchsorted(keys, [key, key + 1])
        return rows[low:high]

    def _beside(self, row: int, by: int) -> int:
        keys, rows = self._by_key
        place = int(self._place[row])
        beside = place + by
        return int(rows[beside]) if 0 <= beside < len(rows) and keys[beside] == keys[place] else NONE
