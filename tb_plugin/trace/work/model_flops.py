"""MFU: what part of the devices' peak the model's own work was, step by step; HFU counts what ran, recomputed work too.

    step 12   1.92e15 model FLOPs   in 4.8 s x 1 device x 989.4 TFLOP/s of bf16      MFU 40.4 %
              2.40e15 ran, a quarter of it once more under checkpointing             HFU 50.5 %

FLOPs are those of products, convolutions and attention, forward and backward, causal attention counted causal. Work counts in the
step whose window its kernel starts in. Types other than the main one are scaled to it by their peaks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base import progress
from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, BoolArray, Float64Array, Int64Array
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.nesting import marked_around
from tb_plugin.trace.kinds import DEVICE_KINDS, Kind, is_kind
from tb_plugin.trace.names import rows_named, without_overload
from tb_plugin.trace.scope.recording import is_cut_off
from tb_plugin.trace.work.attention_work import ATTENTION
from tb_plugin.trace.work.device_peaks import RATES, device_at, device_peak
from tb_plugin.trace.work.kernel_work import kernel_work
from tb_plugin.trace.work.roofs import UNKNOWN_TYPE, device_peaks, roofs_of
from tb_plugin.trace.work.taxonomy import MULTIPLIES, category_by_row

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.vendors.peak import Peak

LEAST_COVERAGE: Final = 0.8
"""Of the time of kernels that multiply, whose FLOPs must be known."""

_BACKWARD: Final = "autograd::engine::evaluate_function"

_FORWARD_ONLY: Final = frozenset(
    f"aten::{name}" for name in ("linear", "conv1d", "conv2d", "conv3d", "convolution", "scaled_dot_product_attention")
) | {name for name, operator in ATTENTION.items() if not operator.is_backward}
"""Operators that gradients are not made of: in backward they run once more, for checkpointing."""


@dataclass(frozen=True, kw_only=True)
class ModelUse:
    """Of some windows. `reason`: why it is not known; then there are no figures. `mix`: FLOPs by type, most first."""

    reason: str | None
    mfu: Float64Array
    hfu: Float64Array
    mean_mfu: float
    mean_hfu: float
    mix: dict[str, int]


def model_use(trace: Trace, start_ns: Int64Array, end_ns: Int64Array) -> ModelUse:
    """Of windows in the order of time that do not overlap; their mean is weighted by how long they are."""
    if len(start_ns) == 0:
        return _unknown("no steps were recorded")
    if is_cut_off(trace):
        return _unknown("the file is cut off, and what is missing of a step looks like waiting")
    work = kernel_work(trace)
    begins = trace.events.start_ns[work.row]
    step = np.searchsorted(start_ns, begins, side="right") - 1
    inside = (step >= 0) & (begins < end_ns[np.maximum(step, 0)])
    progress.now("what kind of work every kernel does")
    multiplies = inside & is_kind(category_by_row(trace)[work.row], MULTIPLIES)
    kinds = roofs_of(trace, work, device_peaks(trace)).rate_type
    counts = inside & (kinds != UNKNOWN_TYPE) & (work.flops != NONE) & ~work.is_most
    progress.now("what the device could do at its peak")
    duration = trace.events.duration_ns(work.row)
    time = int(duration[multiplies].sum())
    if not time:
        return _unknown("nothing multiplied matrices on a device")
    coverage = int(duration[multiplies & counts].sum()) / time
    if coverage < LEAST_COVERAGE:
        return _unknown(f"of {percent(coverage)} of the time of products both work and units are known")
    mix = _mix(kinds[counts], work.flops[counts])
    if not mix:
        return _unknown("what multiplied matrices multiplied nothing: their sizes are 0")
    used = [device_peak(device_at(trace, index)) for index in _devices(trace)]  # a guess is no peak to be a share of
    rates = [_rate(peak, next(iter(mix))) for peak in used]
    if not rates or None in rates:
        return _unknown("the device's peaks are not known")
    scale = _scales(used[0], next(iter(mix)))
    flops = np.where(counts, work.flops * scale[kinds], 0.0)
    again = _is_recomputed(trace, work.call)
    seconds = (end_ns - start_ns) * 1e-9
    at_peak = seconds * sum(rate for rate in rates if rate is not None)
    ran, model = (
        np.bincount(step[inside], weights=n[inside], minlength=len(seconds)) for n in (flops, np.where(again, 0, flops))
    )
    total = max(float(at_peak.sum()), 1.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        each = (model / at_peak, ran / at_peak)
    return ModelUse(
        reason=None, mfu=each[0], hfu=each[1], mean_mfu=float(model.sum()) / total, mean_hfu=float(ran.sum()) / total, mix=mix
    )


def _unknown(reason: str) -> ModelUse:
    nothing = np.empty(0)
    return ModelUse(reason=reason, mfu=nothing, hfu=nothing, mean_mfu=np.nan, mean_hfu=np.nan, mix={})


def _devices(trace: Trace) -> list[int]:
    """Those that worked at any time."""
    events = trace.events
    found: list[int] = distinct(trace.tracks.device[events.track[is_kind(events.kind, DEVICE_KINDS)]]).tolist()
    return found


def _mix(kinds: Int64Array, flops: Int64Array) -> dict[str, int]:
    total = np.bincount(kinds, weights=flops, minlength=len(RATES))
    return {RATES[kind]: int(total[kind]) for kind in np.argsort(-total, kind="stable").tolist() if total[kind]}


def _rate(peak: Peak | None, name: str) -> float | None:
    value: float | None = getattr(peak, name, None)
    return value


def _scales(peak: Peak | None, main: str) -> Float64Array:
    """By which FLOPs of each type are multiplied; 0 for a type that the device has no units for, and for none, the last."""
    rates = [_rate(peak, name) for name in RATES]
    return np.array([*((_rate(peak, main) or 0.0) / rate if rate else 0.0 for rate in rates), 0.0])


def _is_recomputed(trace: Trace, call: Int64Array) -> BoolArray:
    """Which of these calls are forward ones that run in backward."""
    events = trace.events
    operators = np.flatnonzero((events.kind == Kind.OPERATOR) | (events.kind == Kind.ANNOTATION))
    in_backward, forward = np.zeros(len(events), np.bool_), np.zeros(len(events), np.bool_)
    in_backward[operators[rows_named(trace, operators, lambda name: name.startswith(_BACKWARD))]] = True
    forward[operators[rows_named(trace, operators, lambda name: without_overload(name) in _FORWARD_ONLY)]] = True
    result = np.zeros(len(call), np.bool_)
    if not in_backward.any() or not forward.any():
        return result
    known = np.flatnonzero(call != NONE)
    outer = marked_around(events.nest_parent, forward, call[known])
    found, outer = known[outer != NONE], outer[outer != NONE]
    result[found] = marked_around(events.nest_parent, in_backward, outer) != NONE
    return result
