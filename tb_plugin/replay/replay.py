"""Runs a graph again: with all as recorded, or with some of it changed. Many changes at once cost little more than one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.replay.edges import Why
from tb_plugin.replay.longest import NEVER, latest
from tb_plugin.trace.times.step_windows import timed_work, windows_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.replay.graph import Graph


@dataclass(frozen=True, kw_only=True)
class Durations:
    """How long everything takes in one version. C calls, W pieces of work, E edges as in `Graph`."""

    gap_ns: Int64Array  # C
    call_ns: Int64Array  # C, of calls that wait for work only their own cost counts, which is an edge
    work_ns: Int64Array  # W
    is_gone: BoolArray  # W: this work is not done at all
    is_cut: BoolArray  # E: this holds nothing up
    constant_ns: Int64Array  # E
    keeps_late: bool = True  # what begins late for no known reason stays so late

    @classmethod
    def none(cls, graph: Graph) -> Durations:
        """As recorded."""
        return cls(
            gap_ns=graph.gap_ns,
            call_ns=graph.own_ns,
            work_ns=graph.work.duration_ns,
            is_gone=np.zeros(len(graph.work.row), np.bool_),
            is_cut=np.zeros(len(graph.node), np.bool_),
            constant_ns=graph.edges.constant_ns,
        )


@dataclass(frozen=True, kw_only=True)
class Replayed:
    """Times of one version, ns of the trace."""

    graph: Graph
    lasts: Durations
    point_ns: Int64Array  # 2 C
    work_end_ns: Int64Array  # W
    node_ns: Int64Array  # N
    weight_ns: Int64Array  # E

    @property
    def work_start_ns(self) -> Int64Array:
        return self.work_end_ns - self.lasts.work_ns

    def windows(self) -> tuple[Int64Array, Int64Array]:
        """Begin and end of each step, by the rule for recorded ones; of a recording without steps its one."""
        trace, calls = self.graph.trace, self.graph.calls
        begins, ends = np.flatnonzero(calls.begins != NONE), np.flatnonzero(calls.ends != NONE)
        start, end = np.zeros(len(begins), np.int64), np.zeros(len(ends), np.int64)
        start[calls.begins[begins]] = self.point_ns[2 * begins]
        end[calls.ends[ends]] = self.point_ns[2 * ends + 1]
        if len(trace.steps) == 0:
            return start, np.maximum(end, self.work_end_ns.max(initial=NEVER))
        recorded, of = timed_work(trace), self.graph.launches
        began = self.point_ns[2 * of.call]
        launch_ns = recorded.launch_ns.copy()
        launch_ns[of.work] = began + np.minimum(of.into_call_ns, self.point_ns[2 * of.call + 1] - began)
        found = windows_of(
            start, end, recorded._replace(start_ns=self.work_start_ns, end_ns=self.work_end_ns, launch_ns=launch_ns)
        )
        return found.start_ns, found.end_ns


def replay(graph: Graph, versions: Sequence[Durations]) -> list[Replayed]:
    """Each of these versions."""
    if not versions:
        return []
    offsets = np.stack([_offsets(graph, lasts) for lasts in versions], axis=1)
    weights = np.stack([_weights(graph, lasts, offsets[:, place]) for place, lasts in enumerate(versions)], axis=1)
    nodes = latest(graph.first_edge, graph.source, weights)
    return [
        Replayed(
            graph=graph,
            lasts=lasts,
            point_ns=nodes[graph.base, place] + offsets[:, place],
            work_end_ns=nodes[graph.node_of_work, place],
            node_ns=nodes[:, place],
            weight_ns=weights[:, place],
        )
        for place, lasts in enumerate(versions)
    ]


def _offsets(graph: Graph, lasts: Durations) -> Int64Array:
    """For each point how long after its base it comes."""
    between = np.stack((lasts.gap_ns, lasts.call_ns), axis=1).reshape(-1)
    between[graph.is_base] = 0
    total = np.cumsum(between)
    since: Int64Array = total - total[graph.last_base]
    return since


def _weights(graph: Graph, lasts: Durations, offset: Int64Array) -> Int64Array:
    edges = graph.edges
    to_work = edges.to_work != NONE
    weight: Int64Array = lasts.constant_ns + np.append(offset, 0)[edges.from_point]
    weight[to_work] += lasts.work_ns[edges.to_work[to_work]]
    turned = edges.why == Why.TURN
    weight[turned] += lasts.gap_ns[edges.to_point[turned] // 2]
    own = edges.why == Why.OWN
    weight[own] += lasts.call_ns[edges.to_point[own] // 2]
    if lasts.keeps_late:
        weight += graph.late_ns[graph.node]
    is_cut = lasts.is_cut
    if lasts.is_gone.any():
        gone = to_work & np.append(lasts.is_gone, False)[edges.to_work]
        on_stream = gone & (edges.why == Why.STREAM)
        weight[on_stream] = 0
        follows = np.zeros(len(graph.first_edge) - 1, np.bool_)
        follows[graph.node[on_stream]] = True
        is_cut = is_cut | (gone & ~on_stream & follows[graph.node])
    weight[is_cut] = NEVER
    return weight
