"""How often a rank's host waited for its device in each step, by call, and how long the device then had nothing to do.

host    |aten::item           |  Python  |launch|        count 1, total 30
host       |cudaStreamSynchronize|                       count 1, total 26: calls within each other count each
device  ..work|             gap                 |work    idle 55 of both: it began while the host was in them
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import numbered
from tb_plugin.compute.grouping import count_by, group_by, sum_by
from tb_plugin.trace.rank.pause_events import LEAST_NS, MOST_NAME, device_waits

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.compute.intervals import Merged
    from tb_plugin.trace.model import Trace

DEVICE_WAITS: Final = ("step", "name", "count", "total", "idle")


class DeviceWaits(NamedTuple):
    """The columns of DEVICE_WAITS, ns, and the texts of `name`: the call, of the launch of a copy the copy."""

    columns: dict[str, Int64Array]
    names: list[str]


def device_waits_of_steps(trace: Trace, active: Merged) -> DeviceWaits:
    """`active`: when anything ran on the device."""
    events, waits = trace.events, device_waits(trace)
    of_step = events.step[waits.call] != NONE
    call, named = waits.call[of_step], events.name_id[waits.named[of_step]]
    groups = group_by(events.step[call], named)
    names, name = numbered(named[groups.first])
    columns = {
        "step": trace.steps.number[events.step[call][groups.first]],
        "name": name.astype(np.int64).reshape(-1),
        "count": count_by(groups),
        "total": sum_by(groups, events.duration_ns(call)),
        "idle": sum_by(groups, _idle_after(active, events.start_ns[call], events.end_ns[call])),
    }
    return DeviceWaits(columns, [trace.text(name_id)[:MOST_NAME] for name_id in names.tolist()])


def _idle_after(active: Merged, start: Int64Array, end: Int64Array) -> Int64Array:
    """Of each call how long the gap is that began in it and is not over as it ends; the device's clock is off by microseconds."""
    begins, ends = active.end[:-1], active.start[1:]
    gap = np.searchsorted(begins, end + LEAST_NS, side="right") - 1
    if len(begins) == 0:
        return np.zeros(len(start), np.int64)
    follows = (gap >= 0) & (begins[gap] >= start) & (ends[gap] >= end)
    return np.where(follows, ends[gap] - begins[gap], 0)
