"""Positions of many ranges, one after the other, without a Python loop.

ranges(first=[4, 9], n=[3, 2])  ->  [4, 5, 6, 9, 10]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from tb_plugin.base.units import Int64Array


def ranges(first: Int64Array, n: Int64Array) -> npt.NDArray[np.intp]:
    """`n[k]` positions from `first[k]` on, for each k."""
    total = int(n.sum())
    which: npt.NDArray[np.intp] = np.arange(total) + np.repeat(first - (np.cumsum(n) - n), n)
    return which
