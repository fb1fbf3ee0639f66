"""When is everything done, if each thing waits for the last of some others? Many versions of one graph at once.

node 0, node 1 after 0 + 5, node 2 after the later of 0 + 7 and 1 + 1     times 0, 5, 7
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Int64Array

NEVER: Final = -(1 << 60)
"""The weight of an edge that holds nothing up, ns; leaves room to add to it."""

_FEW: Final = 12
"""Versions, up to which a loop over numbers is faster than one over rows of NumPy."""

_LONG: Final = 32
"""Nodes of a run on average, from which the arrays of a run are faster than either loop."""

_NOTHING: Final = -(1 << 62)
"""Of no edge in a maximum: below two edges that hold nothing up."""


def latest(first_edge: Int64Array, source: Int64Array, weight_ns: Int64Array) -> Int64Array:
    """Times of nodes, shape (nodes, versions). Node n has the edges [first_edge[n], first_edge[n + 1]), sources of lower number.

    `weight_ns`: shape (edges, versions). A node without edges is at 0.
    """
    n_nodes, n_versions = len(first_edge) - 1, weight_ns.shape[1]
    runs = _runs(first_edge, source, weight_ns)
    if runs is not None:
        return _latest_by_runs(runs, first_edge, source, weight_ns)
    if n_versions <= _FEW:
        pairs = _pairs(first_edge, source)
        found = np.empty((n_nodes, n_versions), np.int64)
        for place in range(n_versions):
            found[:, place] = _latest_of_one(pairs, weight_ns[:, place])
        return found
    times = np.zeros((n_nodes, n_versions), np.int64)
    rows, weights, other = list(times), list(weight_ns), np.empty(n_versions, np.int64)
    sources, edges = source.tolist(), first_edge.tolist()
    for node in range(n_nodes):
        low, high = edges[node], edges[node + 1]
        if low == high:
            continue
        row = rows[node]
        np.add(rows[sources[low]], weights[low], out=row)
        for edge in range(low + 1, high):
            np.add(rows[sources[edge]], weights[edge], out=other)
            np.maximum(row, other, out=row)
    return times


def _runs(first_edge: Int64Array, source: Int64Array, weight_ns: Int64Array) -> list[int] | None:
    """Where runs of nodes begin: each but the first of a run waits for the one before it, and else for nodes before the run.

    The queue of a device is such a run: all its launches are known when the host next waits. Two edges of a run at most hold
    nothing up, so that sums of them fit. None where runs are short, and where sums of other edges may not fit.
    """
    n_nodes = len(first_edge) - 1
    node = np.repeat(np.arange(n_nodes), np.diff(first_edge))
    is_never = weight_ns == NEVER
    largest = max(int(weight_ns.max(initial=0)), -int(weight_ns.min(initial=0, where=~is_never)))
    if largest * len(node) > -NEVER:
        return None
    is_next = _is_next(node, source)
    reaches = np.full(n_nodes, n_nodes)  # the last node that it waits for, but for the one before it
    reaches[node[is_next]] = -1
    others = np.flatnonzero(~is_next)
    np.maximum.at(reaches, node[others], source[others])
    reaches[np.flatnonzero(first_edge[1:-1] == first_edge[:-2]) + 1] = n_nodes  # what waits for nothing is a run alone
    n_never = np.zeros(n_nodes, np.int64)
    n_never[node[is_next]] = is_never[is_next].any(axis=1)
    begins, begin, left = [], 0, 0
    for each, (last, never) in enumerate(zip(reaches.tolist(), n_never.tolist(), strict=True)):
        left -= never
        if last >= begin or left < 0:
            begin, left = each, 2
            begins.append(each)
            if len(begins) * _LONG > n_nodes + _LONG:
                return None
    return begins


def _is_next(node: Int64Array, source: Int64Array) -> BoolArray:
    """Of edges: is it the first of its node that comes from the node before?"""
    is_next: BoolArray = source == node - 1
    edge = np.flatnonzero(is_next)
    is_next[edge[1:][node[edge[1:]] == node[edge[:-1]]]] = False
    return is_next


def _latest_by_runs(begins: list[int], first_edge: Int64Array, source: Int64Array, weight_ns: Int64Array) -> Int64Array:
    """A time is max(what else is waited for, the time before + step); less the sum of steps that is a running maximum."""
    n_nodes, n_versions = len(first_edge) - 1, weight_ns.shape[1]
    node = np.repeat(np.arange(n_nodes), np.diff(first_edge))
    is_begin = np.zeros(n_nodes, np.bool_)
    is_begin[begins] = True
    is_next = _is_next(node, source) & ~is_begin[node]
    step = np.zeros((n_nodes, n_versions), np.int64)
    step[node[is_next]] = weight_ns[is_next]
    others = np.where(is_next[:, None], _NOTHING, weight_ns)
    times = np.zeros((n_nodes, n_versions), np.int64)
    edges = first_edge.tolist()
    for low, high in itertools.pairwise([*begins, n_nodes]):
        first, end = edges[low], edges[high]
        if first == end:
            continue
        own = np.maximum.reduceat(times[source[first:end]] + others[first:end], first_edge[low:high] - first)
        since = np.cumsum(step[low:high], axis=0)
        np.add(np.maximum.accumulate(own - since), since, out=times[low:high])
    return times


class _Pairs(NamedTuple):
    """Nodes that wait for two things each, so that a loop over them asks nothing: one of more is several, one after the other.

    waits for      pairs                         time 0 is the time of what is before all; `edge` -1 weighs nothing
    a, b, c        (a, b), (the pair before, c)
    a              (a, a)
    nothing        (before all, before all)
    """

    one: list[int]  # the time that each waits for, 1 + a pair or 0
    other: list[int]
    one_edge: Int64Array
    other_edge: Int64Array
    of_node: Int64Array  # the pair with the node's time


def _pairs(first_edge: Int64Array, source: Int64Array) -> _Pairs:
    n_edges = np.diff(first_edge)
    n_pairs = np.maximum(n_edges - 1, 1)
    of_node = np.cumsum(n_pairs) - 1
    node = np.repeat(np.arange(len(n_pairs)), n_pairs)
    place = np.arange(len(node)) - (of_node - n_pairs + 1)[node]
    first, is_first, waits = first_edge[:-1][node], place == 0, n_edges[node] > 0
    one_edge = np.where(is_first & waits, first, -1)
    other_edge = np.where(waits, first + np.minimum(place + 1, n_edges[node] - 1), -1)
    time_of = np.append(1 + of_node[source], 0)  # of each edge; -1 falls on the last
    one = np.where(is_first, time_of[one_edge], np.arange(len(node)))
    return _Pairs(one.tolist(), time_of[other_edge].tolist(), one_edge, other_edge, of_node)


def _latest_of_one(pairs: _Pairs, weight_ns: Int64Array) -> Int64Array:
    """Times of nodes of one version."""
    weights = np.append(weight_ns, 0)
    times, one_ns, other_ns = [0], weights[pairs.one_edge].tolist(), weights[pairs.other_edge].tolist()
    add = times.append
    for one, ns, other, its_ns in zip(pairs.one, one_ns, pairs.other, other_ns, strict=True):
        ns += times[one]
        its_ns += times[other]
        add(ns if ns > its_ns else its_ns)
    found: Int64Array = np.array(times, np.int64)[1 + pairs.of_node]
    return found


def deciding(first_edge: Int64Array, source: Int64Array, weight_ns: Int64Array, times: Int64Array) -> Int64Array:
    """Of one version, for each node the first of its edges that it waited for to the last; -1 without edges. Shape (nodes,)."""
    n_nodes = len(first_edge) - 1
    node = np.repeat(np.arange(n_nodes), np.diff(first_edge))
    decides: BoolArray = times[source] + weight_ns == times[node]
    edge = np.full(n_nodes, -1)
    places = np.flatnonzero(decides)[::-1]
    edge[node[places]] = places
    return edge
