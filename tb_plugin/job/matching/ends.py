"""What ranks did together ends together on all of them, whatever their clocks differ by: the one rule of when ends do.

    d(i) = end on the one - end on the other = offset + drift * t(i) + rest(i)

    the ends are together   where the rest is at most 30 us in nine of ten or more
    offset                  the median; as large as it likes, and the same each time
    drift                   by the medians of the earlier and the later half, 100 ppm at most: no clock is further off

On a machine ends of one collective lie 1 to 7 us apart, over 64 ranks 25 us. Of two ends there is always one offset: three say
something.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array

JITTER_NS: Final = 30_000
MOST: Final = 0.9
ENOUGH: Final = 3
_DRIFT: Final = 1e-4


class Apart(NamedTuple):
    """Of each of several ranks against another one. `rest`: [rank, collective], NaN where either has none."""

    rest: Float64Array
    middle: int  # on the other's clock: when the clocks differ by `offset`
    offset: Int64Array
    drift: Float64Array

    def at(self, rank: int, end: Int64Array) -> Int64Array:
        """What this rank's clock is ahead by at these times of the other's."""
        found: Int64Array = self.offset[rank] + np.rint(self.drift[rank] * (end - self.middle)).astype(np.int64)
        return found


def apart(end: Int64Array, others: Int64Array, both: BoolArray) -> Apart:
    """`end`: of each collective in the order of time; `others`, `both`: [rank, collective], and where both have an end."""
    middle = int(end[len(end) // 2])
    first = np.argmax(both, axis=1)
    rows = np.arange(len(others))
    base = others[rows, first] - end[first]  # clocks may be years apart: whole numbers, until that is taken off
    rest = np.where(both, others - end - base[:, None], np.nan).astype(np.float64)
    at = np.where(both, end - middle, np.nan).astype(np.float64)
    half = len(end) // 2
    lasted = _medians(at[:, half:]) - _medians(at[:, :half])
    drift = (_medians(rest[:, half:]) - _medians(rest[:, :half])) / np.where(lasted > 0, lasted, np.nan)
    drift = np.clip(np.nan_to_num(drift), -_DRIFT, _DRIFT)
    rest -= drift[:, None] * at
    offset = np.nan_to_num(_medians(rest))
    rest -= offset[:, None]
    return Apart(rest, middle, base + np.rint(offset).astype(np.int64), drift)


def _medians(values: Float64Array) -> Float64Array:
    """Of each row; NaN of a row that has none."""
    ordered = np.sort(values, axis=1)  # NaN is last
    n = np.count_nonzero(~np.isnan(ordered), axis=1)
    if values.shape[1] == 0:
        return np.full(len(values), np.nan)
    rows, last = np.arange(len(values)), np.maximum(n - 1, 0)
    low, high = ordered[rows, last // 2], ordered[rows, (last + 1) // 2]
    return np.where(n > 0, (low + high) / 2, np.nan)
