"""Which stretches of a profile are compared: its complete steps, the occurrences of a range, or all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.errors import NotFoundError
from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.compute.grouping import group_by
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.scope.counted_steps import counted_steps
from tb_plugin.trace.times.outer_calls import is_outer_call

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.compare.sums.result import Unit

_UNLIKE: Final = 0.2
"""Of the calls of a step: one whose operators differ by more is of another kind, as evaluation between training."""


class Windows(NamedTuple):
    """Disjoint, in order: [start_ns, end_ns)."""

    unit: Unit
    number: Int64Array
    start_ns: Int64Array
    end_ns: Int64Array
    kind: Int64Array  # 0 the most frequent
    n_incomplete: int


def windows(trace: Trace, per: str) -> Windows:
    """Raises NotFoundError for a range that is not there."""
    if per:
        return _of_range(trace, per)
    counted = counted_steps(trace)
    if len(counted.places) == 0:
        start, end = np.array([trace.info.start_ns]), np.array([max(trace.info.end_ns, trace.info.start_ns)])
        return Windows("recording", np.zeros(1, np.int64), start, end, np.zeros(1, np.int64), 0)
    all_steps, places = counted.windows, counted.places
    start, end = all_steps.start_ns[places], all_steps.end_ns[places]
    left_out = len(trace.steps) - len(places)
    return Windows("step", trace.steps.number[places], start, end, _kinds(trace, start, end), left_out)


def _of_range(trace: Trace, per: str) -> Windows:
    events = trace.events
    rows = np.flatnonzero((events.kind == Kind.ANNOTATION) | (events.kind == Kind.OPERATOR) | (events.kind == Kind.PYTHON))
    rows = rows[rows_named(trace, rows, per.__eq__)]
    rows = rows[np.argsort(events.start_ns[rows], kind="stable")]
    if len(rows) == 0:
        raise NotFoundError(f"there is no range {per!r} in {trace.info.source or 'the profile'}")
    start, end = events.start_ns[rows], events.end_ns[rows]
    before = np.concatenate(([np.iinfo(np.int64).min], np.maximum.accumulate(end)[:-1]))
    alone = start >= before  # of those that overlap the first
    start, end = start[alone], end[alone]
    return Windows("range", np.arange(len(start)), start, end, np.zeros(len(start), np.int64), 0)


def window_of(starts_ns: Int64Array, ends_ns: Int64Array, time_ns: Int64Array) -> Int64Array:
    """The window that each of these instants lies in, or NONE."""
    place = np.searchsorted(starts_ns, time_ns, side="right") - 1
    inside = (place >= 0) & (time_ns < ends_ns[np.maximum(place, 0)])
    found: Int64Array = np.where(inside, place, NONE)
    return found


def _kinds(trace: Trace, start_ns: Int64Array, end_ns: Int64Array) -> Int64Array:
    """Steps by the operators that they call: unlike ones are of different kinds, the most frequent kind is 0."""
    calls = np.flatnonzero(is_outer_call(trace))
    of_step = window_of(start_ns, end_ns, trace.events.start_ns[calls])
    calls, of_step = calls[of_step != NONE], of_step[of_step != NONE]
    if len(calls) == 0:
        return np.zeros(len(start_ns), np.int64)
    names = group_by(trace.events.name_id[calls])
    counts = np.zeros((len(start_ns), len(names)), np.int64)
    np.add.at(counts, (of_step, names.of), 1)
    alike = group_by(*counts.T)
    size = np.bincount(alike.of)
    first: list[int] = []  # of each kind its most frequent step
    kind_of = np.zeros(len(size), np.int64)
    for like in sorted(range(len(size)), key=lambda one: (-size[one], alike.first[one])):
        own = counts[alike.first[like]]
        near = (kind for kind, step in enumerate(first) if _differ(own, counts[step]) <= _UNLIKE)
        kind_of[like] = next(near, len(first))
        if kind_of[like] == len(first):
            first.append(int(alike.first[like]))
    kinds = kind_of[alike.of]
    order = np.argsort(-np.bincount(kinds), kind="stable")
    rank = np.argsort(order)
    result: Int64Array = rank[kinds]
    return result


def _differ(a: Int64Array, b: Int64Array) -> float:
    return float(np.abs(a - b).sum() / max(int(a.sum()), int(b.sum()), 1))
