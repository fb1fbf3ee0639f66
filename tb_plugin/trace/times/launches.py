"""How long device work waited after it was launched, and how much work was ahead of it on its stream.

    thread 1 | call 0 starts K1 | call 5 starts K2 | call 12 starts K3
    stream 7 | K1 10-30 | K2 30-40 | K3 40-50
               delay 10   delay 25   delay 28
               queue 0    queue 1    queue 1 (K2: K1 had started)

The delay is from the start of the call to the start of the work. The queue is the work on the same stream that started
after the call and before this work: streams run in order, so all of it was ahead. A call that starts many kernels (a graph)
tells both only of the first: the others wait for each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.compute.distinct import distinct
from tb_plugin.trace.kinds import DEVICE_KINDS, is_kind

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


class Launches(NamedTuple):
    """Of some device rows, aligned with them; NONE where the launch is not in the file or started other work before."""

    delay_ns: Int64Array
    queue: Int64Array


def launches_of(trace: Trace, rows: Int64Array) -> Launches:
    """Delay and queue length of these rows of device work (ascending), counted over all work, whatever is selected."""
    events = trace.events
    work = np.flatnonzero(is_kind(events.kind, DEVICE_KINDS))
    launch, start, track = events.launch[work], events.start_ns[work], events.track[work]
    by_launch = np.lexsort((start, launch))
    is_first = np.zeros(len(work), np.bool_)
    is_first[by_launch] = np.diff(launch[by_launch], prepend=NONE - 1) != 0
    delay, queue = np.full(len(work), NONE, np.int64), np.full(len(work), NONE, np.int64)
    known = np.flatnonzero(is_first & (launch != NONE))
    called = events.start_ns[launch[known]]
    # Clocks of host and device agree to some microseconds: work does not start before it is asked for.
    delay[known] = np.maximum(start[known] - called, 0)
    # Rows of a track are together and by start, so the work ahead is a stretch of places.
    for each in distinct(track[known]).tolist():
        there = track[known] == each
        low, high = np.searchsorted(track, (each, each + 1))
        started = low + np.searchsorted(start[low:high], called[there], side="right")
        queue[known[there]] = np.maximum(known[there] - started, 0)
    place = np.searchsorted(work, rows)
    return Launches(delay[place], queue[place])
