"""Ranges that the rank's own code or torch marked on the host, and what was computed in each: kernels launched there, and
where no device works operators' self time.

    host       | augment_images 0-80     | forward 90-120 |      count 1, total 80, computing 70
    host       | mm 0-10 |..| mm 70-80   | linear 90-115  |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import numbered
from tb_plugin.compute.grouping import count_by, group_by, sum_by
from tb_plugin.trace.kinds import DATA_LOADER_NAME, DEVICE_KINDS, STEP_NAME, Kind, is_kind
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.rank.pause_events import MOST_NAME
from tb_plugin.trace.rank.step_work import computing_operators
from tb_plugin.trace.times.operator_times import operator_times
from tb_plugin.trace.work.collective_names import HOST_COLLECTIVE_NAME
from tb_plugin.trace.work.taxonomy import collective_kernels

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace

_MOST: Final = 40
"""Rows a step; those in which most was computed."""


class OwnRanges(NamedTuple):
    """The columns of `summary.RANGES`, and the texts of `name`."""

    columns: dict[str, Int64Array]
    names: list[str]


class _Computed(NamedTuple):
    """[piece of work], the event of the host that ran or launched it."""

    host: Int64Array
    duration: Int64Array


def own_ranges(trace: Trace) -> OwnRanges:
    """Of all but steps, the loader and collectives."""
    events = trace.events
    rows = np.flatnonzero((events.kind == Kind.ANNOTATION) & (events.step != NONE))
    rows = rows[~rows_named(trace, rows, _is_apart)]
    groups = group_by(events.step[rows], events.name_id[rows])
    computing = sum_by(groups, _computing(trace, rows))
    step, total = events.step[rows][groups.first].astype(np.int64), sum_by(groups, events.duration_ns(rows))
    order = np.lexsort((-total, -computing, step))
    kept = order[np.arange(len(order)) - np.searchsorted(step[order], step[order]) < _MOST]
    names, name = numbered(events.name_id[rows][groups.first][kept])
    columns = {
        "step": trace.steps.number[step[kept]] if len(trace.steps) else step[kept],
        "name": name.astype(np.int64).reshape(-1),
        "count": count_by(groups)[kept],
        "total": total[kept],
        "computing": computing[kept],
    }
    return OwnRanges(columns, [trace.text(name_id)[:MOST_NAME] for name_id in names.tolist()])


def _is_apart(name: str) -> bool:
    return any(each.match(name) for each in (STEP_NAME, DATA_LOADER_NAME, HOST_COLLECTIVE_NAME))


def _computing(trace: Trace, rows: Int64Array) -> Int64Array:
    """In each of these ranges, ns, ranges within it included."""
    events, (host, duration) = trace.events, _computed(trace)
    found = np.zeros(len(rows), np.int64)
    track, of_work = events.track[rows], events.track[host]
    for each in np.unique(track).tolist():
        here, work = track == each, np.flatnonzero(of_work == each)
        begins = events.start_ns[host[work]]
        order = np.argsort(begins, kind="stable")
        until = np.append(0, np.cumsum(duration[work][order]))
        first, last = (np.searchsorted(begins[order], at[rows[here]]) for at in (events.start_ns, events.end_ns))
        found[here] = until[last] - until[first]
    return found


def _computed(trace: Trace) -> _Computed:
    events = trace.events
    if is_kind(events.kind, DEVICE_KINDS).any():
        kernels = np.flatnonzero((events.kind == Kind.KERNEL) & ~collective_kernels(trace) & (events.launch != NONE))
        return _Computed(events.launch[kernels].astype(np.int64), events.duration_ns(kernels))
    found = operator_times(trace)
    use = np.isin(found.row, computing_operators(trace))
    return _Computed(found.row[use], found.host_self_ns[use])
