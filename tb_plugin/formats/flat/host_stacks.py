"""Distinct call stacks of the host, for formats that hold stacks and no time line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.nesting import sum_over_children
from tb_plugin.trace.kinds import HOST_KINDS, is_kind
from tb_plugin.trace.times.operator_times import nest_parents

if TYPE_CHECKING:
    from tb_plugin.base.units import Int32Array
    from tb_plugin.trace.model import Trace


@dataclass(frozen=True, kw_only=True)
class HostStacks:
    """`of_row[row]` is a stack or NONE; a stack lies after the one above it.

    stack  above  name_id       track    of_row: aten::linear 0, both aten::mm in it 1
        0     -1  aten::linear      0
        1      0  aten::mm          0
    """

    of_row: Int64Array
    self_ns: Int64Array  # by row
    above: Int64Array
    name_id: Int64Array
    track: Int64Array

    def __len__(self) -> int:
        return len(self.above)


def host_stacks(trace: Trace) -> HostStacks:
    """Ranges that cross on one thread both count where they overlap."""
    events = trace.events
    nests = is_kind(events.kind, HOST_KINDS)
    # A range that ends on another thread has no place on a stack, and torch gives it no self time.
    asynchronous = trace.live.row[trace.live.is_async]
    nests[asynchronous] = False
    parent = nest_parents(trace, nests, np.unique(events.track[asynchronous]))
    duration_ns = np.where(nests, events.end_ns - events.start_ns, 0)
    self_ns = np.maximum(duration_ns - sum_over_children(parent, duration_ns), 0)
    of_row, table = _distinct(trace, nests, parent)
    return HostStacks(of_row=of_row, self_ns=self_ns, above=table[:, 0], name_id=table[:, 1], track=table[:, 2])


def _distinct(
    trace: Trace, nests: BoolArray, parent: Int32Array
) -> tuple[Int64Array, np.ndarray[tuple[int, int], np.dtype[np.int64]]]:
    """(stack of each row; (stack above, name, track) of each stack), outer stacks first."""
    rows = np.flatnonzero(nests)
    stack_of = np.full(len(parent) + 1, NONE, np.int64)  # the last stands for "no parent"
    parts: list[np.ndarray[tuple[int, int], np.dtype[np.int64]]] = []
    n_stacks = 0
    level = rows[parent[rows] == NONE]
    left = rows[parent[rows] != NONE]
    while len(level):
        keys = np.column_stack((stack_of[parent[level]], trace.events.name_id[level], trace.events.track[level]))
        distinct, which = np.unique(keys, axis=0, return_inverse=True)
        stack_of[level] = n_stacks + which.reshape(-1)
        parts.append(distinct)
        n_stacks += len(distinct)
        ready = stack_of[parent[left]] != NONE
        level, left = left[ready], left[~ready]
    return stack_of[:-1], np.concatenate(parts) if parts else np.empty((0, 3), np.int64)
