"""The call tree of an area: what ran on its threads, or what of them its devices worked for. Drawn as a flame graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.errors import UsageError
from tb_plugin.base.units import NONE
from tb_plugin.compute import keyed_sums
from tb_plugin.trace.kept import LastAnswers, once_per_trace
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.times.operator_times import key_text, name_keys
from tb_plugin.views.timeline.area import SumTable, parts_of, sums_of
from tb_plugin.views.timeline.area_calls import from_callers
from tb_plugin.views.timeline.asked import asked_tracks
from tb_plugin.views.timeline.call_paths import call_paths
from tb_plugin.views.timeline.launching import launching
from tb_plugin.views.timeline.own import own_times
from tb_plugin.views.timeline.paint import PAINTS
from tb_plugin.views.timeline.result import CallNode, CallsParams, TimelineCalls
from tb_plugin.views.timeline.track_event import ref

if TYPE_CHECKING:
    from tb_plugin.base.units import Int32Array, Int64Array
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.timeline.index import Index
    from tb_plugin.views.timeline.result import CallFrames


def calls(trace: Trace, index: Index, params: CallsParams) -> TimelineCalls:
    """The nodes with most time, those of the first level before all others, each with the node around it.

    UsageError for an empty area.
    """
    if params.t1_ns <= params.t0_ns:
        raise UsageError("an area ends after it starts")
    paths = call_paths(trace, params.frames)
    table = _tables(trace).get(params.frames, lambda: _table(trace, params.frames))
    parts = parts_of(trace, asked_tracks(params.tracks, len(trace.tracks)), params.t0_ns, params.t1_ns)
    sums = sums_of(trace, table, parts, params.t0_ns, params.t1_ns)
    n_nodes = len(paths.parent)
    counted = paths.on_device if params.side == "device" else ~paths.on_device
    own_of_nodes = sums.own[:n_nodes] + sums.own[n_nodes : 2 * n_nodes]
    own_ns = np.where(counted, own_of_nodes, 0)
    longest, longest_ns, n_calls = sums.longest_row[:n_nodes], sums.longest[:n_nodes], sums.n_rows[:n_nodes]
    if params.side == "device":
        launched = launching(trace, paths, parts)
        longest = np.where(counted, longest, launched.most_row)
        n_calls = np.where(counted, n_calls, launched.n_calls)
    longest = np.where(longest != NONE, longest, paths.row)  # of nodes without time
    called = from_callers(paths, own_ns, n_calls, longest, longest_ns)
    tree = called.inverted(trace) if params.inverted else called
    n_with_time = int((tree.time_ns > 0).sum())
    listed = _roots_first(tree.parent, tree.time_ns, params.top // 2)[: min(params.top, n_with_time)]
    place = np.full(len(tree.parent) + 1, NONE)
    place[listed] = np.arange(len(listed))
    return TimelineCalls(
        t0_ns=params.t0_ns,
        t1_ns=params.t1_ns,
        side=params.side,
        frames=params.frames,
        time_ns=int(own_ns.sum()),
        other_side_ns=int(np.where(counted, 0, own_of_nodes).sum()),
        n_nodes=n_with_time,
        nodes=[
            CallNode(
                parent=above if above != NONE else None,
                name=key_text(trace, name),
                kind=Kind(int(trace.events.kind[row])).name.lower(),
                paint=PAINTS[int(index.paint[row])],
                count=int(tree.n_calls[node]),
                time_ns=int(tree.time_ns[node]),
                self_ns=int(tree.self_ns[node]),
                longest=ref(trace, index, int(tree.longest_row[node])),
            )
            for node, above, row, name in zip(
                listed.tolist(),
                place[tree.parent[listed]].tolist(),
                tree.row[listed].tolist(),
                name_keys(trace, tree.row[listed]).tolist(),
                strict=True,
            )
        ],
    )


def _roots_first(parent: Int32Array | Int64Array, time_ns: Int64Array, most: int) -> Int64Array:
    """All nodes, the largest first, but before them the largest roots, at most so many: what an inverted tree is asked for.

    A node has at least the time of what is below it, and comes before it: however many of the first are a tree.
    """
    by_time = np.argsort(-time_ns, kind="stable")
    is_first = (parent[by_time] == NONE) & (time_ns[by_time] > 0)
    is_first[np.flatnonzero(is_first)[most:]] = False
    return np.concatenate((by_time[is_first], by_time[~is_first]))


@once_per_trace
def _tables(_trace: Trace) -> LastAnswers[CallFrames, SumTable]:
    return LastAnswers(2)


def _table(trace: Trace, frames: CallFrames) -> SumTable:
    """Sums by node; then by node those of what is no frame and lies in it, whose time is the node's and which is no call of it.

    What has no node is of one more.
    """
    events, paths = trace.events, call_paths(trace, frames)
    n_nodes = len(paths.parent)
    key = np.where(paths.is_call, paths.of_row, paths.of_row + n_nodes)
    key[paths.of_row == NONE] = 2 * n_nodes
    sums = keyed_sums.build(key, events.end_ns - events.start_ns, own_times(trace).own_ns)
    on_device = np.concatenate((paths.on_device, paths.on_device, [False]))
    return SumTable(key.astype(np.int32), np.zeros(len(on_device), np.bool_), on_device, sums)
