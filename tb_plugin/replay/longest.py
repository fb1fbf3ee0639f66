"""When is everything done, if each thing waits for the last of some others? Many versions of one graph at once.

node 0, node 1 after 0 + 5, node 2 after the later of 0 + 7 and 1 + 1     times 0, 5, 7
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

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
        each = [_latest_of_one(first_edge.tolist(), source.tolist(), weight_ns[:, place].tolist()) for place in range(n_versions)]
        found: Int64Array = np.array(each, np.int64).reshape(n_versions, n_nodes).T
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


def _latest_of_one(first_edge: list[int], source: list[int], weight_ns: list[int]) -> list[int]:
    """Times of nodes of one version."""
    times = [0] * (len(first_edge) - 1)
    low = first_edge[0] if first_edge else 0
    for node, high in enumerate(first_edge[1:]):
        if high > low:
            latest_ns = times[source[low]] + weight_ns[low]
            for edge in range(low + 1, high):
                ns = times[source[edge]] + weight_ns[edge]
                if ns > latest_ns:
                    latest_ns = ns
            times[node] = latest_ns
            low = high
    return times


def deciding(first_edge: Int64Array, source: Int64Array, weight_ns: Int64Array, times: Int64Array) -> Int64Array:
    """Of one version, for each node the first of its edges that it waited for to the last; -1 without edges. Shape (nodes,)."""
    n_nodes = len(first_edge) - 1
    node = np.repeat(np.arange(n_nodes), np.diff(first_edge))
    decides: BoolArray = times[source] + weight_ns == times[node]
    edge = np.full(n_nodes, -1)
    places = np.flatnonzero(decides)[::-1]
    edge[node[places]] = places
    return edge
