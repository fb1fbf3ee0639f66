"""The work of each stream in the order of its launches: what is ahead of a call."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE

if TYPE_CHECKING:
    from tb_plugin.replay.points import DeviceWork, HostCalls


class Queue:
    """Of the work [low, high), which is of one stream."""

    def __init__(self, calls: HostCalls, work: DeviceWork, low: int, high: int) -> None:
        there = np.arange(low, high)[work.call[low:high] != NONE]
        called = calls.start_ns[work.call[there]]
        in_order = np.argsort(called, kind="stable")
        self.track = int(work.track[low])
        self._called: list[int] = called[in_order].tolist()
        self._work: list[int] = there[in_order].tolist()

    def last_before(self, time_ns: int) -> int:
        """The place of the last work that was launched before this time, or NONE."""
        place = bisect_left(self._called, time_ns) - 1
        return self._work[place] if place >= 0 else NONE


def queues(calls: HostCalls, work: DeviceWork) -> list[Queue]:
    """One of each stream."""
    return [Queue(calls, work, low, high) for low, high in work.streams()]
