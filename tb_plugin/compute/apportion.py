"""Parts in whole numbers that add up to a whole number: by the largest remainders."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array, Int64Array

_AS_GOOD_AS_EQUAL = 3
"""Digits of a remainder that count: sums of floats differ in the seventh by the order in which they are made."""


def apportioned(parts: Float64Array, totals: Int64Array) -> Int64Array:
    """Columns of `parts` (rows x columns, none negative) as whole numbers that sum to `totals`, each less than 1 off.

    The sum of a column must be less than 1 off its total. Of equal remainders the first row is rounded up.
    """
    whole = np.floor(parts + 10.0**-_AS_GOOD_AS_EQUAL / 2)
    remainder = np.round(np.maximum(parts - whole, 0.0), _AS_GOOD_AS_EQUAL)
    left = totals - whole.sum(axis=0).astype(np.int64)
    rank = np.argsort(np.argsort(-remainder, axis=0, kind="stable"), axis=0)
    result = whole.astype(np.int64) + (rank < left[np.newaxis, :])
    short: Int64Array = np.minimum(left, 0)  # a sum that was rounded up once too often
    for column in np.flatnonzero(short).tolist():
        result[np.argsort(-result[:, column], kind="stable")[: -int(short[column])], column] -= 1
    found: Int64Array = result
    return found
