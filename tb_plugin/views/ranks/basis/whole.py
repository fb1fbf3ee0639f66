"""Times as whole nanoseconds; None is "not recorded"."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.job.own.exposed import told

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array


def whole(value: float) -> int | None:
    return round(float(value)) if np.isfinite(value) else None


def all_whole(values: Float64Array) -> list[list[int | None]]:
    """`whole` of each, of thousands of rows at once."""
    found = np.full(values.shape, None, object)
    known = np.isfinite(values)
    found[known] = np.rint(values[known]).astype(np.int64)
    rows: list[list[int | None]] = found.tolist()
    return rows


def whole_told(time: float, untold: float) -> int | None:
    """Of a wait or transfer, and of what is not told apart beside it."""
    return whole(float(told(time, untold)))


def mean_of(values: Float64Array) -> float:
    """Of those that are known; NaN where none is."""
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else float("nan")


def mean_told(time: Float64Array, untold: Float64Array) -> float:
    """Of a wait or transfer, over steps."""
    return float(told(mean_of(time), mean_of(untold)))


def means_of(values: Float64Array) -> Float64Array:
    """`mean_of` of each row of [rank, step], of thousands at once."""
    known = np.isfinite(values)
    total, n = np.where(known, values, 0.0).sum(axis=1), known.sum(axis=1)
    means: Float64Array = np.where(n > 0, total / np.maximum(n, 1), np.nan)
    return means


def means_told(time: Float64Array, untold: Float64Array) -> Float64Array:
    """`mean_told` of each row."""
    return told(means_of(time), means_of(untold))
