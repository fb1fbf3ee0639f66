"""How much memory each rank held at most in each step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.compute.distinct import is_among

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array
    from tb_plugin.job.job import Job
    from tb_plugin.job.own.own_time import OwnTime


def peaks_of(job: Job, own: OwnTime) -> Float64Array:
    """[rank, step], bytes; NaN where no memory was recorded, or the rank has no such step."""
    peaks = np.full(own.step.shape, np.nan)
    for place, rank in enumerate(job.of.ranks):
        if rank.memory is not None:
            numbers = rank.steps["number"]
            kept = np.flatnonzero(is_among(numbers, own.number))
            peaks[place, np.searchsorted(own.number, numbers[kept])] = rank.memory["allocated"][kept]
    return np.where(np.isfinite(own.step), peaks, np.nan)
