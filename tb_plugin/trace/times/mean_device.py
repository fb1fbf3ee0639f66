"""Means over devices: were they busy, and if not, why; how much of their communication was exposed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.compute.coverage import by_priority, within
from tb_plugin.compute.intervals import intersect, union
from tb_plugin.compute.whole_mean import whole_mean
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.times.idle import device_uses

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Int64Array
    from tb_plugin.trace.model import Trace


def mean_uses(trace: Trace, work: dict[int, Int64Array], t0_ns: Int64Array, t1_ns: Int64Array) -> Int64Array | None:
    """One row per window, a column for each of USES; a row sums to its window. None without device activity."""
    return _mean([device_uses(trace, rows, t0_ns, t1_ns) for rows in work.values()])


def mean_communication(
    trace: Trace, work: dict[int, Int64Array], is_collective: BoolArray, t0_ns: Int64Array, t1_ns: Int64Array
) -> Int64Array | None:
    """One row per window: time of collective kernels without, and with, another kernel of the device at the same time."""
    return _mean([_communication(trace, rows, is_collective, t0_ns, t1_ns) for rows in work.values()])


def _communication(trace: Trace, rows: Int64Array, is_collective: BoolArray, t0_ns: Int64Array, t1_ns: Int64Array) -> Int64Array:
    events = trace.events
    collective = rows[is_collective[rows]]
    if len(collective) == 0:
        return np.zeros((len(t0_ns), 2), np.int64)
    other = rows[(events.kind[rows] == Kind.KERNEL) & ~is_collective[rows]]
    of_collectives = union(events.start_ns[collective], events.end_ns[collective])
    overlap = intersect(of_collectives, union(events.start_ns[other], events.end_ns[other]))
    return within(by_priority([overlap, of_collectives]), t0_ns, t1_ns)[:, ::-1]


def _mean(of_devices: list[Int64Array]) -> Int64Array | None:
    """Over devices, rounded so that rows which have the same sum on each device keep it."""
    if len(of_devices) <= 1:
        return of_devices[0] if of_devices else None
    windows = np.stack(of_devices, axis=1)
    return np.array([whole_mean(of_window) for of_window in windows]).reshape(of_devices[0].shape)
