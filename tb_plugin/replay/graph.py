"""The dependency graph of a profile: what begins when, and because of what. Built once, replayed as often as asked.

Times of most points of a thread are a sum: they follow the call before. Only where two things are waited for is there a *node*:
device work (its time is its end), calls that wait, and the first call of a turn. `base` leads from each point to its node.

    thread 1 | call 0-4 | call 5-9 | synchronize 10-40 | call 42-46        nodes: first call, end of synchronize, and the work
    base         0   0      0   0         0          2      2   2
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.replay import device, host
from tb_plugin.replay.edges import NOTICED_NS, Edges, Why, edges, together
from tb_plugin.replay.places import places
from tb_plugin.replay.points import DeviceWork, HostCalls, call_around, calls_of, work_of
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.kinds import LAUNCH_KINDS, is_kind

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


class LaunchCalls(NamedTuple):
    """Of work whose launch is in the file: its place, the outermost call around its launch, and when in that it began."""

    work: Int64Array
    call: Int64Array
    into_call_ns: Int64Array


@dataclass(frozen=True, kw_only=True)
class Graph:
    """Nodes are numbered in an order in which each comes after all that it waits for; `edges` are by their node.

    Of N nodes, W pieces of work, C calls, E edges.
    """

    trace: Trace
    calls: HostCalls
    work: DeviceWork
    after: Int64Array  # C: the call of another thread that each begins after, or NONE
    own_ns: Int64Array  # C: how long each call takes, without waiting for a place in a queue
    gap_ns: Int64Array  # C: time before each call, since the call before it or since `after` has ended
    base: Int64Array  # 2 C: node of each point
    is_base: BoolArray  # 2 C: the point is that node
    node_of_work: Int64Array  # W
    edges: Edges
    node: Int64Array  # E: what waits
    source: Int64Array  # E: what is waited for, of a point its base
    first_edge: Int64Array  # N + 1
    late_ns: Int64Array  # N: how much later than all its edges say, where that is noticed
    n_lost: int  # edges that the recorded order refutes

    @cached_property
    def launches(self) -> LaunchCalls:
        """Those that are calls; a launch that is none stays where it was."""
        events = self.trace.events
        launch = events.launch[self.work.row].astype(np.int64)
        work = np.flatnonzero((launch != NONE) & is_kind(events.kind[launch], LAUNCH_KINDS))
        call = call_around(self.trace, self.calls, launch[work])
        return LaunchCalls(work=work, call=call, into_call_ns=events.start_ns[launch[work]] - self.calls.start_ns[call])

    @cached_property
    def last_base(self) -> Int64Array:
        """2 C: the last point until here that is a node."""
        found: Int64Array = np.maximum.accumulate(np.where(self.is_base, np.arange(len(self.is_base)), 0))
        return found

    @cached_property
    def waits(self) -> BoolArray:
        """C: calls that return when work is done."""
        found = np.zeros(len(self.calls.row), np.bool_)
        found[self.edges.to_point[self.edges.why == Why.AWAITED] // 2] = True
        return found


@once_per_trace
def graph_of(trace: Trace) -> Graph:
    """The graph of a profile; kept with it."""
    calls = calls_of(trace)
    work = work_of(trace, calls)
    before = device.before_on_stream(work)
    after = host.turns(calls)
    awaited = host.awaited(trace, calls, work)
    place = places(calls, work, awaited.to_point // 2)
    known = [
        device.launches(trace, calls, work, before),
        device.streams(trace, calls, work, before),
        device.events(trace, calls, work),
        device.not_launched(work),
        awaited,
        place.edges,
        _turns(calls, after),
    ]
    of_work = together(*known)
    expected = _expected(calls, work, of_work)
    late = (work.start_ns - expected > NOTICED_NS) & (work.call != NONE)
    return _numbered(trace, calls, work, after, place.own_ns, together(of_work, device.inferred(trace, work, late)))


def _turns(calls: HostCalls, after: Int64Array) -> Edges:
    """The first calls of threads, and of their turns."""
    first = np.flatnonzero(calls.is_first & (after == NONE))
    turned = np.flatnonzero(after != NONE)
    return together(
        edges(Why.RECORDED, calls.start_ns[first], to_point=2 * first),
        edges(Why.TURN, 0, from_point=2 * after[turned] + 1, to_point=2 * turned),
    )


def _expected(calls: HostCalls, work: DeviceWork, known: Edges) -> Int64Array:
    """When each work would begin by its edges and recorded times of what it waits for."""
    mine = np.flatnonzero(known.to_work != NONE)
    expected = np.full(len(work.row), np.iinfo(np.int64).min)
    np.maximum.at(expected, known.to_work[mine], _source_ns(calls, work, known)[mine] + known.constant_ns[mine])
    return expected


def _source_ns(calls: HostCalls, work: DeviceWork, known: Edges) -> Int64Array:
    """The recorded time of what each edge comes from; 0 for nothing."""
    points = np.append(_points_ns(calls), 0)
    return np.where(known.from_work != NONE, np.append(work.end_ns, 0)[known.from_work], points[known.from_point])


def _points_ns(calls: HostCalls) -> Int64Array:
    return np.stack((calls.start_ns, calls.end_ns), axis=1).reshape(-1)


def _numbered(trace: Trace, calls: HostCalls, work: DeviceWork, after: Int64Array, own_ns: Int64Array, known: Edges) -> Graph:
    n_points, points_ns = 2 * len(calls.row), _points_ns(calls)
    is_base = np.zeros(n_points, np.bool_)
    is_base[known.to_point[known.to_point != NONE]] = True
    place = _order(calls, work, is_base)
    bases = np.flatnonzero(is_base)
    # Of threads one after the other each begins with a base.
    base = place[np.maximum.accumulate(np.where(is_base, np.searchsorted(bases, np.arange(n_points)), 0))]
    node_of_work = place[len(bases) :]

    node = np.where(known.to_work != NONE, np.append(node_of_work, 0)[known.to_work], np.append(base, 0)[known.to_point])
    source = np.where(known.from_work != NONE, np.append(node_of_work, 0)[known.from_work], np.append(base, 0)[known.from_point])
    is_fixed = known.why == Why.RECORDED
    source[is_fixed] = 0
    kept = is_fixed | (source < node)
    in_order = np.flatnonzero(kept)[np.argsort(node[kept], kind="stable")]
    ordered = Edges(*(column[in_order] for column in known))
    node, source = node[in_order], source[in_order]

    ends = np.zeros(len(place) + 1, np.int64)
    ends[place[: len(bases)]] = points_ns[bases]
    ends[node_of_work] = work.start_ns
    expected = np.full(len(ends), np.iinfo(np.int64).min)
    gap_ns = _gaps(calls, after)
    arrives = _source_ns(calls, work, ordered) + ordered.constant_ns
    is_turn = ordered.why == Why.TURN
    arrives[is_turn] += gap_ns[ordered.to_point[is_turn] // 2]
    is_own = ordered.why == Why.OWN
    arrives[is_own] += own_ns[ordered.to_point[is_own] // 2]
    np.maximum.at(expected, node, arrives)
    has_edge = expected != np.iinfo(np.int64).min
    late = np.where(has_edge, ends - np.where(has_edge, expected, 0), 0)
    return Graph(
        trace=trace,
        calls=calls,
        work=work,
        after=after,
        own_ns=own_ns,
        gap_ns=gap_ns,
        base=base,
        is_base=is_base,
        node_of_work=node_of_work,
        edges=ordered,
        node=node,
        source=source,
        first_edge=np.searchsorted(node, np.arange(len(place) + 2)),
        late_ns=np.where(late > NOTICED_NS, late, 0),
        n_lost=int((~kept).sum()),
    )


def _gaps(calls: HostCalls, after: Int64Array) -> Int64Array:
    """Before each call; 0 for the first of all."""
    own = np.concatenate((np.zeros(1, np.int64), calls.end_ns[:-1]))[: len(calls.row)]
    since = np.where(after != NONE, calls.end_ns[after] if len(after) else own, own)
    return np.where(calls.is_first & (after == NONE), 0, calls.start_ns - since)


def _order(calls: HostCalls, work: DeviceWork, is_base: BoolArray) -> Int64Array:
    """The number of each base and then of each work, from 1 on: node 0 is the time 0.

    At one instant calls return before others begin, and these before work begins; on a thread and on a stream nothing overtakes.
    """
    n_calls = len(calls.row)
    launched = np.append(calls.start_ns, np.iinfo(np.int64).min)[work.call]
    begun = np.maximum(work.start_ns, launched)
    # By place in the order: four times the times of a damaged file are beyond 64 bits.
    in_order = np.sort(np.concatenate((calls.start_ns, calls.end_ns, begun)))
    start, end, begin = (4 * np.searchsorted(in_order, times) for times in (calls.start_ns, calls.end_ns, begun))
    host_key = np.stack((start + 2, end + 1), axis=1).reshape(-1)
    work_key = begin + 3
    host_key = _never_back(np.repeat(calls.track, 2), host_key) if n_calls else host_key
    work_key = _never_back(work.track, work_key) if len(work.row) else work_key
    by_key = np.argsort(np.concatenate((host_key[is_base], work_key)), kind="stable")
    place = np.empty(len(by_key), np.int64)
    place[by_key] = np.arange(1, len(by_key) + 1)
    return place


def _never_back(track: Int64Array, key: Int64Array) -> Int64Array:
    """The largest key so far, on each track; rows are by track."""
    low = int(key.min())
    span = int(key.max()) - low + 1
    ordinal = np.cumsum(np.diff(track, prepend=track[0]) != 0)
    held: Int64Array = np.maximum.accumulate(key - low + ordinal * span) - ordinal * span + low
    return held
