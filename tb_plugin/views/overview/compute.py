"""Where did the step go, what first? Steps and their breakdown, devices, the heaviest operators and kernels, the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from tb_plugin.compute.grouping import count_by, group_by, sum_by
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.names import collective_kernels
from tb_plugin.trace.operator_times import key_text, operator_times
from tb_plugin.views.overview.breakdown import activity, as_breakdown, average, breakdowns, not_recorded
from tb_plugin.views.overview.devices import device_rows, not_attributed
from tb_plugin.views.overview.recorded import recorded
from tb_plugin.views.overview.result import IssueRow, Overview, OverviewParams, Source, StepRow, TopRow, Window
from tb_plugin.views.overview.windows import StepWindows, step_windows

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace

_UNIX_TIME_NS = 10**17
"""Later than this (1973) is Unix time; the clock of a machine's uptime stays below."""


def compute(trace: Trace, params: OverviewParams) -> Overview:
    """Every breakdown sums to its window; without steps only `whole` has one."""
    windows = step_windows(trace)
    is_collective = collective_kernels(trace)
    whole_ns = [np.array([t]) for t in (trace.info.start_ns, max(trace.info.end_ns, trace.info.start_ns))]
    t0_ns, t1_ns = (np.concatenate(pair) for pair in zip(whole_ns, windows[:2], strict=True))
    parts = breakdowns(activity(trace, is_collective), t0_ns, t1_ns)
    device_time_ns, not_attributed_ns = not_attributed(trace)
    top_operators, top_by = _top_operators(trace, params.top)
    return Overview(
        steps=_steps(trace, windows, parts[1:]),
        steps_end="with_device_work" if windows.with_device_work else "with_host_range",
        average=_average(trace, windows, parts[1:]),
        whole=_window(int(t0_ns[0]), parts[0]),
        not_recorded=not_recorded(trace),
        devices=device_rows(trace, is_collective),
        device_time_ns=device_time_ns,
        not_attributed_ns=not_attributed_ns,
        top_operators=top_operators,
        top_operators_by=top_by,
        top_kernels=_top_kernels(trace, params.top),
        recorded=recorded(trace),
        issues=[IssueRow(kind=i.kind, count=i.count, text=i.text, first=i.first) for i in trace.issues],
        source=_source(trace),
    )


def missing(trace: Trace) -> str | None:
    return None if len(trace.events) else "The file holds no events: was anything run while the profiler was active?"


def _steps(trace: Trace, windows: StepWindows, parts: Int64Array) -> list[StepRow]:
    steps = trace.steps
    host_ns = (steps.end_ns - steps.start_ns).tolist()
    duration_ns = (windows.end_ns - windows.start_ns).tolist()
    return [
        StepRow(
            name=trace.text(int(trace.events.name_id[steps.row[i]])),
            number=int(steps.number[i]),
            start_ns=int(windows.start_ns[i]),
            duration_ns=duration_ns[i],
            host_ns=host_ns[i],
            complete=bool(steps.complete[i]),
            breakdown_ns=as_breakdown(parts[i]),
        )
        for i in range(len(steps))
    ]


def _average(trace: Trace, windows: StepWindows, parts: Int64Array) -> Window | None:
    if len(parts) == 0:
        return None
    complete = trace.steps.complete
    counted = np.flatnonzero(complete) if complete.any() else np.arange(len(parts))
    return _window(int(windows.start_ns[counted[0]]), average(parts[counted]))


def _window(start_ns: int, parts: Int64Array) -> Window:
    return Window(start_ns=start_ns, duration_ns=int(parts.sum()), breakdown_ns=as_breakdown(parts))


def _top_operators(trace: Trace, top: int) -> tuple[list[TopRow], Literal["device_self", "host_self"]]:
    times = operator_times(trace)
    has_device = bool(times.device_self_ns.any() or times.not_attributed_ns)
    self_ns = times.device_self_ns if has_device else times.host_self_ns
    all_ns = int(self_ns.sum()) + times.not_attributed_ns
    return _top(trace, times.key, self_ns, all_ns, top), "device_self" if has_device else "host_self"


def _top_kernels(trace: Trace, top: int) -> list[TopRow]:
    events = trace.events
    rows = np.flatnonzero(events.kind == Kind.KERNEL)
    duration = (events.end_ns - events.start_ns)[rows]
    return _top(trace, events.name_id[rows].astype(np.int64), duration, int(duration.sum()), top)


def _top(trace: Trace, key: Int64Array, time_ns: Int64Array, all_ns: int, top: int) -> list[TopRow]:
    groups = group_by(key)
    total, count = sum_by(groups, time_ns), count_by(groups)
    order = np.argsort(-total, kind="stable")[: max(top, 0)]
    return [
        TopRow(
            name=key_text(trace, int(key[groups.first[g]])),
            count=int(count[g]),
            time_ns=int(total[g]),
            share=int(total[g]) / all_ns,
        )
        for g in order.tolist()
        if total[g] > 0
    ]


def _source(trace: Trace) -> Source:
    info = trace.info
    return Source(
        file=info.source,
        format=info.format,
        n_events=len(trace.events),
        base_ns=info.base_ns if info.base_ns > _UNIX_TIME_NS else None,
        rank=info.rank,
        world_size=info.world_size,
        host=info.host,
        backend=info.backend,
        torch_version=info.torch_version,
        cycle=info.schedule.cycle if info.schedule else None,
    )
