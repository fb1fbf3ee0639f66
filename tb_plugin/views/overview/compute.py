"""Where did the step go, what first? Steps and their parts, devices, the heaviest operators, kernels and modules, the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tb_plugin.trace.empty import why_empty
from tb_plugin.trace.operator_times import operator_times
from tb_plugin.trace.taxonomy import category_by_row, collective_kernels
from tb_plugin.views.overview.breakdown import activity, as_breakdown, average, breakdowns, not_recorded
from tb_plugin.views.overview.device_use import as_communication, as_use, communication, uses
from tb_plugin.views.overview.devices import device_rows, device_work, not_attributed
from tb_plugin.views.overview.memory import memory_peaks
from tb_plugin.views.overview.recorded import recorded
from tb_plugin.views.overview.result import (
    Breakdown,
    Communication,
    DeviceUse,
    IssueRow,
    Overview,
    OverviewParams,
    Source,
    StepRow,
    StepTimes,
    Window,
)
from tb_plugin.views.overview.scope import Scope, scope
from tb_plugin.views.overview.top import categories, self_times, top_kernels, top_modules, top_operators

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace

_UNIX_TIME_NS = 10**17
"""Later than this (1973) is Unix time; the clock of a machine's uptime stays below."""


class _Parts(NamedTuple):
    """What windows are made of: one row per window. The last two are None without device activity."""

    breakdown: Int64Array
    use: Int64Array | None
    communication: Int64Array | None

    def map(self, change: Callable[[Int64Array], Int64Array]) -> _Parts:
        use, of_collectives = (None if part is None else change(part) for part in self[1:])
        return _Parts(change(self.breakdown), use, of_collectives)

    def rows(self, which: Int64Array) -> _Parts:
        return self.map(lambda part: part[which])

    def mean(self) -> _Parts:
        """One row. The parts of breakdown and use sum to the same rounded mean."""
        return self.map(lambda part: average(part)[np.newaxis])


def compute(trace: Trace, params: OverviewParams) -> Overview:
    """Every breakdown sums to its window; without steps only `whole` has one."""
    counts = scope(trace, params)
    category = category_by_row(trace)
    is_collective = collective_kernels(trace)
    work = device_work(trace)
    whole_ns = [np.array([t]) for t in (trace.info.start_ns, max(trace.info.end_ns, trace.info.start_ns))]
    t0_ns, t1_ns = (np.concatenate(pair) for pair in zip(whole_ns, counts.windows[:2], strict=True))
    parts = _Parts(
        breakdowns(activity(trace, is_collective), t0_ns, t1_ns),
        uses(trace, work, t0_ns, t1_ns),
        communication(trace, work, is_collective, t0_ns, t1_ns),
    )
    of_steps = parts.rows(np.arange(1, len(t0_ns)))
    times = operator_times(trace, counts.kept)
    device_time_ns, not_attributed_ns = not_attributed(trace, counts.kept)
    return Overview(
        steps=_steps(trace, counts, of_steps),
        steps_end="with_device_work" if counts.windows.with_device_work else "with_host_range",
        step_time=_step_times(counts),
        average=_average(counts, of_steps),
        whole=_window(int(t0_ns[0]), parts, 0),
        not_recorded=not_recorded(trace),
        not_filtered=counts.not_filtered,
        devices=device_rows(trace, work, is_collective, counts),
        memory=memory_peaks(trace, params.steps),
        device_time_ns=device_time_ns,
        not_attributed_ns=not_attributed_ns,
        categories=categories(trace, category, counts.kept),
        top_operators=top_operators(trace, times, params.top),
        top_operators_by=self_times(times)[2],
        top_kernels=top_kernels(trace, counts.kept, params.top),
        top_modules=top_modules(trace, times, params.top),
        recorded=recorded(trace),
        issues=[IssueRow(kind=i.kind, count=i.count, text=i.text, first=i.first) for i in trace.issues],
        source=_source(trace),
    )


def missing(trace: Trace) -> str | None:
    return why_empty(trace)


def _steps(trace: Trace, counts: Scope, parts: _Parts) -> list[StepRow]:
    steps, windows = trace.steps, counts.windows
    host_ns = (steps.end_ns - steps.start_ns).tolist()
    rows = []
    for i in range(len(steps)):
        breakdown, use, of_collectives = _structs(parts, i)
        rows.append(
            StepRow(
                name=trace.text(int(trace.events.name_id[steps.row[i]])),
                number=int(steps.number[i]),
                start_ns=int(windows.start_ns[i]),
                duration_ns=int(windows.end_ns[i] - windows.start_ns[i]),
                host_ns=host_ns[i],
                complete=bool(steps.complete[i]),
                selected=bool(counts.is_selected[i]),
                breakdown_ns=breakdown,
                device_use_ns=use,
                communication_ns=of_collectives,
            )
        )
    return rows


def _step_times(counts: Scope) -> StepTimes | None:
    duration_ns = (counts.windows.end_ns - counts.windows.start_ns)[counts.counted]
    if len(duration_ns) == 0:
        return None
    low, p5, median, p95, high = np.percentile(duration_ns, (0, 5, 50, 95, 100)).round().astype(np.int64).tolist()
    return StepTimes(count=len(duration_ns), median_ns=median, p5_ns=p5, p95_ns=p95, min_ns=low, max_ns=high)


def _average(counts: Scope, parts: _Parts) -> Window | None:
    if len(counts.counted) == 0:
        return None
    return _window(int(counts.windows.start_ns[counts.counted[0]]), parts.rows(counts.counted).mean(), 0)


def _window(start_ns: int, parts: _Parts, row: int) -> Window:
    breakdown, use, of_collectives = _structs(parts, row)
    return Window(
        start_ns=start_ns,
        duration_ns=int(parts.breakdown[row].sum()),
        breakdown_ns=breakdown,
        device_use_ns=use,
        communication_ns=of_collectives,
    )


def _structs(parts: _Parts, row: int) -> tuple[Breakdown, DeviceUse | None, Communication | None]:
    use, of_collectives = parts.use, parts.communication
    return (
        as_breakdown(parts.breakdown[row]),
        None if use is None else as_use(use[row]),
        None if of_collectives is None else as_communication(of_collectives[row]),
    )


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
