"""The model checks itself: order, ids, times, forests, links. What a view relies on stands here.

Every file goes through it when it becomes a Trace (`formats/reader.py`), but for the cache, which is ours. Tests call it after
every construction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.errors import TbPluginError
from tb_plugin.base.units import NONE, Int32Array
from tb_plugin.compute.nesting import depths
from tb_plugin.trace.kinds import DEVICE_KINDS, HOST_KINDS, LAUNCH_KINDS, Kind, is_kind
from tb_plugin.trace.model import TABLES, Events, Flows, Frames, Live, Steps, Tensors, Trace, TraceInfo, Tracks

if TYPE_CHECKING:
    from tb_plugin.trace.table import Table

FARTHEST_NS: Final = 1 << 62
"""No time is farther from the base: then a difference of two fits into int64, too."""

DEEPEST: Final = 2_000
"""Levels. Python itself stops at 1 000 frames unless it is told otherwise; every level costs a pass over the events."""

MOST_DEVICES: Final = 256
"""Of one worker's profile; each has rows of its own in many an answer."""

MOST_BYTES: Final = 1 << 47
"""Of one size of memory: what a process can address. Then a sum of 60 000 of them fits into int64, too."""

POINTS_INTO: Final[dict[tuple[type[Table], str], str]] = {
    (Events, "track"): "tracks",
    (Events, "parent"): "events",
    (Events, "nest_parent"): "events",
    (Events, "launch"): "events",
    (Events, "owner"): "events",
    (Events, "step"): "steps",
    (Steps, "row"): "events",
    (Flows, "track"): "tracks",
    (Live, "parent_elsewhere"): "events",
}
"""Which table the rows in a column are of; NONE is none."""

STRING_COLUMNS: Final[dict[type[Table], tuple[str, ...]]] = {
    Events: ("name_id", "category_id", "shapes_id", "types_id"),
    Tracks: ("pid_id", "tid_id", "process_name_id", "thread_name_id"),
    Flows: ("category_id",),
    Tensors: ("name_id", "dtype_id", "layout_id", "sizes_id", "strides_id"),
    Frames: ("caller_file_id", "caller_function_id", "file_id", "function_id", "class_id"),
}

_LAST_PHASE: Final = 2
_COARSEST_NS: Final = 1_000_000_000

_TIMES: Final[dict[type[Table], tuple[str, ...]]] = {
    Events: ("start_ns", "end_ns"),
    Flows: ("time_ns",),
    Steps: ("start_ns", "end_ns"),
    Live: ("true_end_ns",),
}


class InconsistentTraceError(TbPluginError):
    """A Trace that breaks its own rules: a bug of ours, unless a file came with it."""

    def __init__(self, broken: str) -> None:
        super().__init__(f"inconsistent trace: {broken}")
        self.broken = broken


def check(trace: Trace) -> None:
    """InconsistentTraceError names the first rule that is broken."""
    events = trace.events
    n = len(events)
    for table in TABLES:
        for name, column in trace.table(table).columns().items():
            _expect(len(column) == len(trace.table(table)), f"{table.name}.{name} has another length")
            _expect(not column.flags.writeable, f"{table.name}.{name} can be written")
    for (table, name), target in POINTS_INTO.items():
        column, most = getattr(trace.table(table), name), len(getattr(trace, target))
        _expect(bool(((column >= NONE) & (column < most)).all()), f"{table.name}.{name} outside the {target}")
    for table, names in STRING_COLUMNS.items():
        for name in names:
            column = getattr(trace.table(table), name)
            _expect(bool(((column >= NONE) & (column < len(trace.strings))).all()), f"{table.name}.{name} outside the strings")
    for table, names in _TIMES.items():
        for name in names:
            column = getattr(trace.table(table), name)
            _expect(bool(((column > -FARTHEST_NS) & (column < FARTHEST_NS)).all()), f"a time in {table.name}.{name} is no time")
    for name in ("bytes", "total_allocated", "total_reserved"):
        size = getattr(trace.memory, name)
        _expect(bool(((size >= -MOST_BYTES) & (size <= MOST_BYTES)).all()), f"a size in memory.{name} is no size")
    _expect(bool((events.track >= 0).all() and (trace.flows.track >= 0).all()), "an event on no track")
    _expect(bool((events.name_id >= 0).all()), "an event without a name")
    _expect(not n or int(events.kind.max()) <= max(Kind), "a kind of event that there is not")
    _expect(bool((trace.flows.phase <= _LAST_PHASE).all()), "an end of an arrow that is none")
    _check_info(trace.info)
    _expect(bool((events.end_ns >= events.start_ns).all()), "an event ends before it starts")
    same_track = events.track[1:] == events.track[:-1]
    _expect(bool((events.track[1:] >= events.track[:-1]).all()), "events not sorted by track")
    _expect(bool((events.start_ns[1:] >= events.start_ns[:-1])[same_track].all()), "events of a track not sorted by start")
    for sparse in (trace.work, trace.memory, trace.live, trace.frames):
        rows = sparse.row
        _expect(bool((rows[1:] > rows[:-1]).all()), f"{sparse.name}.row not sorted or not unique")
        _expect(len(rows) == 0 or (int(rows[0]) >= 0 and int(rows[-1]) < n), f"{sparse.name}.row outside the events")
    named = trace.tensors.row
    _expect(bool((named[1:] >= named[:-1]).all()), "tensors not sorted by event")
    _expect(len(named) == 0 or (int(named[0]) >= 0 and int(named[-1]) < n), "tensors of rows outside the events")
    _expect(is_forest(events.parent), "events that are each other's parents")
    _expect(int(depths(events.parent).max(initial=0)) <= DEEPEST, "events nested too deep")
    _expect(int(events.depth.max(initial=0)) <= DEEPEST, "events nested too deep")
    child = np.flatnonzero(events.nest_parent >= 0)
    above = events.nest_parent[child]
    _expect(bool((above < child).all()), "a nested event that stands before what it lies in")
    _expect(bool((events.track[child] == events.track[above]).all()), "a parent on another thread")
    _expect(bool((events.depth[child] == events.depth[above] + 1).all()), "a depth that is not its parent's plus one")
    _expect(bool((events.start_ns[child] >= events.start_ns[above]).all()), "a child that starts before its parent")
    _expect(bool(is_kind(events.kind[child], HOST_KINDS).all()), "a nested row that is no host range")
    launched = np.flatnonzero(events.launch >= 0)
    _expect(bool(is_kind(events.kind[events.launch[launched]], LAUNCH_KINDS).all()), "a launch that is no call")
    owned = np.flatnonzero(events.owner >= 0)
    _expect(bool(is_kind(events.kind[events.owner[owned]], HOST_KINDS).all()), "an owner that is no host range")
    _expect(not is_kind(events.kind[launched], HOST_KINDS).any(), "host work with a launch")
    device = is_kind(events.kind, DEVICE_KINDS)
    _expect(bool((trace.tracks.device[events.track[device]] >= 0).all()), "device work on a track without a device")
    _expect(len(np.unique(trace.tracks.device)) <= MOST_DEVICES + 1, "more devices than there can be")
    steps = trace.steps
    by_number = np.lexsort((steps.start_ns, steps.number))
    again = np.flatnonzero(steps.number[by_number][1:] == steps.number[by_number][:-1])
    apart = steps.start_ns[by_number[again + 1]] >= steps.end_ns[by_number[again]]
    _expect(bool(apart.all()), "a step that is there twice")
    _expect(bool((steps.row >= 0).all()), "a step without its range")
    _expect(bool((steps.end_ns >= steps.start_ns).all()), "a step that ends before it starts")
    _expect(bool((steps.start_ns[1:] >= steps.start_ns[:-1]).all()), "steps not sorted by start")


def _check_info(info: TraceInfo) -> None:
    for name in ("base_ns", "start_ns", "end_ns", "rank", "world_size"):
        _expect(abs(getattr(info, name) or 0) < FARTHEST_NS, f"the file's {name} is out of range")
    _expect(info.end_ns >= info.start_ns, "a recording that ends before it starts")
    _expect(0 < info.resolution_ns <= _COARSEST_NS, "times good to nothing")


def is_forest(parent: Int32Array) -> bool:
    """Whether every row comes to an end when it goes from parent to parent."""
    rows = np.flatnonzero(parent != NONE)
    if bool((parent[rows] < rows).all()):
        return True
    above = np.append(parent, NONE)  # NONE leads to the entry behind the rows, and that to NONE
    for _ in range(len(parent).bit_length()):  # each pass goes twice as far as the one before
        above = above[above]
    return bool((above == NONE).all())


def _expect(holds: bool, broken: str) -> None:
    if not holds:
        raise InconsistentTraceError(broken)
