"""Numbers of a file to columns: what a column cannot hold was not recorded."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Float64Array, Int64Array

_LEAST = -(1 << 63)
_LARGEST_FLOAT = 9.2e18


def int64_column(values: Sequence[int]) -> Int64Array:
    """int64 from Python ints; unsigned 64-bit values wrap: 2**64 - 1 is -1 as its writer meant it. Larger ones are NONE."""
    column = np.empty(len(values), np.int64)
    try:
        struct.pack_into(f"{len(values)}q", column.data, 0, *values)  # half the time of NumPy, which asks each what it is
    except struct.error:
        column[:] = [_wrapped(value) for value in values]
    return column


def float64_column(values: Sequence[float]) -> Float64Array:
    column = np.empty(len(values), np.float64)
    struct.pack_into(f"{len(values)}d", column.data, 0, *values)
    return column


def whole(value: object) -> int:
    """The integer of a number or its text, NONE where it is none or 64 bits do not hold it."""
    if isinstance(value, int):
        return _wrapped(value)
    as_number = number(value)
    return int(as_number) if abs(as_number) < _LARGEST_FLOAT else NONE


def number(value: object) -> float:
    """A float from a number or its text; NaN from anything else."""
    if isinstance(value, (int, float, str)):
        try:
            return float(value)
        except (ValueError, OverflowError):
            pass
    return math.nan


def _wrapped(value: int) -> int:
    if not _LEAST <= value < 2 * -_LEAST:
        return NONE
    return value if value < -_LEAST else value + 2 * _LEAST
