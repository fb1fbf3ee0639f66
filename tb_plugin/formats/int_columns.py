"""Integers of a file to int64 columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array


def int64_column(values: list[int]) -> Int64Array:
    """int64 from Python ints; unsigned 64-bit values wrap, so that 2**64 - 1 is -1 as its writer meant it."""
    try:
        return np.array(values, np.int64)
    except OverflowError:
        return np.array([v & 0xFFFF_FFFF_FFFF_FFFF for v in values], np.uint64).view(np.int64)
