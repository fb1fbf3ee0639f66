"""Which rows are worth a tenth? The longest operators, kernels and host events, and what 10 % of each gain."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array, IntArray
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.nesting import sum_over_children
from tb_plugin.replay.edited import edited
from tb_plugin.replay.edits import Edit
from tb_plugin.replay.replay import Durations, replay
from tb_plugin.replay.trust import Baseline, step_ns
from tb_plugin.trace.kinds import HOST_KINDS, STEP_NAME, Kind, is_kind

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

RowKind = Literal["operator", "kernel", "host"]

FASTER: Final = 0.9


@dataclass(frozen=True, kw_only=True)
class TenPercent:
    """`own_ns`: the time that the edit scales in the steps that count, no gain exceeds a tenth of it; `gain_ns`: of them."""

    kind: RowKind
    name: str
    edit: Edit
    own_ns: int
    gain_ns: int


def effects(base: Baseline, n_rows: int) -> list[TenPercent]:
    """The `n_rows` rows with the most time of themselves, those with the largest effect first."""
    trace = base.graph.trace
    begin, end = base.window_ns
    rows = sorted((*_device_rows(trace, base), *_host_rows(trace, begin, end)), key=lambda row: -row.own_ns)[:n_rows]
    versions = replay(base.graph, [edited(base.graph, [row.edit]) for row in rows]) if rows else []
    gains = [max(int((base.replayed_ns - step_ns(each, base.places)).sum()), 0) for each in versions]
    found = [replace(row, own_ns=_scaled_ns(base, row.edit), gain_ns=gain_ns) for row, gain_ns in zip(rows, gains, strict=True)]
    return sorted(found, key=lambda each: (-each.gain_ns, -each.own_ns))


def _scaled_ns(base: Baseline, edit: Edit) -> int:
    """How much time in the steps an edit scales: what is added if that takes twice as long, which no rounding touches."""
    (begin, end), graph = base.window_ns, base.graph
    calls, work = graph.calls, graph.work
    twice, recorded = edited(graph, [replace(edit, factor=2.0)]), Durations.none(graph)
    in_calls = (calls.start_ns - graph.gap_ns < end) & (calls.end_ns > begin)
    in_work = (work.start_ns < end) & (work.end_ns > begin)
    host_ns = (twice.gap_ns - recorded.gap_ns) + np.where(graph.waits, 0, twice.call_ns - recorded.call_ns)
    return int(host_ns[in_calls].sum() + (twice.work_ns - recorded.work_ns)[in_work].sum())


def _device_rows(trace: Trace, base: Baseline) -> list[TenPercent]:
    """Kernels by name, and operators by the work that they launched themselves."""
    work, events, (begin, end) = base.graph.work, trace.events, base.window_ns
    inside = (work.start_ns < end) & (work.end_ns > begin)
    owner = events.owner[work.row]
    by_operator = inside & (owner != NONE) & (events.kind[owner] == Kind.OPERATOR)
    found = []
    for name_id, ns in _longest(events.name_id[work.row], work.duration_ns, inside):
        name = trace.text(name_id)
        found.append(TenPercent(kind="kernel", name=name, edit=Edit("kernel", name, FASTER), own_ns=ns, gain_ns=0))
    for name_id, ns in _longest(events.name_id[owner], work.duration_ns, by_operator):
        name = trace.text(name_id)
        found.append(TenPercent(kind="operator", name=name, edit=Edit("operator", name, FASTER), own_ns=ns, gain_ns=0))
    return found


def _host_rows(trace: Trace, begin: int, end: int) -> list[TenPercent]:
    """Functions, ranges and operators by their own time on threads with steps."""
    events = trace.events
    lasts = events.end_ns - events.start_ns
    own = lasts - sum_over_children(events.nest_parent, np.where(is_kind(events.kind, HOST_KINDS), lasts, 0))
    threads = distinct(events.track[trace.steps.row]) if len(trace.steps) else distinct(events.track)
    counted = is_kind(events.kind, (Kind.OPERATOR, Kind.ANNOTATION, Kind.PYTHON)) & np.isin(events.track, threads)
    counted &= (events.start_ns < end) & (events.end_ns > begin)
    names = ((trace.text(name_id), ns) for name_id, ns in _longest(events.name_id, np.maximum(own, 0), counted))
    return [
        TenPercent(kind="host", name=name, edit=Edit("host", name, FASTER), own_ns=ns, gain_ns=0)
        for name, ns in names
        if not STEP_NAME.match(name)
    ]


_CANDIDATES: Final = 200


def _longest(name_id: IntArray, lasts_ns: Int64Array, counted: BoolArray) -> list[tuple[int, int]]:
    """(name, time in all) of those that count, the longest first."""
    rows = np.flatnonzero(counted & (name_id != NONE))
    total = np.zeros(int(name_id.max(initial=0)) + 1, np.int64)
    np.add.at(total, name_id[rows], lasts_ns[rows])
    largest = np.argsort(-total, kind="stable")[:_CANDIDATES]
    return [(name, int(total[name])) for name in largest.tolist() if total[name] > 0]
