"""Find events by name. Looks at each distinct name once, then at one integer per event.

Hits are in order of time, Python frames after all others: they are folded until somebody looks, and a kernel's name is also that
of the functions around it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.compute.intervals import union_length
from tb_plugin.trace.kinds import Kind, is_kind
from tb_plugin.trace.scope.patterns import name_matcher
from tb_plugin.views.timeline.result import SearchParams, TimelineSearch
from tb_plugin.views.timeline.strip import N_PARTS
from tb_plugin.views.timeline.track_event import refs

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Int64Array, IntArray
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.timeline.index import Index


def search(trace: Trace, index: Index, params: SearchParams) -> TimelineSearch:
    events, info = trace.events, trace.info
    matched = matching_names(trace, params.q, regex=params.regex)
    rows = np.flatnonzero(matched[events.name_id])
    start, end = events.start_ns[rows], events.end_ns[rows]
    t0_ns = info.start_ns if params.t0_ns is None else params.t0_ns
    t1_ns = info.end_ns if params.t1_ns is None else params.t1_ns
    in_sight = (start <= t1_ns) & (end >= t0_ns)
    order = _order(start, is_kind(events.kind[rows], (Kind.PYTHON,)))
    at, begin_at = _position(rows, params.row), _first(start, order, in_sight, t0_ns)
    place = None if at is None else _place(order, at)
    first = 0 if begin_at is None else _place(order, begin_at)
    is_sought = any(each is not None for each in (params.row, params.t0_ns, params.t1_ns))
    offset = (first if place is None else place) // max(params.limit, 1) * params.limit if is_sought else params.offset
    wanted = min(len(rows), offset + params.limit)
    in_order = _first_ones(order, wanted)
    length = max(info.end_ns - info.start_ns, 1)
    part = ((start - info.start_ns) * (N_PARTS / length)).astype(np.int64).clip(0, N_PARTS - 1)
    return TimelineSearch(
        q=params.q,
        total=len(rows),
        total_ns=_covered(events.track[rows], start, end),
        offset=offset,
        place=place,
        first=first,
        n_in_window=int(np.count_nonzero(in_sight)),
        hits=refs(trace, index, rows[in_order[offset:wanted]]),
        density=np.bincount(part, minlength=N_PARTS).tolist(),
    )


def _covered(track: IntArray, start: Int64Array, end: Int64Array) -> int:
    """Time with a hit: a hit inside another of its track adds none. Rows lie track after track."""
    first = np.concatenate(([0], np.flatnonzero(np.diff(track)) + 1, [len(track)]))
    return sum(union_length(start[a:b], end[a:b]) for a, b in pairwise(first.tolist()))


def _first_ones(start: Int64Array, n: int) -> Int64Array:
    """Places of the first `n` in order of time, of equal times as they lie. Of millions of hits no others are put in order."""
    begun = np.arange(len(start))
    if n < len(start):
        # All that begin with the last of them: which of these come first is not left to the partition, or pages would overlap.
        begun = np.flatnonzero(start <= np.partition(start, n - 1)[n - 1]) if n else begun[:0]
    return begun[np.argsort(start[begun], kind="stable")][:n]


def _position(rows: IntArray, row: int | None) -> int | None:
    at = int(np.searchsorted(rows, -1 if row is None else row))
    return at if at < len(rows) and rows[at] == row else None


def _order(start: IntArray, is_frame: BoolArray) -> IntArray:
    """A number for each hit, by which they are in order."""
    length = int(start.max() - start.min()) + 1 if len(start) else 0
    order: IntArray = start + is_frame * np.int64(length)
    return order


def _first(start: IntArray, order: IntArray, in_sight: BoolArray, t0_ns: int) -> int | None:
    """Position of the hit to begin with."""
    for wanted in (in_sight & (start >= t0_ns), in_sight, start >= t0_ns):
        found = np.flatnonzero(wanted)
        if len(found):
            return int(found[order[found].argmin()])
    return None


def _place(order: IntArray, at: int) -> int:
    """Among all hits in order, without putting them in order."""
    return int(np.count_nonzero(order < order[at]) + np.count_nonzero(order[:at] == order[at]))


def matching_names(trace: Trace, q: str, *, regex: bool) -> BoolArray:
    """By string id: is it the name of an event, and does it match? UsageError for what is no regular expression."""
    found = np.zeros(len(trace.strings), np.bool_)
    if not q:
        return found
    matches = name_matcher(q, literal=not regex)
    is_name = np.bincount(trace.events.name_id, minlength=len(trace.strings))
    for name_id in np.flatnonzero(is_name).tolist():
        found[name_id] = matches(trace.strings[name_id])
    return found
