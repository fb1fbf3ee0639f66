"""The model checks itself: order, ids, nesting, links. Tests call this after every construction; `--check` in the shell."""

from __future__ import annotations

import numpy as np

from tb_plugin.base.errors import TbPluginError
from tb_plugin.base.units import NONE
from tb_plugin.trace.kinds import DEVICE_KINDS, HOST_KINDS, LAUNCH_KINDS, is_kind
from tb_plugin.trace.model import TABLES, Trace


class InconsistentTraceError(TbPluginError):
    """A bug of ours: a Trace that breaks its own rules."""


def check(trace: Trace) -> None:
    """InconsistentTraceError names the first rule that is broken."""
    events = trace.events
    n = len(events)
    for table in TABLES:
        for name, column in trace.table(table).columns().items():
            _expect(len(column) == len(trace.table(table)), f"{table.name}.{name} has another length")
            _expect(not column.flags.writeable, f"{table.name}.{name} can be written")
    for name in ("name_id", "category_id", "shapes_id", "types_id"):
        column = getattr(events, name)
        _expect(bool(((column >= NONE) & (column < len(trace.strings))).all()), f"{name} outside the string table")
    for name in ("parent", "nest_parent", "launch", "owner"):
        column = getattr(events, name)
        _expect(bool(((column >= NONE) & (column < n)).all()), f"{name} outside the events")
    _expect(bool(((events.track >= 0) & (events.track < len(trace.tracks))).all()), "track outside the tracks")
    _expect(bool(((events.step >= NONE) & (events.step < len(trace.steps))).all()), "step outside the steps")
    _expect(bool((events.end_ns >= events.start_ns).all()), "an event ends before it starts")
    same_track = events.track[1:] == events.track[:-1]
    _expect(bool((events.track[1:] >= events.track[:-1]).all()), "events not sorted by track")
    _expect(bool((events.start_ns[1:] >= events.start_ns[:-1])[same_track].all()), "events of a track not sorted by start")
    for name in ("row",):
        for sparse in (trace.work, trace.memory, trace.live, trace.frames):
            rows = getattr(sparse, name)
            _expect(bool((rows[1:] > rows[:-1]).all()), f"{sparse.name}.{name} not sorted or not unique")
            _expect(len(rows) == 0 or (int(rows[0]) >= 0 and int(rows[-1]) < n), f"{sparse.name}.{name} outside the events")
    named = trace.tensors.row
    _expect(bool((named[1:] >= named[:-1]).all()), "tensors not sorted by event")
    _expect(len(named) == 0 or (int(named[0]) >= 0 and int(named[-1]) < n), "tensors of rows outside the events")
    child = np.flatnonzero(events.nest_parent >= 0)
    above = events.nest_parent[child]
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
    _expect(len(np.unique(trace.steps.number)) == len(trace.steps), "a step that is there twice")


def _expect(holds: bool, broken: str) -> None:
    if not holds:
        raise InconsistentTraceError(f"inconsistent trace: {broken}")
