"""Launches that return late because their stream's queue is full: they return when the work so many launches before is done.

thread 1 | launch 0 | launch 1 | launch 2             | launch 3             a queue of two: launch 2 has no place
stream 7     | work 0                              | work 1                  before work 0 is done
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.replay.edges import NOTICED_NS, Edges, Why, edges, together, usual_ns

if TYPE_CHECKING:
    from tb_plugin.replay.points import DeviceWork, HostCalls

_SHORTEST: Final = 128
"""Launches that a queue holds at least; streams are known to hold about a thousand."""

_SEVERAL: Final = 16
"""Late launches, made while equally many were not done, from which the length of a queue is told."""

_FAR: Final = 3
"""A late launch takes so many times as long as one of a queue that is at most half full."""

_NEARLY: Final = 4
"""No launch was made while more than so many above the queue's length were not done."""

_SOON_NS: Final = 3 * NOTICED_NS
"""After there is a place the launch that waits for it returns within this, usually."""


class Places(NamedTuple):
    """What launches wait for a place, and how long each call (C) takes without that."""

    edges: Edges
    own_ns: Int64Array


def places(calls: HostCalls, work: DeviceWork, others: Int64Array) -> Places:
    """The length of each stream's queue is read from the file; a queue that is never full holds nothing up.

    `others`: calls that return for another reason, when their own copy or all work is done.
    """
    own_ns = calls.end_ns - calls.start_ns
    is_other = np.zeros(len(own_ns), np.bool_)
    is_other[others] = True
    found = []
    for low, high in work.streams():
        first = low + np.flatnonzero(work.is_first[low:high])
        queue = _Launches(calls, work, first, np.append(first[1:], high)[: len(first)])
        length = queue.length()
        if length == NONE:
            continue
        call, done = queue.call[length:], queue.done_ns[:-length]
        start, end = calls.start_ns[call], calls.end_ns[call]
        waited = (done > start) & (done <= end) & ~is_other[call]
        return_ns = usual_ns((end - done)[waited & (end - done < _SOON_NS)], 0)
        own_ns[call[waited]] = np.minimum(own_ns[call[waited]], queue.usual_ns)
        kept = (done <= end) & ~is_other[call]
        to_point, since = 2 * call[kept] + 1, queue.last[:-length][kept]
        found.append(
            together(
                edges(Why.OWN, 0, from_point=to_point - 1, to_point=to_point),
                edges(Why.PLACE, np.minimum(return_ns, (end - done)[kept]), from_work=since, to_point=to_point),
            )
        )
    none = np.zeros(0, np.int64)
    return Places(together(edges(Why.PLACE, 0, to_point=none), *found), own_ns)


class _Launches:
    """L launches of one stream, in the order in which it runs them: the work [first, following) is of one."""

    def __init__(self, calls: HostCalls, work: DeviceWork, first: Int64Array, following: Int64Array) -> None:
        self.call = work.call[first]
        self.last = following - 1
        self.done_ns: Int64Array = np.maximum.accumulate(work.end_ns[self.last])
        start = calls.start_ns[self.call]
        self._lasts_ns = calls.end_ns[self.call] - start
        self._ahead = np.arange(len(first)) - np.searchsorted(self.done_ns, start, side="right")  # launched before, not done
        half_full = self._ahead <= self._ahead.max(initial=0) // 2
        self.usual_ns = usual_ns(self._lasts_ns[half_full], 0)

    def length(self) -> int:
        """How many launches that are not done make the next one wait; NONE where that is never seen."""
        most = int(self._ahead.max(initial=0))
        late = self._ahead[self._is_late() & (self._ahead >= _SHORTEST)]
        if len(late) < _SEVERAL:
            return NONE
        counts = np.bincount(late)
        length = int(counts.argmax())
        if counts[length] < _SEVERAL or 2 * counts[length] < len(late) or most > length + _NEARLY:
            return NONE
        return length

    def _is_late(self) -> BoolArray:
        late: BoolArray = self._lasts_ns > max(_FAR * self.usual_ns, self.usual_ns + NOTICED_NS)
        return late
