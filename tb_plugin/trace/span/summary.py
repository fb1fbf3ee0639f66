"""One profile in a few figures: those of `overview` without filters, at most 4 kB."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.whole_mean import whole_mean
from tb_plugin.trace.kinds import DEVICE_KINDS, LAUNCH_KINDS, Kind, is_kind
from tb_plugin.trace.memory.device_peaks import device_peaks, highest
from tb_plugin.trace.scope.counted_steps import counted_steps
from tb_plugin.trace.scope.recorded_as import recorded_as
from tb_plugin.trace.scope.recording import began_ns
from tb_plugin.trace.span.figures import SpanFigures
from tb_plugin.trace.times.breakdown import PARTS, activity, breakdowns, not_recorded
from tb_plugin.trace.times.idle import USES, device_work
from tb_plugin.trace.times.mean_device import mean_communication, mean_uses
from tb_plugin.trace.work.model_flops import model_use
from tb_plugin.trace.work.taxonomy import collective_kernels

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Int64Array
    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.scope.recorded_as import RecordedAs

MOST_STEPS: Final = 32
"""Durations that are kept; the gate needs their spread, and no more of it."""

_LONGEST_TEXT: Final = 160

_BUSY, _WAITING = USES.index("busy"), USES.index("waiting_for_host")
_LOADER = PARTS.index("data_loader")


def summary(trace: Trace, _params: object = None) -> SpanFigures:
    """Takes what a question hands it, and needs none of it."""
    counted = counted_steps(trace)
    has_steps = len(counted.places) > 0
    info, windows = trace.info, counted.windows
    t0 = windows.start_ns[counted.places] if has_steps else np.array([info.start_ns])
    t1 = windows.end_ns[counted.places] if has_steps else np.array([max(info.end_ns, info.start_ns)])
    work, is_collective = device_work(trace), collective_kernels(trace)
    parts = whole_mean(breakdowns(activity(trace, work, is_collective), t0, t1))
    uses, exposed = mean_uses(trace, work, t0, t1), mean_communication(trace, work, is_collective, t0, t1)
    whole_ns = int((t1 - t0).sum())
    peak = highest(device_peaks(trace))
    duration = counted.duration_ns
    p5, p95 = np.percentile(duration, (5, 95)).round().astype(np.int64).tolist() if has_steps else (None, None)
    kinds = trace.events.kind
    use = model_use(trace, t0, t1) if has_steps else None
    return SpanFigures(
        recorded=_short(recorded_as(trace, int(t0[0]))),
        began_ns=began_ns(trace),
        last_step=int(trace.steps.number[counted.places[-1]]) if has_steps else None,
        n_steps=len(counted.places),
        n_incomplete=len(trace.steps) - len(counted.places),
        steps_ns=_some(duration),
        step_ns=counted.median_ns,
        p5_ns=p5,
        p95_ns=p95,
        mean_ns=int(parts.sum()) if has_steps else None,
        parts_ns=parts.tolist() if has_steps else [],
        busy_share=None if uses is None or whole_ns <= 0 else int(uses[:, _BUSY].sum()) / whole_ns,
        waiting_for_host_ns=int(whole_mean(uses)[_WAITING]) if has_steps and uses is not None else None,
        exposed_communication_ns=int(whole_mean(exposed)[0]) if has_steps and exposed is not None else None,
        data_loader_ns=int(parts[_LOADER]) if has_steps and "data_loader" not in not_recorded(trace) else None,
        peak_bytes=None if peak is None else peak.allocated,
        reserved_bytes=None if peak is None else peak.reserved,
        kernels=_per_step(trace, kinds == Kind.KERNEL, t0, t1) if has_steps and work else None,
        launches=_per_step(trace, _launches(trace), t0, t1) if has_steps and is_kind(kinds, LAUNCH_KINDS).any() else None,
        mfu=None if use is None or use.reason is not None else use.mean_mfu,
    )


def _short(recorded: RecordedAs) -> RecordedAs:
    """With texts from the file cut, so that a summary stays small whatever is in it."""
    texts = {name: value[:_LONGEST_TEXT] for name, value in msgspec.structs.asdict(recorded).items() if isinstance(value, str)}
    return msgspec.structs.replace(recorded, **texts)


def _some(duration_ns: Int64Array) -> list[int]:
    """All, or of very many as many as are kept, evenly spaced."""
    if len(duration_ns) > MOST_STEPS:
        duration_ns = duration_ns[np.linspace(0, len(duration_ns) - 1, MOST_STEPS).astype(np.int64)]
    result: list[int] = duration_ns.tolist()
    return result


def _launches(trace: Trace) -> BoolArray:
    """Calls that started device work; one that starts a graph is one."""
    work = np.flatnonzero(is_kind(trace.events.kind, DEVICE_KINDS))
    launch = trace.events.launch[work]
    launches = np.zeros(len(trace.events), np.bool_)
    launches[launch[launch != NONE]] = True
    return launches


def _per_step(trace: Trace, which: BoolArray, t0_ns: Int64Array, t1_ns: Int64Array) -> float:
    """Of these events those that begin in the steps, per step."""
    start = np.sort(trace.events.start_ns[which])
    inside = np.searchsorted(start, t1_ns) - np.searchsorted(start, t0_ns)
    return float(inside.sum() / len(t0_ns))
