"""The floating point operations of kernels, from the operators that launched them, against what the device can do.

An operator call that multiplies (`trace.flops`) often launches more than one kernel: layouts change, parts are summed. Its
FLOPs are given to its longest matrix multiply or convolution kernel, if that takes at least 80 % of the time of all such
kernels of the call; else nobody knows which kernel did what, and all are unknown. So are calls without shapes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, Float64Array, Int64Array
from tb_plugin.compute.nesting import nearest_marked
from tb_plugin.trace.device_peaks import Peak, device_at, device_peak, is_amd
from tb_plugin.trace.flops import flops_by_row
from tb_plugin.trace.input_bytes import input_bytes_by_row
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.matrix_cores import Use, matrix_core_use_by_row
from tb_plugin.trace.matrix_operators import FLOAT_TYPES, element_type
from tb_plugin.trace.taxonomy import Category, category_by_row

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

LEAST_SHARE: Final = 0.8
"""Of the time of a call's multiplying kernels, which the longest must take to be given the FLOPs."""


class KernelFlops(NamedTuple):
    """The kernels whose FLOPs are known, by row, and the two roofs over them; NaN and NONE where unknown.

    `at_peak_ns`: the time their FLOPs take at the device's peak. `at_bandwidth_ns`: the time it takes to read the tensor
    inputs of the call once, at the device's memory bandwidth.
    """

    row: Int64Array
    flops: Int64Array
    input_bytes: Int64Array
    at_peak_ns: Float64Array
    at_bandwidth_ns: Float64Array


@once_per_trace
def kernel_flops(trace: Trace) -> KernelFlops:
    """The FLOPs of kernels, and their time at the dense peak of the operator's input type."""
    events = trace.events
    of_operator = flops_by_row(trace)
    category = category_by_row(trace)
    multiplies = np.isin(category, (Category.MATMUL, Category.CONVOLUTION))
    counted = multiplies & (events.kind == Kind.OPERATOR) & (of_operator > 0)
    kernels = np.flatnonzero(multiplies & (events.kind == Kind.KERNEL) & (events.owner != NONE))
    call = nearest_marked(events.nest_parent, counted)[events.owner[kernels]] if counted.any() else np.full(len(kernels), NONE)
    kernels, call = kernels[call != NONE], call[call != NONE]
    duration = (events.end_ns - events.start_ns)[kernels]
    order = np.lexsort((-duration, call))
    kernels, call, duration = kernels[order], call[order], duration[order]
    is_longest = np.diff(call, prepend=NONE) != 0
    of_call = np.cumsum(is_longest) - 1
    total = np.bincount(of_call, weights=duration)[of_call]
    chosen = is_longest & (duration >= LEAST_SHARE * total) & (duration > 0)
    kernels, call = kernels[chosen], call[chosen]
    by_row = np.argsort(kernels)
    kernels, call = kernels[by_row], call[by_row]
    flops, n_bytes = of_operator[call], input_bytes_by_row(trace)[call]
    peak, bandwidth = _peaks(trace, kernels, call)
    return KernelFlops(kernels, flops, n_bytes, 1e9 * flops / peak, 1e9 * np.where(n_bytes < 0, np.nan, n_bytes) / bandwidth)


def _peaks(trace: Trace, kernels: Int64Array, call: Int64Array) -> tuple[Float64Array, Float64Array]:
    """FLOP/s and bytes/s that the device could do for each kernel, NaN where unknown."""
    events = trace.events
    types_id, use = events.types_id[call], matrix_core_use_by_row(trace)[kernels]
    device_of = trace.tracks.device[events.track[kernels]]
    result, bandwidth = np.full(len(kernels), np.nan), np.full(len(kernels), np.nan)
    for index in np.unique(device_of).tolist():
        device = device_at(trace, index)
        peak = device_peak(device)
        if device is None or peak is None:
            continue
        bandwidth[device_of == index] = peak.bytes_per_s
        for types in np.unique(types_id).tolist():
            element = FLOAT_TYPES.get(element_type(trace.text(types)), "")
            for each in Use:
                value = _peak_of(peak, element, each, amd=is_amd(device))
                result[(device_of == index) & (types_id == types) & (use == each)] = np.nan if value is None else value
    return result, bandwidth


def _peak_of(peak: Peak, element: str, use: Use, *, amd: bool) -> float | None:
    """The peak for an input type. Floats are TF32 in NVIDIA's tensor cores, FP32 outside of them."""
    if element in ("fp16", "bf16", "fp8"):
        return {"fp16": peak.fp16, "bf16": peak.bf16, "fp8": peak.fp8}[element]
    if element == "fp32":
        if amd:
            return peak.fp32 if use == Use.YES else None
        return {Use.YES: peak.tf32, Use.NO: peak.fp32, Use.UNKNOWN: None}[use]
    return peak.fp64 if element == "fp64" and use == Use.YES else None
