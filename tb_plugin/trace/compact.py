"""Columns in little memory: what was not recorded takes none, and numbers that are small take fewer bytes."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
import numpy.typing as npt

Column = npt.NDArray[Any]


def compact(values: Column, missing: float, least: np.dtype[Any] | None) -> Column:
    """The same values, read-only. `least`: a narrower integer type, taken where all values lie in the inner half of its range.

    The half is room to count with: a sum or difference of two values fits too.
    """
    if is_missing(values, missing):
        return nothing(values.shape, values.dtype, missing)
    if least is not None and values.dtype != least:
        most = np.iinfo(least).max // 2
        if -most <= int(values.min()) and int(values.max()) <= most:
            values = values.astype(least)
    values.flags.writeable = False
    return values


def nothing(shape: tuple[int, ...], dtype: np.dtype[Any], missing: float) -> Column:
    """A read-only column that says "not recorded" in every row. It takes no memory."""
    return np.broadcast_to(np.array(missing, dtype), shape)


def is_missing(values: Column, missing: float) -> bool:
    """Whether no row has a value."""
    return bool(np.isnan(values).all() if missing != missing else (values == missing).all())


def n_bytes(values: Column) -> int:
    """What a column takes: nothing where all rows are one place in memory."""
    return 0 if values.ndim and not any(values.strides) else values.nbytes


def is_mapped(values: Column | bytes | memoryview) -> bool:
    """Whether it lies in a file, and in memory only while the system has room for it."""
    base: Any = values
    while isinstance(base, np.ndarray | memoryview):
        base = base.obj if isinstance(base, memoryview) else base.base
    return isinstance(base, mmap.mmap)
