"""A step curve of any length as few points, drawn alike: of each stretch of time the first, lowest, highest and last value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.compute.distinct import distinct
from tb_plugin.trace.memory.peaks import value_before
from tb_plugin.views.memory.result import MemoryCurve

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.memory.series import Series

_PER_BUCKET: Final = 4  # first, lowest, highest, last
_MOST_POINTS: Final = 10_000


def curve(series: Series, t0_ns: int, t1_ns: int, points: int) -> MemoryCurve:
    """The curve over [t0_ns, t1_ns): starts with the value that holds at `t0_ns`, ends with the one that holds at `t1_ns`."""
    first, end = np.searchsorted(series.time_ns, (t0_ns, t1_ns)).tolist()
    reserved = series.reserved
    inside = np.arange(first, end)
    points = min(max(points, 1), _MOST_POINTS)
    if len(inside) > _PER_BUCKET * points:
        bucket = (series.time_ns[inside] - t0_ns) * points // (t1_ns - t0_ns)
        lines = [series.allocated] if reserved is None else [series.allocated, reserved]
        inside = distinct(np.concatenate([inside[extremes(bucket, line[inside])] for line in lines]))
    at_start = value_before(series, first)
    at_end = value_before(series, end)
    shown = None
    if reserved is not None:
        shown = [at_start[1], *reserved[inside].tolist(), at_end[1]]
    return MemoryCurve(
        time_ns=[t0_ns, *series.time_ns[inside].tolist(), t1_ns],
        allocated_bytes=[at_start[0], *series.allocated[inside].tolist(), at_end[0]],
        reserved_bytes=shown,
    )


def extremes(bucket: Int64Array, value: Int64Array) -> Int64Array:
    """Positions of the first, lowest, highest and last value of each bucket (ascending numbers); of equal ones the earliest."""
    first = np.flatnonzero(np.concatenate(([True], bucket[1:] != bucket[:-1])))
    last = np.append(first[1:] - 1, len(bucket) - 1)
    low = np.lexsort((value, bucket))[first]
    high = np.lexsort((-value, bucket))[first]
    return distinct(np.concatenate((first, last, low, high)))
