"""Rows that lie in one before them of the same group: of a function that calls itself the inner calls.

a |-------------------|      total of a, each instant once: its outer call alone
a    |------|  |---|         these two lie in it
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from tb_plugin.base.units import BoolArray, Int64Array

_LARGEST: Final = 1 << 62


def within_alike(group: npt.NDArray[np.integer], end: Int64Array) -> BoolArray:
    """Of each row: one before it in its group ends no sooner. Rows of a group stand in the order in which they begin, the longer
    of two first, and lie in each other or apart; groups are numbers from 0 on.
    """
    order = np.argsort(group, kind="stable")
    mine, until = group[order].astype(np.int64), end[order]
    if len(order) == 0 or not (same := mine[1:] == mine[:-1]).any():
        return np.zeros(len(group), np.bool_)
    low = int(until.min())
    width = int(until.max()) - low + 1
    if width * (int(mine[-1]) + 1) >= _LARGEST:  # days of many groups: by the order of ends
        ends, until = np.unique(until, return_inverse=True)
        low, width = 0, len(ends)
    reach = np.maximum.accumulate(mine * width + (until - low)) - mine * width + low
    inside = np.zeros(len(group), np.bool_)
    inside[order[1:]] = same & (until[1:] <= reach[:-1])
    return inside
