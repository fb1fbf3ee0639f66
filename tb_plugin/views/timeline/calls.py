"""The call tree of an area: what ran on its threads, or what of them its devices worked for. Drawn as a flame graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from tb_plugin.base.errors import UsageError
from tb_plugin.base.units import NONE
from tb_plugin.compute import keyed_sums
from tb_plugin.compute.nesting import depths, nearest_marked, sum_over_subtree
from tb_plugin.trace.kept import LastAnswers, once_per_trace
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.scope.patterns import name_matcher
from tb_plugin.views.timeline.area_calls import from_callers
from tb_plugin.views.timeline.area_sums import SumTable, parts_of, sums_of
from tb_plugin.views.timeline.asked import asked_tracks
from tb_plugin.views.timeline.call_edits import edited, parse_all
from tb_plugin.views.timeline.call_names import call_names
from tb_plugin.views.timeline.call_paths import call_paths
from tb_plugin.views.timeline.kept import filtered_rows
from tb_plugin.views.timeline.launching import launching
from tb_plugin.views.timeline.own import own_times
from tb_plugin.views.timeline.paint import PAINTS
from tb_plugin.views.timeline.result import CallNode, CallsParams, TimelineCalls
from tb_plugin.views.timeline.track_event import ref

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.base.units import BoolArray, Int64Array
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.timeline.area_calls import AreaCalls
    from tb_plugin.views.timeline.call_names import CallNames
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
    tracks, kept = asked_tracks(params.tracks, len(trace.tracks)), filtered_rows(trace, params)
    parts = parts_of(trace, tracks, params.t0_ns, params.t1_ns, kept)
    sums = sums_of(trace, table, parts, params.t0_ns, params.t1_ns)
    n_nodes = len(paths.parent)
    counted = paths.on_device if params.side == "device" else ~paths.on_device
    own_of_nodes = sums.own[:n_nodes] + sums.own[n_nodes : 2 * n_nodes]
    own_ns = np.where(counted, own_of_nodes, 0)
    longest, longest_ns, n_calls = sums.longest_row[:n_nodes], sums.longest[:n_nodes], sums.n_rows[:n_nodes]
    if params.side == "device":
        launched = launching(trace, paths, parts)
        longest = np.where(counted, longest, launched.most_row)
        longest_ns = np.where(counted, longest_ns, launched.most_ns)
        n_calls = np.where(counted, n_calls, launched.n_calls)
    longest = np.where(longest != NONE, longest, paths.row)  # of nodes without time
    whole = from_callers(trace, paths, own_ns, n_calls, longest, longest_ns)
    called = edited(trace, whole, parse_all(params.edit), by_class=params.by_class)
    names = call_names(trace)
    matches = name_matcher(params.q, literal=not params.regex) if params.q else None
    found = _found(names, called, matches)
    tree = called.inverted(trace) if params.inverted else called
    hits = _found(names, tree, matches)
    n_with_time = int((tree.time_ns > 0).sum())
    listed = _in_order(tree, hits, params.top)[: min(params.top, n_with_time)]
    place = np.full(len(tree.parent) + 1, NONE)
    place[listed] = np.arange(len(listed))
    return TimelineCalls(
        t0_ns=params.t0_ns,
        t1_ns=params.t1_ns,
        side=params.side,
        frames=params.frames,
        time_ns=int(called.self_ns.sum()),
        other_side_ns=int(np.where(counted, 0, own_of_nodes).sum()),
        n_nodes=n_with_time,
        n_instances=names.n_instances(whole.key[whole.time_ns > 0]),
        found_ns=int(called.self_ns[nearest_marked(called.parent.astype(np.int32), found) != NONE].sum()),
        hits=np.flatnonzero(hits[listed]).tolist(),
        nodes=[
            CallNode(
                parent=above if above != NONE else None,
                name=names.text(key),
                kind=Kind(int(trace.events.kind[row])).name.lower(),
                paint=PAINTS[int(index.paint[row])],
                count=int(tree.n_calls[node]),
                time_ns=int(tree.time_ns[node]),
                self_ns=int(tree.self_ns[node]),
                longest=ref(trace, index, int(tree.longest_row[node])),
            )
            for node, above, row, key in zip(
                listed.tolist(),
                place[tree.parent[listed]].tolist(),
                tree.row[listed].tolist(),
                tree.key[listed].tolist(),
                strict=True,
            )
        ],
    )


def those_listed(reply: TimelineCalls) -> TimelineCalls:
    """Of fewer nodes, the first: a tree as well, which says how many there are in all."""
    return msgspec.structs.replace(reply, hits=[hit for hit in reply.hits if hit < len(reply.nodes)])


def _found(names: CallNames, calls: AreaCalls, matches: Callable[[str], bool] | None) -> BoolArray:
    return np.zeros(len(calls.key), np.bool_) if matches is None else names.judged(calls.key, matches)


def _in_order(tree: AreaCalls, hits: BoolArray, top: int) -> Int64Array:
    """All nodes, the largest first, but before them the largest roots, at most half of the list: what an inverted tree is asked
    for. Where there are hits, the way to small ones has the last quarter of the list: the others keep their places.

    A node has at least the time of what is below it, and comes before it: however many of the first are a tree.
    """
    by_time = np.argsort(-tree.time_ns, kind="stable")
    is_first = (tree.parent[by_time] == NONE) & (tree.time_ns[by_time] > 0)
    is_first[np.flatnonzero(is_first)[top // 2 :]] = False
    in_order = np.concatenate((by_time[is_first], by_time[~is_first]))
    parent = tree.parent.astype(np.int32)
    leads = (sum_over_subtree(parent, depths(parent), hits.astype(np.int64)) > 0) & (tree.time_ns > 0)
    rank = np.where(leads[in_order], 1, 2)
    rank[: top - top // 4] = 0
    return in_order[np.argsort(rank, kind="stable")]


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
