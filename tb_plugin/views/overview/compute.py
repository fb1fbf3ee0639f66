"""Where did the step go, what first? Steps and their parts, devices, the heaviest operators, kernels and modules, the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tb_plugin.base import progress
from tb_plugin.compute.whole_mean import whole_mean
from tb_plugin.findings.found import found
from tb_plugin.trace.scope.counted_steps import CountedSteps, step_notes
from tb_plugin.trace.scope.empty import why_empty
from tb_plugin.trace.scope.recording import began_ns
from tb_plugin.trace.times.breakdown import PARTS, activity, breakdowns, not_recorded
from tb_plugin.trace.times.idle import USES, device_work
from tb_plugin.trace.times.mean_device import mean_communication, mean_uses
from tb_plugin.trace.times.operator_families import operator_families
from tb_plugin.trace.times.operator_times import operator_times
from tb_plugin.trace.work.device_peaks import with_peak
from tb_plugin.trace.work.taxonomy import CATEGORIES, collective_kernels
from tb_plugin.views.overview.communication import communication_parts, parts_lack
from tb_plugin.views.overview.devices import categories, device_rows, not_attributed
from tb_plugin.views.overview.memory import memory_peaks
from tb_plugin.views.overview.mfu import model_flops
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
from tb_plugin.views.overview.scope import scope
from tb_plugin.views.overview.top import self_times, top_kernels, top_modules, top_operators

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.base.units import Int64Array
    from tb_plugin.findings.from_job import FromJob
    from tb_plugin.trace.model import Trace


class _Parts(NamedTuple):
    """What windows are made of: one row per window. The last two are None without device activity."""

    breakdown: Int64Array
    operators: Int64Array  # of `other_host`, by category; zeros where a device works
    use: Int64Array | None
    communication: Int64Array | None

    def map(self, change: Callable[[Int64Array], Int64Array]) -> _Parts:
        use, of_collectives = (None if part is None else change(part) for part in self[2:])
        return _Parts(change(self.breakdown), change(self.operators), use, of_collectives)

    def rows(self, which: Int64Array) -> _Parts:
        return self.map(lambda part: part[which])

    def mean(self) -> _Parts:
        """One row. The parts of breakdown and use sum to the same rounded mean."""
        mean = self.map(lambda part: whole_mean(part)[np.newaxis])
        if mean.operators.any():
            rounded_off = mean.breakdown[0, PARTS.index("other_host")] - mean.operators.sum()
            mean.operators[0, mean.operators.argmax()] += rounded_off
        return mean


def compute(trace: Trace, params: OverviewParams, told: FromJob | None = None) -> Overview:
    """Every breakdown sums to its window; without steps only `whole` has one. `told`: what its job tells, where it is asked."""
    progress.now("steps and what devices do in them")
    trace = with_peak(trace, params.peak)
    counts = scope(trace, params)
    is_collective = collective_kernels(trace)
    work = device_work(trace)
    whole_ns = [np.array([t]) for t in (trace.info.start_ns, max(trace.info.end_ns, trace.info.start_ns))]
    t0_ns, t1_ns = (np.concatenate(pair) for pair in zip(whole_ns, counts.steps.windows[:2], strict=True))
    progress.now("what every moment went to")
    pieces = activity(trace, work, is_collective)
    parts = _Parts(
        breakdowns(pieces, t0_ns, t1_ns),
        np.zeros((len(t0_ns), len(CATEGORIES)), np.int64) if work else operator_families(trace, pieces, t0_ns, t1_ns),
        mean_uses(trace, work, t0_ns, t1_ns),
        mean_communication(trace, work, is_collective, t0_ns, t1_ns),
    )
    of_steps = parts.rows(np.arange(1, len(t0_ns)))
    progress.now("operators and what they launch")
    times = operator_times(trace, counts.kept)
    device_time_ns, not_attributed_ns = not_attributed(trace, counts.kept)
    progress.now("devices")
    devices = device_rows(trace, work, is_collective, counts.kept_at_any_time, counts.steps.time)
    progress.now("model FLOPs")
    use, use_of_steps = model_flops(trace, counts.steps)
    progress.now("findings")
    answer = found(trace, params.steps, told).verdict
    progress.now("the heaviest operators, kernels and modules")
    top = top_operators(trace, times, params.top)
    progress.now("memory and categories")
    whole, average = _window(int(t0_ns[0]), parts, 0), _average(counts.steps, of_steps)
    by_parts = communication_parts(trace, work, is_collective, counts)
    return Overview(
        verdict=answer,
        steps=_steps(trace, counts.steps, of_steps, use_of_steps),
        steps_end="with_device_work" if counts.steps.windows.with_device_work else "with_host_range",
        step_notes=step_notes(counts.steps),
        step_time=_step_times(counts.steps),
        model_flops=use,
        average=average,
        whole=whole,
        not_recorded=not_recorded(trace),
        not_filtered=counts.not_filtered,
        devices=devices,
        communication_parts=by_parts,
        communication_parts_lack=parts_lack(trace, average or whole, by_parts),
        memory=memory_peaks(trace, params.steps),
        device_time_ns=device_time_ns,
        not_attributed_ns=not_attributed_ns,
        categories=categories(trace, work, counts.kept_at_any_time, counts.steps.time, devices),
        top_operators=top,
        top_operators_by=self_times(times)[2],
        top_kernels=top_kernels(trace, counts.kept, params.top),
        top_modules=top_modules(trace, times, params.top),
        recorded=recorded(trace),
        issues=[IssueRow(kind=i.kind, count=i.count, text=i.text, first=i.first) for i in trace.issues],
        source=_source(trace),
    )


def missing(trace: Trace) -> str | None:
    return why_empty(trace)


def _steps(trace: Trace, counted: CountedSteps, parts: _Parts, mfu: list[float | None]) -> list[StepRow]:
    steps, windows = trace.steps, counted.windows
    host_ns = (steps.end_ns - steps.start_ns).tolist()
    rows = []
    for i in range(len(steps)):
        breakdown, operators, use, of_collectives = _structs(parts, i)
        rows.append(
            StepRow(
                name=trace.text(int(trace.events.name_id[steps.row[i]])),
                number=int(steps.number[i]),
                start_ns=int(windows.start_ns[i]),
                duration_ns=int(windows.end_ns[i] - windows.start_ns[i]),
                host_ns=host_ns[i],
                complete=bool(steps.complete[i]),
                selected=bool(counted.is_selected[i]),
                breakdown_ns=breakdown,
                operators_ns=operators,
                device_use_ns=use,
                communication_ns=of_collectives,
                mfu=mfu[i],
            )
        )
    return rows


def _step_times(counted: CountedSteps) -> StepTimes | None:
    median_ns = counted.median_ns
    if median_ns is None:
        return None
    low, p5, p95, high = np.percentile(counted.duration_ns, (0, 5, 95, 100)).round().astype(np.int64).tolist()
    return StepTimes(count=len(counted.places), median_ns=median_ns, p5_ns=p5, p95_ns=p95, min_ns=low, max_ns=high)


def _average(counted: CountedSteps, parts: _Parts) -> Window | None:
    if len(counted.places) == 0:
        return None
    return _window(int(counted.windows.start_ns[counted.places[0]]), parts.rows(counted.places).mean(), 0)


def _window(start_ns: int, parts: _Parts, row: int) -> Window:
    breakdown, operators, use, of_collectives = _structs(parts, row)
    return Window(
        start_ns=start_ns,
        duration_ns=int(parts.breakdown[row].sum()),
        breakdown_ns=breakdown,
        operators_ns=operators,
        device_use_ns=use,
        communication_ns=of_collectives,
    )


def _structs(parts: _Parts, row: int) -> tuple[Breakdown, dict[str, int], DeviceUse | None, Communication | None]:
    use, of_collectives = parts.use, parts.communication
    return (
        Breakdown(**dict(zip(PARTS, parts.breakdown[row].tolist(), strict=True))),
        {CATEGORIES[c].id: ns for c, ns in enumerate(parts.operators[row].tolist()) if ns},
        None if use is None else DeviceUse(**dict(zip(USES, use[row].tolist(), strict=True))),
        None
        if of_collectives is None
        else Communication(**dict(zip(Communication.__struct_fields__, of_collectives[row].tolist(), strict=True))),
    )


def _source(trace: Trace) -> Source:
    info = trace.info
    return Source(
        file=info.source,
        format=info.format,
        n_events=len(trace.events),
        base_ns=began_ns(trace),
        rank=info.rank,
        world_size=info.world_size,
        host=info.host,
        backend=info.backend,
        torch_version=info.torch_version,
        cycle=info.schedule.cycle if info.schedule else None,
    )
