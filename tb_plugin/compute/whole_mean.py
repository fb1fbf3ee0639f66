"""The mean of whole numbers, in whole numbers, whose parts still add up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array


def whole_mean(rows: Int64Array) -> Int64Array:
    """Mean of whole nanoseconds per column, rounded so that the parts still sum to the rounded mean of the sums."""
    n_rows = len(rows)
    total: Int64Array = rows.sum(axis=0)
    mean: Int64Array = total // n_rows
    left = (int(total.sum()) + n_rows // 2) // n_rows - int(mean.sum())
    mean[np.argsort(-(total % n_rows), kind="stable")[:left]] += 1
    return mean
