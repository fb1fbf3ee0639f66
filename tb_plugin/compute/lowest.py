"""Of many intervals with a number each: the lowest number of those that are open, at each instant.

intervals   1: |-----|      3:    |---|             left    0  5  7
               0     5            3   7             lowest  1  3  none
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array


def lowest_open(start_ns: Int64Array, end_ns: Int64Array, number: Int64Array, none: int) -> tuple[Int64Array, Int64Array]:
    """(left, lowest): time cut at every edge; piece i is [left[i], left[i + 1]), the last one has no end.

    `none`, which is above every number, is where nothing is open. Intervals with end <= start are never open.

    An interval of several pieces is two runs of 2^k pieces, which may overlap; from the longest on, each run hands its number to
    its two halves. So n intervals take n log n, however they overlap.
    """
    filled = np.flatnonzero(end_ns > start_ns)
    filled = filled[np.argsort(start_ns[filled], kind="stable")]
    start_ns, end_ns, number = start_ns[filled], end_ns[filled], number[filled]
    if (start_ns[1:] >= end_ns[:-1]).all():
        return _one_at_a_time(start_ns, end_ns, number, none)
    edges = np.sort(np.concatenate((start_ns, end_ns)), kind="stable")
    left = edges[np.append(edges[1:] != edges[:-1], True)[: len(edges)]]
    lowest = np.full(len(left), none, np.int64)
    first, behind = np.searchsorted(left, start_ns), np.searchsorted(left, end_ns)
    doublings = np.frexp(behind - first)[1] - 1
    for k in range(int(doublings.max(initial=-1)), -1, -1):
        half = 1 << k
        whole = lowest
        lowest = whole.copy()
        np.minimum(lowest[half:], whole[:-half], out=lowest[half:])
        these = doublings == k
        np.minimum.at(lowest, first[these], number[these])
        np.minimum.at(lowest, behind[these] - half, number[these])
    return left, lowest


def _one_at_a_time(start_ns: Int64Array, end_ns: Int64Array, number: Int64Array, none: int) -> tuple[Int64Array, Int64Array]:
    """The same of intervals in order that do not overlap, as those of one stream: each is a piece, and so is each gap."""
    edges = np.stack((start_ns, end_ns), axis=1).reshape(-1)
    lowest = np.stack((number, np.full(len(number), none, np.int64)), axis=1).reshape(-1)
    counts = np.append(edges[1:] != edges[:-1], True)[: len(edges)]  # where one ends and the next begins, the next
    return edges[counts], lowest[counts]
