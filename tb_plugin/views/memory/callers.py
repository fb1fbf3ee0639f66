"""The operator that an allocation or a release happened in: the innermost one open on its thread at that time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.names import rows_named

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

_ALLOCATING: Final = ("aten::empty", "aten::new_empty", "aten::resize_")
"""Operators that every other one allocates with; what a reader looks for is who called them. Sample: `aten::empty_strided`."""


@dataclass(frozen=True, kw_only=True)
class Callers:
    """One entry per event: name ids, NONE where there is none.

    name        via             (thread: aten::add 0-10 > aten::empty 2-4, allocation at 3)
    aten::add   aten::empty
    """

    name: Int64Array
    via: Int64Array


def callers(trace: Trace, rows: Int64Array) -> Callers:
    """Of these rows of `trace.events` (instants)."""
    events = trace.events
    inner = innermost(trace, rows)
    operators = np.flatnonzero(events.kind == Kind.OPERATOR)
    allocates = np.zeros(len(events) + 1, np.bool_)  # NONE falls on the last
    allocates[operators] = rows_named(trace, operators, lambda name: name.startswith(_ALLOCATING))
    outer = inner.copy()
    climbing = np.flatnonzero(allocates[outer])
    while len(climbing):
        outer[climbing] = _operator_above(trace, outer[climbing])
        climbing = climbing[allocates[outer[climbing]]]
    has_caller = (outer != NONE) & (outer != inner)
    name = np.where(has_caller, outer, inner)
    return Callers(name=_name_ids(trace, name), via=np.where(has_caller, _name_ids(trace, inner), NONE))


def innermost(trace: Trace, rows: Int64Array) -> Int64Array:
    """Row of the operator, or NONE. An operator is open at its very end, as in torch's own tree."""
    events = trace.events
    time = events.start_ns[rows]
    operators = np.flatnonzero(events.kind == Kind.OPERATOR)
    found = np.full(len(rows), NONE, np.int64)
    # The last that started is the innermost one, or is closed; then what contains it is asked.
    for track in np.unique(events.track[rows]).tolist():
        here = np.flatnonzero(events.track[rows] == track)
        of_track = operators[events.track[operators] == track]
        place = np.searchsorted(events.start_ns[of_track], time[here], side="right") - 1
        begun = place >= 0
        found[here[begun]] = of_track[place[begun]]
    asked = np.flatnonzero(found != NONE)
    while len(asked):
        asked = asked[events.end_ns[found[asked]] < time[asked]]
        found[asked] = _operator_above(trace, found[asked])
        asked = asked[found[asked] != NONE]
    return found


def _operator_above(trace: Trace, rows: Int64Array) -> Int64Array:
    """The nearest operator that each row lies in, or NONE."""
    events = trace.events
    above = events.nest_parent[rows].astype(np.int64)
    while True:
        other: BoolArray = (above != NONE) & (events.kind[above] != Kind.OPERATOR)
        if not other.any():
            return above
        above[other] = events.nest_parent[above[other]]


def _name_ids(trace: Trace, rows: Int64Array) -> Int64Array:
    return np.where(rows == NONE, NONE, trace.events.name_id[rows])
