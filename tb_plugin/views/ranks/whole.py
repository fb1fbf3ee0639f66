"""Times as whole nanoseconds; None is "not recorded"."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.job.exposed import told

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array


def whole(value: float) -> int | None:
    return round(float(value)) if np.isfinite(value) else None


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
