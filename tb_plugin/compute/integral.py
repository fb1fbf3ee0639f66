"""The integral of what runs: of many intervals with a weight each, the sum of those that run, over windows of time.

weights    0.5: |-------|      0.8:     |-------|          running   0.5  1.3  0.8  0
                0       6               4       8                    0    4    6    8
integral(..., t0_ns=[0], t1_ns=[8])            ->  0.5*4 + 1.3*2 + 0.8*2 = 6.2
integral(..., t0_ns=[0], t1_ns=[8], most=1.0)  ->  0.5*4 + 1.0*2 + 0.8*2 = 5.6
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array, Int64Array


def integral(
    start_ns: Int64Array,
    end_ns: Int64Array,
    weight: Float64Array,
    t0_ns: Int64Array,
    t1_ns: Int64Array,
    most: float = np.inf,
) -> Float64Array:
    """Weight x ns in each window [t0_ns, t1_ns); at each instant the weights that run are summed, but to no more than `most`.

    Weights are finite and not negative; intervals with end <= start count nothing.
    """
    filled = end_ns > start_ns
    if not filled.any():
        return np.zeros(len(t0_ns), np.float64)
    edges = np.concatenate((start_ns[filled], end_ns[filled]))
    order = np.argsort(edges, kind="stable")
    edges = edges[order]
    change = np.concatenate((weight[filled], -weight[filled]))[order]
    # What rounding leaves after the last end is no weight.
    running = np.clip(np.cumsum(change), 0.0, most)
    area = np.concatenate(([0.0], np.cumsum(running[:-1] * np.diff(edges))))
    # Between two edges the area grows evenly, so a straight line between them is exact.
    since = edges[0]
    at = (edges - since).astype(np.float64)
    upto: Float64Array = np.interp(t1_ns - since, at, area) - np.interp(t0_ns - since, at, area)
    return upto
