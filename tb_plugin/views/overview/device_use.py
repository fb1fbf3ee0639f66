"""Per window: was the device busy, and if not, why; and how much of its communication was exposed. Means over devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.compute.coverage import by_priority, within
from tb_plugin.compute.intervals import intersect, union
from tb_plugin.trace.idle import USES, device_uses
from tb_plugin.trace.kinds import Kind
from tb_plugin.views.overview.breakdown import average
from tb_plugin.views.overview.result import Communication, DeviceUse

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Int64Array
    from tb_plugin.trace.model import Trace


def uses(trace: Trace, work: dict[int, Int64Array], t0_ns: Int64Array, t1_ns: Int64Array) -> Int64Array | None:
    """One row per window, a column for each of USES; a row sums to its window. None without device activity."""
    return _mean([device_uses(trace, rows, t0_ns, t1_ns) for rows in work.values()])


def communication(
    trace: Trace, work: dict[int, Int64Array], is_collective: BoolArray, t0_ns: Int64Array, t1_ns: Int64Array
) -> Int64Array | None:
    """One row per window: time of collective kernels without, and with, another kernel of the device at the same time."""
    return _mean([_communication(trace, rows, is_collective, t0_ns, t1_ns) for rows in work.values()])


def as_use(parts: Int64Array) -> DeviceUse:
    return DeviceUse(**dict(zip(USES, parts.tolist(), strict=True)))


def as_communication(parts: Int64Array) -> Communication:
    exposed, overlapped = parts.tolist()
    return Communication(exposed=exposed, overlapped=overlapped)


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
    return np.array([average(of_window) for of_window in windows]).reshape(of_devices[0].shape)
