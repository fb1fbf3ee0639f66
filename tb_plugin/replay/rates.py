"""How long device work would take in half types, or with a larger batch: factors of each piece of it."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.errors import NotFoundError
from tb_plugin.base.text_table import percent
from tb_plugin.base.units import NONE, Float64Array, Int64Array
from tb_plugin.compute.distinct import numbered
from tb_plugin.compute.grouping import group_by
from tb_plugin.replay.fused import in_optimizer
from tb_plugin.trace.json_text import is_shape, list_of
from tb_plugin.trace.kinds import Kind, is_kind
from tb_plugin.trace.work.achievable import MOVE_MEMORY, busiest_peak, memory_rate
from tb_plugin.trace.work.float_kernels import in_float32
from tb_plugin.trace.work.kernel_work import kernel_work
from tb_plugin.trace.work.taxonomy import Category, category_by_row, collective_kernels

if TYPE_CHECKING:
    from tb_plugin.replay.graph import Graph
    from tb_plugin.trace.work.kernel_work import KernelWork

_PRODUCTS: Final = (Category.MATMUL, Category.CONVOLUTION)
_REACHED: Final = 0.6
"""Of the half peak, by a product that reached the whole one in float32: larger rates leave less time to hide latency."""

_LEAST_KNOWN: Final = 0.8
"""Of the device's time that grows with the batch: with less of known growth an answer would be a guess."""


def half_precision(graph: Graph) -> Float64Array:
    """Of each work: products in float32 by the ratio of peaks x 0.6 or half their bytes; what only moves floats a half.

    Optimizers stay as they are. Raises NotFoundError where nothing runs in float32, or the peaks are not known.
    """
    trace, work = graph.trace, graph.work
    peak = busiest_peak(trace)
    half = None if peak is None else peak.bf16 or peak.fp16
    if peak is None or half is None or not peak.fp32:
        raise NotFoundError("edit='precision': the device's peaks in float32 and in half types are not known")
    category = category_by_row(trace)[work.row]
    is_kernel = (trace.events.kind[work.row] == Kind.KERNEL) & ~in_optimizer(graph) & ~collective_kernels(trace)[work.row]
    candidates = np.flatnonzero(is_kernel & is_kind(category, (*_PRODUCTS, *MOVE_MEMORY)))
    chosen = candidates[in_float32(trace, work.row[candidates])]
    if len(chosen) == 0:
        raise NotFoundError("edit='precision': no product and nothing that only moves memory runs in float32")
    factor = np.ones(len(work.row))
    is_product = is_kind(category[chosen], _PRODUCTS)
    factor[chosen[~is_product]] = 0.5
    products = chosen[is_product]
    bytes_ns = _half_bytes_ns(graph, products)
    factor[products] = np.maximum(peak.fp32 / half / _REACHED, bytes_ns / np.maximum(work.duration_ns[products], 1))
    return np.minimum(factor, 1)


def _half_bytes_ns(graph: Graph, places: Int64Array) -> Float64Array:
    """What moving half of each work's bytes takes; 0 where these are not known."""
    known, rate, rows = kernel_work(graph.trace), memory_rate(graph.trace), graph.work.row[places]
    if rate is None or len(known.row) == 0:
        return np.zeros(len(places))
    at = np.minimum(np.searchsorted(known.row, rows), len(known.row) - 1)
    n_bytes = np.where((known.row[at] == rows) & (known.bytes[at] > 0), known.bytes[at], 0)
    return 1e9 * n_bytes / 2 / rate


def larger_batch(graph: Graph, times: float) -> Float64Array:
    """Of each work, with a batch `times` as large: what of it grows with its work, by two shapes or more of its operator.

    The rest is fixed, as are optimizers and collectives. Raises NotFoundError where that is not known for 80 % of the time.
    """
    trace, work = graph.trace, graph.work
    grows = ~in_optimizer(graph) & ~collective_kernels(trace)[work.row]
    known = kernel_work(trace)
    part = np.full(len(work.row), np.nan)
    part[np.searchsorted(work.row, known.row)] = _growing_part(graph, known)
    part[trace.events.kind[work.row] == Kind.COPY] = 1.0
    duration = work.duration_ns
    told = float(duration[grows & ~np.isnan(part)].sum() / max(int(duration[grows].sum()), 1))
    if told < _LEAST_KNOWN:
        raise NotFoundError(
            f"edit='batch': for {percent(1 - told)} of the device's time the file has one shape of an operator alone, or none: "
            "nothing tells how it grows"
        )
    factor: Float64Array = 1 + np.where(grows, np.nan_to_num(part), 0.0) * (times - 1)
    return factor


def _growing_part(graph: Graph, known: KernelWork) -> Float64Array:
    """Of each row of `known`: the part of its time that grows, 0 to 1; NaN where its operator has one size alone."""
    events = graph.trace.events
    call = np.where(known.call != NONE, known.call, events.owner[known.row]).astype(np.int64)
    has_shapes = (call != NONE) & (events.kind[call] == Kind.OPERATOR) & (events.shapes_id[call] != NONE)
    mine = np.flatnonzero(has_shapes)
    calls = group_by(call[mine])
    call = call[mine][calls.first]
    ns, flops, n_bytes = (
        np.bincount(calls.of, weights=each).astype(np.float64)
        for each in (
            events.duration_ns(known.row[mine]),
            *(np.maximum(of[mine], 0) for of in (known.flops, known.bytes)),
        )
    )
    sizes = (flops, n_bytes, _elements(graph, call))
    names = group_by(events.name_id[call])
    part = np.full(len(call), np.nan)
    for number in range(len(names.first)):
        of_name = np.flatnonzero(names.of == number)
        size = next((each[of_name] for each in sizes if (each[of_name] > 0).all()), sizes[-1][of_name])
        part[of_name] = _fitted(size, ns[of_name])
    result = np.full(len(known.row), np.nan)
    result[mine] = part[calls.of]
    return result


def _elements(graph: Graph, calls: Int64Array) -> Float64Array:
    """Of all tensors that each of these operators is given."""
    ids, place = numbered(graph.trace.events.shapes_id[calls])
    shapes = [[shape for shape in list_of(graph.trace.text(each)) if is_shape(shape)] for each in ids.tolist()]
    found: Float64Array = np.array([sum(map(prod, each)) for each in shapes], np.float64)[place]
    return found


def _fitted(size: Float64Array, ns: Float64Array) -> Float64Array:
    """The part of each time that grows: fixed + slope x size by least squares, neither below 0. NaN with one size alone."""
    if len(np.unique(size)) < 2:
        return np.full(len(size), np.nan)
    centred = size - float(size.mean())
    slope = max(float((centred * (ns - ns.mean())).sum() / (centred**2).sum()), 0.0)
    fixed = max(float(ns.mean() - slope * size.mean()), 0.0)
    if fixed == 0:
        slope = float((size * ns).sum() / max(float((size**2).sum()), 1.0))
    whole = fixed + slope * size
    return np.where(whole > 0, slope * size / np.where(whole > 0, whole, 1), 0.0)
