"""torch's call tree as its pattern matcher walks it: children and siblings by time, host events of one thread."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.compute.grouping import count_by, group_by
from tb_plugin.trace.kinds import HOST_KINDS, Kind, is_kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.base.units import Int32Array
    from tb_plugin.trace.model import Trace

_IN_TREE = (*HOST_KINDS, Kind.MEMORY, Kind.OUT_OF_MEMORY)


@dataclass(frozen=True)
class CallTree:
    """Relations by `events.parent`. Roots of one thread are each other's siblings."""

    trace: Trace
    _of_kinds: dict[tuple[Kind, ...], tuple[Int64Array, Int32Array, list[int]]] = field(
        default_factory=dict, compare=False, repr=False
    )

    _rows: dict[tuple[Kind, ...], Int64Array] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def _by_key(self) -> tuple[Int64Array, Int64Array]:
        """(keys, rows): rows that are in the tree, by (parent or thread, start, order)."""
        events = self.trace.events
        rows = self.of_kinds(*_IN_TREE)
        key = self._key(rows)
        # Rows lie by track and start already; only where siblings begin at one time must their turn decide.
        order = np.argsort(key, kind="stable")
        key, rows = key[order], rows[order]
        tied = (key[1:] == key[:-1]) & (events.start_ns[rows[1:]] == events.start_ns[rows[:-1]])
        if (tied & (events.order[rows[1:]] < events.order[rows[:-1]])).any():
            order = np.lexsort((events.order[rows], events.start_ns[rows], key))
            key, rows = key[order], rows[order]
        return key, rows

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

    def of_kinds(self, *kinds: Kind) -> Int64Array:
        rows = self._rows.get(kinds)
        if rows is None:
            rows = self._rows[kinds] = np.flatnonzero(is_kind(self.trace.events.kind, kinds))
        return rows

    def named(self, is_wanted: Callable[[str], object], *kinds: Kind) -> Int64Array:
        """Rows of these kinds whose name satisfies the predicate."""
        known = self._of_kinds.get(kinds)
        if known is None:
            rows = self.of_kinds(*kinds)
            names = self.trace.events.name_id[rows]
            known = self._of_kinds[kinds] = (rows, names, np.flatnonzero(np.bincount(names + 1)[1:]).tolist())
        rows, names, distinct = known
        ids = [name_id for name_id in distinct if is_wanted(self.trace.strings[name_id])]
        if not ids:
            return np.empty(0, np.int64)
        wanted = np.zeros(len(self.trace.strings) + 1, np.bool_)  # the last stands for NONE
        wanted[ids] = True
        return rows[wanted[names]]

    def name(self, row: int) -> str:
        return self.trace.text(int(self.trace.events.name_id[row]))

    def children(self, row: int) -> Int64Array:
        return self._under(row)

    def siblings(self, row: int) -> Int64Array:
        """All children of the row's parent, itself included."""
        return self._under(int(self._key(np.array([row]))[0]))

    def n_siblings_among(self, rows: Int64Array) -> Int64Array:
        """For each of these rows: how many of them have its parent, itself included."""
        groups = group_by(self._key(rows))
        return count_by(groups)[groups.of]

    def before(self, rows: Int64Array) -> Int64Array:
        """Of each of these rows the sibling before, or NONE."""
        keys, in_order = self._by_key
        place = self._place[rows]
        return np.where((place > 0) & (keys[place - 1] == keys[place]), in_order[place - 1], NONE)

    def after(self, row: int) -> int:
        """The sibling after, or NONE."""
        keys, rows = self._by_key
        place = int(self._place[row]) + 1
        return int(rows[place]) if 0 < place < len(rows) and keys[place] == keys[place - 1] else NONE

    def up(self, row: int) -> int:
        return int(self.trace.events.parent[row])

    def first_child(self, row: int) -> int:
        children = self.children(row)
        return int(children[0]) if len(children) else NONE

    def last_children(self, rows: Int64Array) -> Int64Array:
        """Of each of these rows the last child, or NONE."""
        keys, children = self._by_key
        place = keys.searchsorted(rows, side="right") - 1
        return np.where((place >= 0) & (keys[place] == rows), children[place], NONE)

    def _under(self, key: int) -> Int64Array:
        keys, rows = self._by_key
        low, high = keys.searchsorted((key, key + 1))
        return rows[low:high]
