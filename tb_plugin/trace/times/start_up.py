"""Calls with which a process starts to use a device: they come once, take long, and say nothing about the work.

Creating the context, the first cudaFree and cudaMalloc, loading a library's kernels at their first launch; and the first copy
or wait, where it waits for what was launched before the recording.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.grouping import group_by, median_by
from tb_plugin.compute.intervals import length_within, union
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.kinds import DEVICE_KINDS, LAUNCH_KINDS, is_kind
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.times.idle import WAITS

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

_LONG_NS: Final = 100_000_000
_TIMES_USUAL: Final = 20
_BESIDE: Final = 0.1
"""Of the call: in which the device works meanwhile, it waits for a full queue or for the device itself."""

_WAITS_TOO: Final = re.compile(r"(?i)mem(cpy|set)|synchronize|wait|query|graphlaunch")
"""Samples: `hipMemcpyWithStream`, `cudaGraphLaunch`."""


def start_up_calls(trace: Trace) -> Int64Array:
    """Rows of calls of 100 ms and more before most launches, 20 times as long as is usual for their name, beside an idle device.

    Of a recording with steps none: what came before the steps counts nowhere.
    """
    calls = _long_calls(trace)
    rows: Int64Array = calls[~_waits(trace, calls)]
    return rows


def first_waits(trace: Trace) -> Int64Array:
    """The same of copies and waits: they wait for what is not in the file, such as work from before the recording."""
    calls = _long_calls(trace)
    rows: Int64Array = calls[_waits(trace, calls)]
    return rows


def last_of_start_up(trace: Trace) -> int:
    """The row of the one of all these that ends last, with whose end the work begins; NONE without any."""
    rows = _long_calls(trace)
    return int(rows[trace.events.end_ns[rows].argmax()]) if len(rows) else NONE


@once_per_trace
def _long_calls(trace: Trace) -> Int64Array:
    events = trace.events
    calls = np.flatnonzero(is_kind(events.kind, LAUNCH_KINDS))
    duration_ns = events.duration_ns(calls)
    if len(trace.steps) or not (duration_ns >= _LONG_NS).any():
        return calls[:0]
    names = group_by(events.name_id[calls])
    n_calls = np.bincount(names.of)
    usual_ns = np.where(n_calls > 1, median_by(names, duration_ns.astype(np.float64)), 0)[names.of]
    is_early = events.start_ns[calls] <= np.median(events.start_ns[calls])
    calls = calls[(duration_ns >= _LONG_NS) & (duration_ns >= _TIMES_USUAL * usual_ns) & is_early]
    start_ns, end_ns = events.start_ns[calls], events.end_ns[calls]
    work = np.flatnonzero(is_kind(events.kind, DEVICE_KINDS))
    busy = union(events.start_ns[work], events.end_ns[work])
    rows: Int64Array = calls[length_within(busy, start_ns, end_ns) <= _BESIDE * (end_ns - start_ns)]
    return rows


def _waits(trace: Trace, calls: Int64Array) -> BoolArray:
    """Copies end when the work before them does."""
    return rows_named(trace, calls, lambda name: name in WAITS or _WAITS_TOO.search(name) is not None)
