"""Many kernels in one: chains that only move memory, and attention that runs as single operators.

    chain      add copy_ pow mean rsqrt mul     one kernel that reads what comes from outside and writes what is used outside
    attention  bmm div softmax dropout bmm      one kernel for forward and one for backward

The first of the kernels does the work of all; the launches of the others and the operators that made them are gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.errors import NotFoundError
from tb_plugin.base.units import NONE, BoolArray, Float64Array, Int64Array
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.intervals import subtract, union
from tb_plugin.compute.nesting import marked_around
from tb_plugin.trace.kinds import Kind, is_kind
from tb_plugin.trace.modules.forward_backward import forward_backward
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.work.achievable import attention_rate, busiest_peak, memory_rate
from tb_plugin.trace.work.attention_chains import AttentionChains, attention_chains
from tb_plugin.trace.work.handed_on import handed_on
from tb_plugin.trace.work.input_bytes import ELEMENT_BYTES
from tb_plugin.trace.work.matrix_operators import element_type
from tb_plugin.trace.work.memory_chains import memory_chains

if TYPE_CHECKING:
    from tb_plugin.replay.graph import Graph
    from tb_plugin.replay.host_time import ByTrack
    from tb_plugin.replay.version import Version
    from tb_plugin.trace.model import Trace

_BACKWARD: Final = 2.5
"""Fused attention does five products backward for two forward, and moves about as many times as much (FlashAttention-2, 3.1)."""


def fuse_chains(version: Version, among: BoolArray) -> None:
    """Chains among this work (W), but those of optimizers. Raises NotFoundError where there are none, or none of known sizes."""
    graph, trace = version.graph, version.trace
    rows = graph.work.row[among & (graph.work.call != NONE) & ~in_optimizer(graph)]
    chains = memory_chains(trace, rows)
    if len(chains.kernel) == 0:
        raise NotFoundError("edit='fuse': there are no three kernels one after the other here that only move memory")
    sizes, rate = handed_on(trace, chains), memory_rate(trace)
    if rate is None or not sizes.is_known.any():
        raise NotFoundError("edit='fuse': shapes (record_shapes=True) or the device's bandwidth are not known")
    duration = trace.events.duration_ns(chains.kernel)
    unknown_ns, known_ns = (
        np.bincount(chains.of, weights=duration * each).astype(np.float64) for each in (~sizes.is_known, sizes.is_known)
    )
    of = np.full(len(graph.work.row), NONE, np.int64)
    of[np.searchsorted(graph.work.row, chains.kernel)] = chains.of
    version.fuse(of, unknown_ns + np.minimum(1e9 * sizes.needed / rate, known_ns))


def fuse_attention(version: Version, among: BoolArray) -> None:
    """Attention chains with work among this (W). Raises NotFoundError where there are none, or the device's peaks are unknown."""
    graph, trace = version.graph, version.trace
    chains = attention_chains(trace)
    forward, spans = _launched_in_chains(graph, chains)
    forward[~among] = NONE
    if not (forward != NONE).any():
        raise NotFoundError("edit='attention': no attention runs as single operators here, or shapes were not recorded")
    backward = _backward_of(graph, chains, spans)
    backward[~among] = NONE
    version.fuse(forward, _attention_ns(trace, chains, is_backward=False), _between(graph, forward, spans))
    if (backward != NONE).any():
        version.fuse(backward, _attention_ns(trace, chains, is_backward=True))


def in_optimizer(graph: Graph) -> BoolArray:
    """W: launched in a step of an optimizer, which goes over the parameters, whatever the batch."""
    events, work = graph.trace.events, graph.work.row
    ranges = np.flatnonzero(is_kind(events.kind, (Kind.ANNOTATION, Kind.OPERATOR)))
    is_optimizer = np.zeros(len(events), np.bool_)
    is_optimizer[ranges[rows_named(graph.trace, ranges, lambda name: name.startswith("Optimizer."))]] = True
    launched_by = np.where(events.launch[work] != NONE, events.launch[work], events.owner[work])
    found: BoolArray = marked_around(events.nest_parent, is_optimizer, launched_by) != NONE
    return found


_Spans = dict[int, tuple[Int64Array, Int64Array, Int64Array]]
"""By thread: (begins, ends, numbers) of chains, by time."""


def _launched_in_chains(graph: Graph, chains: AttentionChains) -> tuple[Int64Array, _Spans]:
    """(W: the chain that launched it, forward, or NONE; when chains ran)."""
    events = graph.trace.events
    track, start, end = events.track[chains.scores], events.start_ns[chains.scores], events.end_ns[chains.result]
    spans: _Spans = {}
    of = np.full(len(graph.work.row), NONE, np.int64)
    launch = events.launch[graph.work.row].astype(np.int64)
    for each in distinct(track).tolist():
        mine = np.flatnonzero(track == each)
        mine = mine[np.argsort(start[mine], kind="stable")]
        spans[each] = (start[mine], end[mine], mine)
        there = np.flatnonzero((launch != NONE) & (events.track[launch] == each))
        of[there] = _in_spans(spans[each], events.start_ns[launch[there]])
    return of, spans


def _in_spans(spans: tuple[Int64Array, Int64Array, Int64Array], time_ns: Int64Array) -> Int64Array:
    """The chain that each time lies in, or NONE."""
    start, end, number = spans
    place = np.searchsorted(start, time_ns, side="right") - 1
    inside = (place >= 0) & (time_ns < end[place])
    return np.where(inside, number[place], NONE)


def _backward_of(graph: Graph, chains: AttentionChains, spans: _Spans) -> Int64Array:
    """W: the chain whose backward launched it, or NONE."""
    events, links = graph.trace.events, forward_backward(graph.trace)
    chain_of = np.full(len(events), NONE, np.int64)
    for track, of_track in spans.items():
        mine = events.track[links.made_by] == track
        chain_of[links.backward[mine]] = _in_spans(of_track, events.start_ns[links.made_by[mine]])
    work = graph.work.row
    launched_by = np.where(events.launch[work] != NONE, events.launch[work], events.owner[work])
    nearest = marked_around(events.nest_parent, chain_of != NONE, launched_by)
    return np.where(nearest == NONE, NONE, chain_of[nearest])


def _between(graph: Graph, of: Int64Array, spans: _Spans) -> ByTrack:
    """Host time of chains that have work, without the operators that launch the first of it."""
    events, work = graph.trace.events, graph.work
    mine = np.flatnonzero(of != NONE)
    mine = mine[np.lexsort((work.start_ns[mine], of[mine]))]
    first = mine[np.diff(of[mine], prepend=NONE) != 0]
    keeps = events.owner[work.row[first]].astype(np.int64)
    keeps = np.where(keeps == NONE, events.launch[work.row[first]], keeps)
    found = {}
    for track, (start, end, number) in spans.items():
        there, kept = np.isin(number, of[first]), keeps[events.track[keeps] == track]
        found[track] = subtract(union(start[there], end[there]), union(events.start_ns[kept], events.end_ns[kept]))
    return found


def _attention_ns(trace: Trace, chains: AttentionChains, *, is_backward: bool) -> Float64Array:
    """What one fused kernel takes for each. Raises NotFoundError where the device's peaks are unknown."""
    peak, takes = busiest_peak(trace), []
    types = [element_type(trace.text(types_id)) for types_id in trace.events.types_id[chains.scores].tolist()]
    rates = {each: attention_rate(trace, each, is_backward=is_backward) for each in set(types)}
    for sizes, element in zip(chains.sizes, types, strict=True):
        rate = rates[element]
        if rate is None or peak is None:
            raise NotFoundError("edit='attention': the types of the products or the peaks of the device are not known")
        ns = max(sizes.flops / rate, sizes.elements * ELEMENT_BYTES[element] / peak.bytes_per_s)
        takes.append(1e9 * ns * (_BACKWARD if is_backward else 1))
    return np.array(takes, np.float64)
