"""When a rank's host waited for its device in each step, by call, and how long the device then had nothing to do.

host    launch|aten::item           |  Python  |launch|      launched 1, lasts 30
host          |cudaStreamSynchronize|                        launched 1, lasts 26: calls within each other have a row each
device  .....work|             gap                 |work    idle 55 of both: it began while the host was in them
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import numbered
from tb_plugin.trace.rank.pause_events import LEAST_NS, MOST_NAME, device_waits
from tb_plugin.trace.work.kernel_launches import kernel_launches

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.compute.intervals import Merged
    from tb_plugin.trace.model import Trace

DEVICE_WAITS: Final = ("step", "name", "lasts", "launched", "idle", "idle_at")


class DeviceWaits(NamedTuple):
    """The columns of DEVICE_WAITS, ns, a row a call by when it starts in each step, and the texts of `name`: the call, of the
    launch of a copy the copy. `launched`: calls that start kernels before it in the step; `idle_at`: when that begins.
    """

    columns: dict[str, Int64Array]
    names: list[str]


def device_waits_of_steps(trace: Trace, active: Merged) -> DeviceWaits:
    """`active`: when anything ran on the device."""
    events, waits = trace.events, device_waits(trace)
    of_step = np.flatnonzero(events.step[waits.call] != NONE)
    of_step = of_step[np.lexsort((events.start_ns[waits.call[of_step]], events.step[waits.call[of_step]]))]
    call = waits.call[of_step]
    names, name = numbered(events.name_id[waits.named[of_step]])
    start, end = events.start_ns[call], events.end_ns[call]
    idle_at, idle = _idle_after(active, start, end)
    columns = {
        "step": trace.steps.number[events.step[call]],
        "name": name.astype(np.int64).reshape(-1),
        "lasts": end - start,
        "launched": _launched_before(trace, call),
        "idle": idle,
        "idle_at": idle_at,
    }
    return DeviceWaits(columns, [trace.text(name_id)[:MOST_NAME] for name_id in names.tolist()])


def _launched_before(trace: Trace, call: Int64Array) -> Int64Array:
    events, launches = trace.events, kernel_launches(trace)
    both = np.concatenate((launches, call))
    order = np.lexsort((events.start_ns[both], events.step[both]))
    is_launch = order < len(launches)
    so_far, first = np.cumsum(is_launch), np.searchsorted(events.step[both[order]], events.step[call])
    launched: Int64Array = so_far[np.argsort(order)[len(launches) :]] - (so_far[first] - is_launch[first])
    return launched


def _idle_after(active: Merged, start: Int64Array, end: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Of each call (begin, length) of the gap that began in it and is not over as it ends, (0, 0) where there is none; the clock
    of the device is off by microseconds.
    """
    begins, ends = active.end[:-1], active.start[1:]
    if len(begins) == 0:
        return np.zeros(len(start), np.int64), np.zeros(len(start), np.int64)
    gap = np.searchsorted(begins, end + LEAST_NS, side="right") - 1
    follows = (gap >= 0) & (begins[gap] >= start) & (ends[gap] >= end)
    return np.where(follows, begins[gap], 0), np.where(follows, ends[gap] - begins[gap], 0)
