"""One version of a graph, while edits are taken one after the other: whose time is shorter, which work is gone, who waits.

version = Version(graph)
version.work[gemms] *= 0.5
version.remove(copies)
replay(graph, [version.durations()])
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Float64Array, Int64Array
from tb_plugin.compute.distinct import all_but
from tb_plugin.replay.edges import Why
from tb_plugin.replay.host_time import ByTrack, HostTime, times_of, without
from tb_plugin.replay.replay import Durations
from tb_plugin.trace.kinds import Kind, is_kind
from tb_plugin.trace.times.step_windows import step_windows

if TYPE_CHECKING:
    from tb_plugin.replay.graph import Graph

_IN_GRAPH_NS = 1_200
"""Between kernels of a graph."""


class Version:
    """What was asked so far. Of W pieces of work, C calls, E edges as in `Graph`."""

    def __init__(self, graph: Graph) -> None:
        self.graph, self.trace = graph, graph.trace
        self.host = HostTime()
        self.all_host = 1.0
        self.launches = 1.0
        self.work: Float64Array = np.ones(len(graph.work.row))  # W: so many times as long
        self.is_gone = np.zeros(len(graph.work.row), np.bool_)
        self.is_on_time = np.zeros(len(graph.work.row), np.bool_)  # W: waits for its stream and its launch alone
        self.cut_waits = np.zeros(len(graph.calls.row), np.bool_)
        self.gone_calls = np.zeros(len(graph.calls.row), np.bool_)
        self.most_call_ns = np.full(len(graph.calls.row), np.iinfo(np.int64).max)  # C: calls take no longer
        self.more_ns = np.zeros(len(graph.calls.row), np.int64)
        self.within_graph = np.zeros(len(graph.node), np.bool_)

    def remove(self, work: BoolArray, host: ByTrack | None = None) -> None:
        """None of this work is done. There is nothing to launch then, and no reason for the host time of it:
        `host`, else the self time of the operators that launched nothing else.
        """
        self.work[work] = 0
        self.is_gone |= work
        call = self.graph.work.call
        launched, kept = call[work & (call != NONE)], call[~work & (call != NONE)]
        self.gone_calls[all_but(launched, kept)] = True
        self.host.scale(self._for_nothing(work) if host is None else host, 0.0)

    def fuse(self, of: Int64Array, takes_ns: Float64Array, host: ByTrack | None = None) -> None:
        """Work of each group is done by its first piece, in `takes_ns[group]` or the time of all; `of`: W, the group or NONE."""
        duration = self.graph.work.duration_ns
        mine = np.flatnonzero(of != NONE)
        mine = mine[np.lexsort((self.graph.work.start_ns[mine], of[mine]))]
        is_first = np.diff(of[mine], prepend=NONE) != 0
        whole_ns = np.bincount(of[mine], weights=duration[mine], minlength=len(takes_ns))
        first = mine[is_first]
        takes = np.minimum(takes_ns, whole_ns)[of[first]]
        self.work[first] *= takes / np.maximum(duration[first], 1)
        others = np.zeros(len(of), np.bool_)
        others[mine[~is_first]] = True
        self.remove(others, host)

    def durations(self) -> Durations:
        graph, calls = self.graph, self.graph.calls
        gap_ns = self.host.lasting(calls.track, calls.start_ns - graph.gap_ns, calls.start_ns)
        call_ns = self.host.lasting(calls.track, calls.start_ns, calls.start_ns + graph.own_ns)
        call_ns = np.minimum(call_ns, self.most_call_ns)
        call_ns[self.gone_calls] = 0
        launching = np.zeros(len(call_ns), np.bool_)
        launching[graph.work.call[graph.work.call != NONE]] = True
        call_ns = np.where(launching, times(call_ns, self.launches), call_ns)
        gone = self.gone_calls | self.host.is_gone(calls.track, calls.start_ns)
        # What ran before the steps stays: with it the first step's begin would move, and less work could make it longer.
        host_ns, work_ns = self._begin_ns()
        early, early_work = calls.start_ns < host_ns, graph.work.start_ns < work_ns
        work = np.where(self.is_gone, 0, np.rint(graph.work.duration_ns * self.work).astype(np.int64))
        recorded = Durations.none(graph)
        constant_ns, is_cut = self._edges(early_work)
        return Durations(
            gap_ns=np.where(early, recorded.gap_ns, times(gap_ns, self.all_host) + self.more_ns),
            call_ns=np.where(early, recorded.call_ns, times(call_ns, self.all_host)),
            work_ns=np.where(early_work, recorded.work_ns, work),
            is_gone=self.is_gone & ~early_work,
            is_cut=is_cut | self._cut_calls(gone & ~early, early),
            constant_ns=constant_ns,
        )

    def _edges(self, early_work: BoolArray) -> tuple[Int64Array, BoolArray]:
        """(constants, those that hold nothing up since their work is on time)."""
        graph, edges = self.graph, self.graph.edges
        constant_ns = np.where(self.within_graph, np.minimum(edges.constant_ns, _IN_GRAPH_NS), edges.constant_ns)
        on_time = np.append(self.is_on_time & ~early_work, False)[edges.to_work]
        constant_ns = np.where(on_time, constant_ns - graph.late_ns[graph.node], constant_ns)
        return constant_ns, on_time & ((edges.why == Why.EVENT) | (edges.why == Why.INFERRED))

    def _cut_calls(self, gone: BoolArray, early: BoolArray) -> BoolArray:
        """Edges of calls that wait for nothing any more: launches that are not made, and what was cut."""
        why, call = self.graph.edges.why, self.graph.edges.to_point // 2
        cut = gone | (self.cut_waits & ~early)
        is_cut: BoolArray = ((why == Why.PLACE) & gone[call]) | ((why == Why.AWAITED) & cut[call])
        return is_cut

    def _begin_ns(self) -> tuple[int, int]:
        """Where the first step begins, on the host and in its window; of a recording without steps the one that it is."""
        steps, calls = self.trace.steps, self.graph.calls
        if len(steps) == 0:
            begin = int(calls.start_ns[calls.begins != NONE][0])
            return begin, begin
        return int(steps.start_ns.min()), int(step_windows(self.trace).start_ns.min())

    def _for_nothing(self, work: BoolArray) -> ByTrack:
        """The self time of operators all of whose work is gone."""
        events, rows = self.trace.events, self.graph.work.row
        owner = events.owner[rows].astype(np.int64)
        owners = all_but(owner[work & (owner != NONE)], owner[~work])
        owners = owners[events.kind[owners] == Kind.OPERATOR]
        inner = np.flatnonzero(is_kind(events.kind, (Kind.OPERATOR,)) & np.isin(events.nest_parent, owners))
        return without(times_of(self.trace, owners), times_of(self.trace, all_but(inner, owners)))


def times(ns: Int64Array, factor: float) -> Int64Array:
    return ns if factor == 1 else np.rint(ns * factor).astype(np.int64)
