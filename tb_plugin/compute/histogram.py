"""How values spread: counts in bins whose edges rise by about the same factor, at round numbers.

log_histogram([900, 950, 2_100_000])  ->  edges [500, 1_000, 2_000, 5_000, ... 2_000_000, 5_000_000], counts [2, 0, ... 1]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array

_SERIES: Final = (
    (1.0, 1.1, 1.2, 1.3, 1.4, 1.6, 1.8, 2.0, 2.2, 2.5, 2.8, 3.2, 3.6, 4.0, 4.5, 5.0, 5.6, 6.3, 7.1, 8.0, 9.0),
    (1.0, 1.25, 1.6, 2.0, 2.5, 3.2, 4.0, 5.0, 6.3, 8.0),
    (1.0, 2.0, 5.0),
    (1.0,),
)
"""Preferred numbers of a decade, finest first."""

_LAST_MARK = 9.2e18
_MOST_BINS: Final = 30


class Histogram(NamedTuple):
    """Bin i holds the values in [edges[i], edges[i + 1]); one edge more than bins. No values: no bins."""

    edges: Int64Array
    counts: Int64Array
    totals: Int64Array  # sum of the values in each bin


def log_histogram(values: Int64Array) -> Histogram:
    """At most 30 bins over values of 0 or more, the finest series that needs no more. Zeros are in the first bin.

    Raises ValueError for a negative value.
    """
    if len(values) == 0:
        none = np.empty(0, np.int64)
        return Histogram(none, none, none)
    if int(values.min()) < 0:
        raise ValueError("a negative value has no place in a logarithmic histogram")
    edges = next(found for found in (_edges(values, series) for series in _SERIES) if len(found) - 1 <= _MOST_BINS)
    place = np.searchsorted(edges, values, side="right") - 1
    n_bins = len(edges) - 1
    count = np.bincount(place, minlength=n_bins).astype(np.int64)
    return Histogram(edges, count, np.bincount(place, weights=values, minlength=n_bins).astype(np.int64))


def _edges(values: Int64Array, series: tuple[float, ...]) -> Int64Array:
    """Whole numbers from the last of the series that is not above the least value to the first above the largest."""
    least, most = max(int(values.min()), 1), max(int(values.max()), 1)
    decades = range(len(str(least)) - 1, len(str(most)) + 1)
    # The last mark of all lies above every int64 but the largest few, and is one itself.
    marks = np.unique(np.round(np.minimum(np.outer(10.0 ** np.array(decades), series), _LAST_MARK)).astype(np.int64))
    low = int(np.searchsorted(marks, least, side="right")) - 1
    high = int(np.searchsorted(marks, most, side="right"))
    edges = marks[low : high + 1]
    if int(values.min()) == 0 and edges[0] > 0:
        edges = np.concatenate(([0], edges[1:] if edges[0] == 1 else edges))
    return edges
