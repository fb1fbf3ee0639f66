"""Sums over EventList's tree, in torch's own order: the last bit of a float depends on it.

`numpy.bincount` adds its weights one after the other, as Python's `sum` and `+=` do; `ndarray.sum` adds pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array, Int32Array, Int64Array


def sum_of(values: Float64Array) -> float:
    """One after the other, from 0."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0


def children_sum(parent: Int32Array, values: npt.NDArray[np.generic]) -> Float64Array:
    """For each place the sum of `values` over its direct children, in their order."""
    child = parent >= 0
    return np.bincount(parent[child], weights=values[child], minlength=len(parent)).astype(np.float64, copy=False)


def children_sum_int(parent: Int32Array, values: Int64Array) -> Int64Array:
    """As `children_sum`, for bytes: exact at any size."""
    total = np.zeros(len(parent), np.int64)
    rows = np.flatnonzero((parent >= 0) & (values != 0))
    np.add.at(total, parent[rows], values[rows])
    return total


def with_descendants(own: Float64Array, parent: Int32Array) -> Float64Array:
    """Own value plus the totals of the children, the deepest first. Places without anything below or in them are not visited."""
    total: Float64Array = own.copy()
    visited = np.flatnonzero(own)
    levels = []
    depth = np.full(len(own), -1, np.int32)
    # A place is one level above its highest child: every child is summed before its parent.
    height = 0
    while len(visited):
        levels.append(visited)
        depth[visited] = height
        above = parent[visited]
        visited = np.unique(above[above >= 0])
        height += 1
    for level in range(len(levels)):
        rows = levels[level]
        rows = np.sort(rows[depth[rows] == level])
        if level:
            total[rows] = own[rows] + _sum_into(parent, total, rows, depth >= 0)
    return total


def _sum_into(
    parent: Int32Array, total: Float64Array, rows: npt.NDArray[np.integer], has_value: npt.NDArray[np.bool_]
) -> Float64Array:
    """The totals of the children of these rows."""
    wanted = np.zeros(len(parent), np.bool_)
    wanted[rows] = True
    children = np.flatnonzero(has_value & (parent >= 0) & wanted[parent])
    sums: Float64Array = np.bincount(parent[children], weights=total[children], minlength=len(parent))[rows]
    return sums
