"""Host time by the line of the user's code, or by the operator or range: their own, without what they call.

thread | train.py(9): step ....................|        step's own: 0-10 and 30-40
       |          | model.py(3): forward |              10-30 is forward's
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.errors import NotFoundError
from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.intervals import Merged, subtract, union
from tb_plugin.compute.nesting import has_marked_ancestor
from tb_plugin.replay.host_time import ByTrack, times_of, without
from tb_plugin.trace.kinds import HOST_KINDS, LAUNCH_KINDS, STEP_NAME, Kind, is_kind
from tb_plugin.trace.modules.call_sites import call_sites
from tb_plugin.trace.names import rows_named

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray
    from tb_plugin.replay.graph import Graph
    from tb_plugin.trace.model import Trace

_NAMED: Final = (Kind.OPERATOR, Kind.ANNOTATION)


def line_times(trace: Trace, name: str) -> ByTrack:
    """Of a call site (`train.py(9): step`), or of operators and ranges of this name. Raises NotFoundError."""
    events, sites = trace.events, call_sites(trace)
    on_host = is_kind(events.kind, HOST_KINDS)
    if name in sites.texts:
        is_mine = on_host & (sites.of_row == sites.texts.index(name))
        return _own(trace, is_mine, on_host & (sites.of_row != NONE) & ~is_mine)
    named = is_kind(events.kind, _NAMED)
    rows = np.flatnonzero(named)
    is_mine = np.zeros(len(events), np.bool_)
    is_mine[rows[rows_named(trace, rows, name.__eq__)]] = True
    if not is_mine.any():
        raise NotFoundError(f"edit={f'line:{name}'!r}: there is no such line, operator or range in this profile")
    return _own(trace, is_mine, named & ~is_mine)


def between_operators(graph: Graph) -> ByTrack:
    """When threads that call the driver have no operator, no range but that of a step, and no such call open: Python."""
    trace, calls = graph.trace, graph.calls
    events = trace.events
    rows = np.flatnonzero(is_kind(events.kind, (*_NAMED, *LAUNCH_KINDS)))
    rows = rows[~rows_named(trace, rows, STEP_NAME.match)]
    found = {}
    for track in distinct(calls.track).tolist():
        mine, there = calls.track == track, rows[events.track[rows] == track]
        whole = Merged(calls.start_ns[mine][:1], calls.end_ns[mine][-1:])
        found[track] = subtract(whole, union(events.start_ns[there], events.end_ns[there]))
    return found


def _own(trace: Trace, is_mine: BoolArray, others: BoolArray) -> ByTrack:
    inside = np.flatnonzero(others & has_marked_ancestor(trace.events.nest_parent, is_mine))
    return without(times_of(trace, np.flatnonzero(is_mine)), times_of(trace, inside))
