"""What a good kernel reaches on the device of a profile: what the best of the file do, else a usual part of the peak."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import numbered
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.kinds import Kind, is_kind
from tb_plugin.trace.names import rows_named, without_overload
from tb_plugin.trace.work.attention_work import ATTENTION
from tb_plugin.trace.work.device_peaks import device_at, device_peak
from tb_plugin.trace.work.kernel_bytes import kernel_bytes
from tb_plugin.trace.work.kernel_work import kernel_work
from tb_plugin.trace.work.matrix_operators import FLOAT_TYPES
from tb_plugin.trace.work.taxonomy import Category, category_by_row

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.vendors.peak import Peak

MOVE_MEMORY: Final = (Category.NORMALISATION, Category.ELEMENTWISE, Category.REDUCTION)

_OF_BEST: Final = 0.8
_OF_BANDWIDTH: Final = 0.7
_LONG_NS: Final = 20_000
"""Shorter kernels work in caches, whose rate is not the memory's."""

_ATTENTION: Final = {False: 0.35, True: 0.25}
"""Of the dense peak, forward and backward: FlashAttention-2 reaches 35 to 70 %, backward less."""

_MUCH_WORK: Final = 1e9
"""FLOPs of a call that fills a device."""


def busiest_peak(trace: Trace) -> Peak | None:
    """Of the device with the most work."""
    rows = np.flatnonzero(trace.events.kind == Kind.KERNEL)
    if len(rows) == 0:
        return None
    device, n_rows = np.unique(trace.tracks.device[trace.events.track[rows]], return_counts=True)
    return device_peak(device_at(trace, int(device[n_rows.argmax()])))


@once_per_trace
def memory_rate(trace: Trace) -> float | None:
    """Bytes a second of a kernel that only moves memory: 80 % of the best of the file, or 70 % of the bandwidth, if known."""
    peak, moved = busiest_peak(trace), kernel_bytes(trace)
    duration = trace.events.duration_ns(moved.row)
    long = (duration >= _LONG_NS) & is_kind(category_by_row(trace)[moved.row], MOVE_MEMORY)
    best = float((1e9 * moved.bytes[long] / duration[long]).max()) if long.any() else None
    if peak is None:
        return None if best is None else _OF_BEST * best
    return _OF_BANDWIDTH * peak.bytes_per_s if best is None else _OF_BEST * min(best, peak.bytes_per_s)


def attention_rate(trace: Trace, element: str, *, is_backward: bool) -> float | None:
    """FLOP/s of fused attention in this element type: the best of the file, else a part of the peak; None: unknown."""
    work, events = kernel_work(trace), trace.events
    called = np.flatnonzero((work.call != NONE) & (work.flops >= _MUCH_WORK))
    mine = called[
        rows_named(
            trace, work.call[called], lambda name: without_overload(name) in ATTENTION and ("backward" in name) == is_backward
        )
    ]
    if len(mine):
        flops = work.flops[mine]
        calls, of = numbered(work.call[mine])
        same = np.isin(work.call, calls)
        place = np.searchsorted(calls, work.call[same])
        ns = np.bincount(place, weights=events.duration_ns(work.row[same]))[of]
        return float((1e9 * flops / np.maximum(ns, 1)).max())
    peak = busiest_peak(trace)
    column = FLOAT_TYPES.get(element)
    rate: float | None = getattr(peak, column) if peak is not None and column else None
    if peak is not None and column == "fp32" and peak.tf32:
        rate = peak.tf32
    return None if rate is None else _ATTENTION[is_backward] * rate
