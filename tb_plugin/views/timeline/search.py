"""Find events by name. Looks at each distinct name once, then at one integer per event."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.trace.scope.patterns import name_matcher
from tb_plugin.views.timeline.details import refs
from tb_plugin.views.timeline.result import SearchParams, TimelineSearch
from tb_plugin.views.timeline.tracks import N_PARTS

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.timeline.index import Index


def search(trace: Trace, index: Index, params: SearchParams) -> TimelineSearch:
    events, info = trace.events, trace.info
    matched = _matching_names(trace, params)
    rows = np.flatnonzero(matched[events.name_id])
    start = events.start_ns[rows]
    wanted = min(len(rows), params.offset + params.limit)
    if wanted < len(rows):  # of millions of hits only the first ones are put in order
        rows_in_order = np.argpartition(start, wanted)[:wanted]
        rows_in_order = rows_in_order[np.lexsort((rows[rows_in_order], start[rows_in_order]))]
    else:
        rows_in_order = np.argsort(start, kind="stable")
    length = max(info.end_ns - info.start_ns, 1)
    part = ((start - info.start_ns) * (N_PARTS / length)).astype(np.int64).clip(0, N_PARTS - 1)
    return TimelineSearch(
        q=params.q,
        total=len(rows),
        total_ns=int((events.end_ns[rows] - start).sum()),
        offset=params.offset,
        hits=refs(trace, index, rows[rows_in_order[params.offset : wanted]]),
        name_ids=np.flatnonzero(matched).tolist(),
        density=np.bincount(part, minlength=N_PARTS).tolist(),
    )


def _matching_names(trace: Trace, params: SearchParams) -> BoolArray:
    """By string id: is it the name of an event, and does it match?"""
    found = np.zeros(len(trace.strings), np.bool_)
    if not params.q:
        return found
    matches = name_matcher(params.q, literal=not params.regex)
    is_name = np.bincount(trace.events.name_id, minlength=len(trace.strings))
    for name_id in np.flatnonzero(is_name).tolist():
        found[name_id] = matches(trace.strings[name_id])
    return found
