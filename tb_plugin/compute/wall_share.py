"""Time that several share: an instant in which n of them run counts 1/n for each.

a  |----------|              a: 0 to 4 alone, 4 to 8 with b     4 + 2 = 6
b      |--------|            b: 4 to 8 with a, 8 to 10 alone    2 + 2 = 4
   0   4    8  10            all together: the 10 of their union
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array, Int64Array


def wall_shares(start_ns: Int64Array, end_ns: Int64Array) -> Float64Array:
    """Of each interval [start, end), ns."""
    edges = np.concatenate((start_ns, end_ns))
    if len(edges) == 0:
        return np.zeros(0)
    order = np.argsort(edges, kind="stable")
    left = edges[order]
    running = np.cumsum(np.where(order < len(start_ns), 1, -1))
    per_piece = np.diff(left, append=left[-1]) / np.maximum(running, 1)
    before = np.concatenate(([0.0], np.cumsum(per_piece)))
    shares: Float64Array = before[np.searchsorted(left, end_ns)] - before[np.searchsorted(left, start_ns)]
    return shares
