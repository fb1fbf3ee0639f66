"""Whole Python stacks: events that were made by the same frames, called in the same way, have one number.

frames around an event    <module> > step > forward        stack  frame     outer
frames around another     <module> > step                      0  <module>     -1
                                                               1  step          0
                                                               2  forward       1
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.grouping import group_by
from tb_plugin.compute.nesting import nearest_marked
from tb_plugin.trace.kinds import Kind

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


class Stacks(NamedTuple):
    """`of[i]` is the stack of event i, NONE without frames; `name_id` and `outer` are of its innermost frame."""

    of: Int64Array
    name_id: Int64Array
    outer: Int64Array

    def frames(self, stack: int) -> list[int]:
        """Name ids, innermost first."""
        found = []
        while stack != NONE:
            found.append(int(self.name_id[stack]))
            stack = int(self.outer[stack])
        return found


def stacks(trace: Trace, rows: Int64Array, is_frame: BoolArray | None = None) -> Stacks:
    """Of these rows of `trace.events`, by torch's tree. `is_frame`: rows that count as frames, if not all of Python."""
    events = trace.events
    is_frame = events.kind == Kind.PYTHON if is_frame is None else is_frame
    nearest = nearest_marked(events.parent, is_frame).astype(np.int64)

    def above(frames: Int64Array) -> Int64Array:
        parent = events.parent[frames]
        return np.where(parent == NONE, NONE, nearest[parent])

    own = nearest[rows]
    levels = []  # frames with what they are in, from the events outwards
    level = distinct(own[own != NONE])
    seen = np.zeros(len(events), np.bool_)
    while len(level):
        seen[level] = True
        levels.append(level)
        outer = distinct(above(level))
        outer = outer[outer != NONE]
        level = outer[~seen[outer]]
    frames = np.flatnonzero(seen)
    outer_frame = above(frames)
    stack = np.full(len(events) + 1, NONE, np.int64)  # NONE falls on the last
    names: list[Int64Array] = []
    outers: list[Int64Array] = []
    n_stacks = 0
    waiting = frames[outer_frame == NONE]
    while len(waiting):
        around = stack[above(waiting)]
        groups = group_by(around, events.name_id[waiting])
        stack[waiting] = groups.of + n_stacks
        names.append(events.name_id[waiting[groups.first]].astype(np.int64))
        outers.append(around[groups.first])
        n_stacks += len(groups)
        done = np.zeros(len(events) + 1, np.bool_)
        done[waiting] = True
        waiting = frames[done[outer_frame]]
    none = np.empty(0, np.int64)
    return Stacks(stack[own], np.concatenate([none, *names]), np.concatenate([none, *outers]))
