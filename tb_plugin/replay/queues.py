"""The work of each stream in the order of its launches: what is ahead of a call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.replay.points import DeviceWork, HostCalls


class Queue:
    """Of the work [low, high), which is of one stream."""

    def __init__(self, calls: HostCalls, work: DeviceWork, low: int, high: int) -> None:
        there = np.arange(low, high)[work.call[low:high] != NONE]
        called = calls.start_ns[work.call[there]]
        in_order = np.argsort(called, kind="stable")
        self.track = int(work.track[low])
        self._called = called[in_order]
        self._work = np.append(there[in_order], NONE)  # what is before all falls on the last

    def last_before(self, time_ns: Int64Array) -> Int64Array:
        """The place of the last work that was launched before each of these times, or NONE."""
        found: Int64Array = self._work[np.searchsorted(self._called, time_ns) - 1]
        return found


def queues(calls: HostCalls, work: DeviceWork) -> list[Queue]:
    """One of each stream."""
    return [Queue(calls, work, low, high) for low, high in work.streams()]
