"""What many checks ask of a profile, each computed once: the window, when devices and loaders were busy, rows by name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.intervals import Merged, intersect, length, subtract, union
from tb_plugin.trace.kinds import DATA_LOADER_NAME, DEVICE_KINDS, Kind
from tb_plugin.trace.patterns.call_tree import CallTree
from tb_plugin.trace.taxonomy import collective_kernels

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.trace.model import Trace

Rows = npt.NDArray[np.integer]


@dataclass(frozen=True)
class Facts:
    """A profile and what was derived from it. All intervals are in ns of the trace."""

    trace: Trace

    @cached_property
    def window(self) -> Merged:
        """The time that gains are counted in: steps, each until its device work is done; without steps the recording."""
        events, steps, info = self.trace.events, self.trace.steps, self.trace.info
        if len(steps) == 0:
            return union(np.array([info.start_ns]), np.array([info.end_ns]))
        end = steps.end_ns.copy()
        mine = self.device_rows[(events.step[self.device_rows] != NONE) & (events.launch[self.device_rows] != NONE)]
        np.maximum.at(end, events.step[mine], events.end_ns[mine])
        return union(steps.start_ns, end)

    @cached_property
    def window_ns(self) -> int:
        return length(self.window)

    @cached_property
    def device_rows(self) -> Int64Array:
        """Kernels, copies and sets."""
        return self.tree.of_kinds(*DEVICE_KINDS)

    @cached_property
    def busiest(self) -> Int64Array:
        """Work of the device with the most of it: the one whose idle time counts."""
        if len(self.device_rows) == 0:
            return self.device_rows
        events = self.trace.events
        device = np.maximum(self.trace.tracks.device[events.track[self.device_rows]], 0)
        busy = np.bincount(device, weights=(events.end_ns - events.start_ns)[self.device_rows])
        mine: Int64Array = self.device_rows[device == busy.argmax()]
        return mine

    @cached_property
    def busy(self) -> Merged:
        """When the busiest device worked."""
        return self.union_of(self.busiest)

    @cached_property
    def idle(self) -> Merged:
        """When the busiest device did not work, inside the window and between its first and last work."""
        if len(self.busy.start) == 0:
            return self.busy
        ends = union(self.busy.start[:1], self.busy.end[-1:])
        return intersect(subtract(ends, self.busy), self.window)

    @cached_property
    def is_collective(self) -> BoolArray:
        return collective_kernels(self.trace)

    @cached_property
    def computation(self) -> Merged:
        """Kernels of the busiest device that are not communication."""
        rows = self.busiest
        is_kernel = self.trace.events.kind[rows] == Kind.KERNEL
        return self.union_of(rows[is_kernel & ~self.is_collective[rows]])

    @cached_property
    def tree(self) -> CallTree:
        return CallTree(self.trace)

    @cached_property
    def loader_rows(self) -> Int64Array:
        return self.named(DATA_LOADER_NAME.match, Kind.ANNOTATION, Kind.OPERATOR)

    def named(self, is_wanted: Callable[[str], object], *kinds: Kind) -> Int64Array:
        """Rows of these kinds whose name satisfies the predicate."""
        return self.tree.named(is_wanted, *kinds)

    def has(self, *kinds: Kind) -> bool:
        return not self._kinds.isdisjoint(kinds)

    @cached_property
    def _kinds(self) -> set[int]:
        return set(np.flatnonzero(np.bincount(self.trace.events.kind)).tolist())

    def name(self, row: int) -> str:
        return self.tree.name(row)

    def duration(self, rows: Rows) -> Int64Array:
        return (self.trace.events.end_ns - self.trace.events.start_ns)[rows]

    def union_of(self, rows: Rows) -> Merged:
        return union(self.trace.events.start_ns[rows], self.trace.events.end_ns[rows])

    def in_window(self, rows: Rows) -> Int64Array:
        """Those that start inside the window."""
        start = self.trace.events.start_ns[rows]
        if len(self.window.start) == 0:
            return np.zeros(0, np.int64)
        place = np.searchsorted(self.window.start, start, side="right") - 1
        return np.asarray(rows, np.int64)[(place >= 0) & (start < self.window.end[np.maximum(place, 0)])]

    def window_part(self, merged: Merged) -> int:
        """How much of the window this covers, ns."""
        return length(intersect(merged, self.window))

    def share(self, ns: float) -> float:
        return ns / self.window_ns if self.window_ns else 0.0

    def work_of(self, rows: Rows) -> Int64Array:
        """Device work launched from inside these host events."""
        events = self.trace.events
        work = self.device_rows[events.launch[self.device_rows] != NONE]
        launch = events.launch[work]
        chosen = np.zeros(len(work), np.bool_)
        for track in np.unique(events.track[rows]).tolist():
            merged = self.union_of(rows[events.track[rows] == track])
            at = events.start_ns[launch]
            place = np.searchsorted(merged.start, at, side="right") - 1
            if len(merged.start):
                chosen |= (events.track[launch] == track) & (place >= 0) & (at < merged.end[np.maximum(place, 0)])
        launched: Int64Array = work[chosen]
        return launched

    def cost_ns(self, rows: Rows) -> int:
        """Time of the window in which these host events or the device work that they launched ran."""
        return self.window_part(self.union_of(np.concatenate((np.asarray(rows, np.int64), self.work_of(rows)))))
