"""When is everything done, if each thing waits for the last of some others? Many versions of one graph at once.

node 0, node 1 after 0 + 5, node 2 after the later of 0 + 7 and 1 + 1     times 0, 5, 7
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Int64Array

NEVER: Final = -(1 << 60)
"""The weight of an edge that holds nothing up, ns; leaves room to add to it."""

_FEW: Final = 12
"""Versions, up to which a loop over numbers is faster than one over rows of NumPy."""


def latest(first_edge: Int64Array, source: Int64Array, weight_ns: Int64Array) -> Int64Array:
    """Times of nodes, shape (nodes, versions). Node n has the edges [first_edge[n], first_edge[n + 1]), sources of lower number.

    `weight_ns`: shape (edges, versions). A node without edges is at 0.
    """
    n_nodes, n_versions = len(first_edge) - 1, weight_ns.shape[1]
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
