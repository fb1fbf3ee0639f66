"""The operator that an allocation or a release happened in: the innermost one open on its thread at that time.

Named ranges count as operators, as in torch's own sums: releases often happen in `Optimizer.zero_grad` with nothing inside it.
Steps do not: nearly everything is in one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from tb_plugin.base.units import NONE, BoolArray, Int32Array, Int64Array
from tb_plugin.compute.distinct import distinct
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.kinds import STEP_NAME, Kind
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
    """Of these event rows, which are in `trace.memory`."""
    events = trace.events
    counts = can_own(trace)
    inner = operators_around(trace, rows)
    operators = np.flatnonzero(events.kind == Kind.OPERATOR)
    allocates = np.zeros(len(events) + 1, np.bool_)  # NONE falls on the last
    allocates[operators] = rows_named(trace, operators, lambda name: name.startswith(_ALLOCATING))
    outer = inner.copy()
    climbing = np.flatnonzero(allocates[outer])
    while len(climbing):
        outer[climbing] = _above(trace, outer[climbing], counts)
        climbing = climbing[allocates[outer[climbing]]]
    has_caller = (outer != NONE) & (outer != inner)
    name = np.where(has_caller, outer, inner)
    return Callers(name=_name_ids(trace, name), via=np.where(has_caller, _name_ids(trace, inner), NONE))


def can_own(trace: Trace) -> BoolArray:
    """For every row: is it an operator, or a named range that is no step?"""
    kind = trace.events.kind
    owns: BoolArray = kind == Kind.OPERATOR
    ranges = np.flatnonzero(kind == Kind.ANNOTATION)
    owns[ranges] = ~rows_named(trace, ranges, STEP_NAME.match)
    return owns


def operators_around(trace: Trace, rows: Int64Array) -> Int64Array:
    """The operator row of each of these event rows, which are in `trace.memory`, or NONE."""
    return _of_memory(trace)[np.searchsorted(trace.memory.row, rows)].astype(np.int64)


@once_per_trace
def _of_memory(trace: Trace) -> Int32Array:
    return innermost(trace, trace.memory.row).astype(np.int32)


def innermost(trace: Trace, rows: npt.NDArray[np.integer]) -> Int64Array:
    """Row of the operator around each of these instants, or NONE. An operator is open at its very end, as in torch's own tree."""
    events, counts = trace.events, can_own(trace)
    time = events.start_ns[rows]
    owners = np.flatnonzero(counts)
    found = np.full(len(rows), NONE, np.int64)
    # The last that started is the innermost one, or is closed; then what contains it is asked.
    for track in distinct(events.track[rows]).tolist():
        here = np.flatnonzero(events.track[rows] == track)
        of_track = owners[events.track[owners] == track]
        place = np.searchsorted(events.start_ns[of_track], time[here], side="right") - 1
        begun = place >= 0
        found[here[begun]] = of_track[place[begun]]
    asked = np.flatnonzero(found != NONE)
    while len(asked):
        asked = asked[events.end_ns[found[asked]] < time[asked]]
        found[asked] = _above(trace, found[asked], counts)
        asked = asked[found[asked] != NONE]
    return found


def _above(trace: Trace, rows: Int64Array, counts: BoolArray) -> Int64Array:
    """The nearest operator that each row lies in, or NONE."""
    above = trace.events.nest_parent[rows].astype(np.int64)
    while True:
        other = (above != NONE) & ~counts[above]
        if not other.any():
            return above
        above[other] = trace.events.nest_parent[above[other]]


def _name_ids(trace: Trace, rows: Int64Array) -> Int64Array:
    return np.where(rows == NONE, NONE, trace.events.name_id[rows])
