"""Which call path each event is of: the names around it on its thread, of device work those around its launch.

All steps have one name.

thread  train 0-90 | aten::linear 10-40 | aten::mm 20-35      node  parent  name
stream  gemm 50-70 <- aten::mm                                   0    -1    train
                                                                 1     0    aten::linear
                                                                 2     1    aten::mm
                                                                 3     2    gemm
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int32Array, Int64Array
from tb_plugin.compute.grouping import group_by
from tb_plugin.compute.nesting import depths, nearest_marked
from tb_plugin.trace.kept import LastAnswers, once_per_trace
from tb_plugin.trace.kinds import DEVICE_KINDS, HOST_KINDS, LAUNCH_KINDS, Kind, is_kind
from tb_plugin.trace.times.operator_times import name_keys

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.timeline.result import CallFrames

_KINDS: Final[dict[CallFrames, tuple[Kind, ...]]] = {
    "all": HOST_KINDS,
    "operators": (Kind.OPERATOR, Kind.ANNOTATION, *LAUNCH_KINDS),
    "python": (Kind.PYTHON,),
}


class CallPaths(NamedTuple):
    """Nodes, a parent before its children, and the node of each event row; NONE for marks and for what names others."""

    of_row: Int32Array
    is_call: BoolArray  # of each event row; what is of no kind that was asked for is none, and lies in that of its node
    parent: Int32Array
    row: Int64Array  # one event of it
    on_device: BoolArray


def call_paths(trace: Trace, frames: CallFrames) -> CallPaths:
    """Paths of frames of these kinds alone: what is of another kind belongs to the one around it."""
    return _kept(trace).get(frames, lambda: _call_paths(trace, frames))


@once_per_trace
def _kept(_trace: Trace) -> LastAnswers[CallFrames, CallPaths]:
    return LastAnswers(2)


def _call_paths(trace: Trace, frames: CallFrames) -> CallPaths:
    events = trace.events
    timed = events.end_ns > events.start_ns
    is_frame = timed & is_kind(events.kind, _KINDS[frames])
    nearest = np.append(
        nearest_marked(events.nest_parent, is_frame), np.int32(NONE)
    )  # itself, if it is one; NONE falls on the last
    above = np.where(is_frame, nearest[events.nest_parent], NONE).astype(np.int32)
    rows = np.flatnonzero(is_frame)
    depth = depths(above)[rows]
    rows = rows[np.argsort(depth, kind="stable")]
    levels = np.split(rows, np.cumsum(np.bincount(depth)))
    tree = _Tree(trace)
    for level in levels:
        tree.add(level, tree.of_row[above[level]])
    n_host = len(tree)
    inside = timed & is_kind(events.kind, HOST_KINDS) & ~is_frame
    tree.of_row[:-1][inside] = tree.of_row[nearest[:-1][inside]]
    work = np.flatnonzero(timed & is_kind(events.kind, DEVICE_KINDS))
    tree.add(work, tree.of_row[nearest[_launched_in(trace, work)]])
    parent, row = (np.concatenate([np.empty(0, np.int64), *parts]) for parts in (tree.parents, tree.rows))
    return CallPaths(tree.of_row[:-1], ~inside, parent.astype(np.int32), row, np.arange(len(row)) >= n_host)


def _launched_in(trace: Trace, work: Int64Array) -> Int32Array:
    """Of device work what is right around its launch, also a Python frame in which no operator is: as of Triton's kernels and of
    replayed graphs. Else the operator or range that it is of, or the launch itself.
    """
    events = trace.events
    launch, owner = events.launch[work], events.owner[work]
    is_call = (launch != NONE) & is_kind(events.kind[launch], LAUNCH_KINDS)
    around = np.where(is_call, events.nest_parent[launch], NONE)
    found: Int32Array = np.where(around == NONE, owner, around).astype(np.int32)
    return found


class _Tree:
    """Nodes as they come, parents first."""

    def __init__(self, trace: Trace) -> None:
        self.of_row = np.full(len(trace.events) + 1, NONE, np.int32)  # one entry more: NONE falls on it
        self.parents: list[Int64Array] = []
        self.rows: list[Int64Array] = []
        self._kind, self._name = trace.events.kind, name_keys(trace)
        self._n = 0

    def __len__(self) -> int:
        return self._n

    def add(self, rows: Int64Array, parents: Int32Array) -> None:
        """Rows of one parent node, kind and name are one node."""
        groups = group_by(parents, self._kind[rows], self._name[rows])
        self.of_row[rows] = groups.of + self._n
        self.parents.append(parents[groups.first].astype(np.int64))
        self.rows.append(rows[groups.first])
        self._n += len(groups)
