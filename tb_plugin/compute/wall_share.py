"""Time that several share: an instant in which n of them run counts 1/n for each.

a  |----------|              a: 0 to 4 alone, 4 to 8 with b     4 + 2 = 6
b      |--------|            b: 4 to 8 with a, 8 to 10 alone    2 + 2 = 4
   0   4    8  10            all together: the 10 of their union

Only the time in a window may count: of [6, 9) a has 1 and b 2, of the 3 that their union has there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array, Int64Array
    from tb_plugin.compute.intervals import Merged


def wall_shares(start_ns: Int64Array, end_ns: Int64Array, window: Merged | None = None) -> Float64Array:
    """Of each interval [start, end), ns; of the time in the window where there is one."""
    edges = np.concatenate((start_ns, end_ns))
    if len(edges) == 0:
        return np.zeros(0)
    order = np.argsort(edges, kind="stable")
    left = edges[order]
    running = np.cumsum(np.where(order < len(start_ns), 1, -1))
    passed = left if window is None else _passed(window, left)
    per_piece = np.diff(passed, append=passed[-1]) / np.maximum(running, 1)
    before = np.concatenate(([0.0], np.cumsum(per_piece)))
    shares: Float64Array = before[np.searchsorted(left, end_ns)] - before[np.searchsorted(left, start_ns)]
    return shares


def _passed(window: Merged, times_ns: Int64Array) -> Int64Array:
    """How much of the window lies before each of these times, ns."""
    before = np.concatenate(([0], np.cumsum(window.end - window.start)))
    begun = np.searchsorted(window.start, times_ns, side="right")
    after_end = np.concatenate(([np.iinfo(np.int64).min], window.end))[begun]
    passed: Int64Array = before[begun] - np.where(begun > 0, np.maximum(after_end - times_ns, 0), 0)
    return passed
