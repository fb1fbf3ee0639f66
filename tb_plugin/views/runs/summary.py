"""One profile in a few figures: what a table of many shows of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.compute.intervals import Merged, length
from tb_plugin.findings.found import found
from tb_plugin.trace.memory.device_peaks import device_peaks, highest
from tb_plugin.trace.memory.devices import title_of
from tb_plugin.trace.scope.counted_steps import counted_steps
from tb_plugin.trace.scope.recording import began_ns, is_cut_off
from tb_plugin.trace.times.idle import USES, device_uses, device_work
from tb_plugin.views.runs.result import SpanSummary

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.question.question import NoParams
    from tb_plugin.trace.model import Trace


def summary(trace: Trace, _params: NoParams) -> SpanSummary:
    counted = counted_steps(trace)
    work = device_work(trace)
    peak = highest(device_peaks(trace))
    all_found = found(trace)
    large = all_found.large
    first = large[0] if large else None
    return SpanSummary(
        device=_device(trace, set(work)),
        n_devices=len(work),
        rank=trace.info.rank,
        world_size=trace.info.world_size,
        n_steps=len(trace.steps),
        step_ns=counted.median_ns,
        busy_share=_busy_share(trace, work, counted.time),
        memory=None if peak is None else title_of(peak.device_type, peak.device_index),
        peak_bytes=None if peak is None else peak.allocated,
        capacity_bytes=None if peak is None else peak.capacity,
        finding=None if first is None else first.seen.title,
        gain_share=None if first is None or first.gain_ns is None else all_found.facts.share(first.gain_ns),
        n_findings=len(large),
        began_ns=began_ns(trace),
        is_cut_off=is_cut_off(trace),
    )


def _device(trace: Trace, working: set[int]) -> str | None:
    """Names of the devices that worked; of those that are listed where the file does not say which one worked."""
    named = {device.name: None for device in trace.info.devices if device.name and (device.index in working or working <= {-1})}
    return ", ".join(named) if named and working else None


def _busy_share(trace: Trace, work: dict[int, Int64Array], time: Merged) -> float | None:
    lasting_ns = length(time)
    if not work or lasting_ns <= 0:
        return None
    busy = USES.index("busy")
    of_devices = [int(device_uses(trace, rows, *time)[:, busy].sum()) for rows in work.values()]
    return sum(of_devices) / len(of_devices) / lasting_ns
