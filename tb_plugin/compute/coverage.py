"""Which of several sets of time comes first at each instant, and how much of many windows each gets.

    sets    0: |---|        1: |-----|            pieces   left      0  3  6  9
               0   3               0     6   9             category  0  1  n  ...   (n = none of the n sets)

One sort of all edges serves all sets and all windows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tb_plugin.compute.intervals import Merged, union

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Int64Array, IntArray


class Pieces(NamedTuple):
    """Time cut at every edge: piece i is [left[i], left[i + 1]). Nothing is active before the first and from the last on."""

    left: Int64Array
    category: IntArray
    n_categories: int


def by_priority(sets: Sequence[Merged]) -> Pieces:
    """At each instant the first set that covers it, else len(sets)."""
    edges = [edge for one in sets for edge in (one.start, one.end)]
    times = np.concatenate(edges) if edges else np.zeros(0, np.int64)
    order = np.argsort(times, kind="stable")
    # Set i opens and closes bit i: it is merged, so at most one of its intervals is open, and a sum of bits is a mask.
    bits = np.repeat([sign << i for i in range(len(sets)) for sign in (1, -1)], [len(edge) for edge in edges])
    mask = np.cumsum(bits[order]) if len(order) else np.zeros(0, np.int64)
    first = np.array([_lowest_bit(m, len(sets)) for m in range(1 << len(sets))], np.int8)  # some are kept with the trace
    return Pieces(times[order], first[mask], len(sets))


def within(pieces: Pieces, t0_ns: Int64Array, t1_ns: Int64Array) -> Int64Array:
    """Time of each category (columns) inside each window [t0_ns, t1_ns) (rows), ns. Windows may overlap; t0_ns <= t1_ns."""
    result = np.zeros((len(t0_ns), pieces.n_categories), np.int64)
    if len(pieces.left) == 0:
        return result
    length = np.diff(pieces.left, append=pieces.left[-1])
    asked = np.concatenate((t0_ns, t1_ns))
    place = np.searchsorted(pieces.left, asked, side="right") - 1
    begun = place >= 0
    into_piece = np.where(begun, asked - pieces.left[place], 0)
    for category in range(pieces.n_categories):
        is_active = pieces.category == category
        before = np.concatenate(([0], np.cumsum(np.where(is_active, length, 0))))
        covered = before[np.maximum(place, 0)] + np.where(begun & is_active[place], into_piece, 0)
        result[:, category] = covered[len(t0_ns) :] - covered[: len(t0_ns)]
    return result


def times_of(pieces: Pieces, category: int) -> Merged:
    """When this category was active."""
    is_active = pieces.category[:-1] == category
    return union(pieces.left[:-1][is_active], pieces.left[1:][is_active])


def _lowest_bit(mask: int, none: int) -> int:
    return (mask & -mask).bit_length() - 1 if mask else none
