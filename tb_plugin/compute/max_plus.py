"""Times that follow from others: each node begins when the last of those that it waits for allows it.

value(n) = own(n) + max over edges (value(source) + lag)        own(n) for a node without edges
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.compute.distinct import distinct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Float64Array, Int64Array


def layers(n_nodes: int, source: Int64Array, target: Int64Array) -> list[Int64Array] | None:
    """Edges in groups, so that all that lead into a node come before any that leave it; None where edges make a circle."""
    waiting = np.bincount(target, minlength=n_nodes)
    order = np.argsort(source, kind="stable")
    begin = np.searchsorted(source[order], np.arange(n_nodes + 1))
    ready = np.flatnonzero(waiting == 0)
    depth = np.zeros(n_nodes, np.int64)
    n_done, level = 0, 0
    while len(ready):
        n_done += len(ready)
        depth[ready] = level
        level += 1
        count = begin[ready + 1] - begin[ready]
        place = np.repeat(begin[ready] - np.cumsum(count) + count, count) + np.arange(int(count.sum()))
        reached = target[order[place]]
        np.subtract.at(waiting, reached, 1)
        ready = distinct(reached[waiting[reached] == 0])
    if n_done < n_nodes:
        return None
    by_depth = np.argsort(depth[target], kind="stable")
    cuts = np.flatnonzero(np.diff(depth[target][by_depth])) + 1
    return np.split(by_depth, cuts)


def values(
    groups: Sequence[Int64Array], source: Int64Array, target: Int64Array, lag: Float64Array, own: Float64Array
) -> Float64Array:
    """Of each node, by `layers`' groups."""
    result: Float64Array = own.copy()
    reached = np.full(len(own), -np.inf)
    for edges in groups:
        np.maximum.at(reached, target[edges], result[source[edges]] + lag[edges])
        nodes = target[edges]
        result[nodes] = own[nodes] + reached[nodes]
    return result
