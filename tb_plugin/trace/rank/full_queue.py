"""Launches that last because the device's queue is full: they return when it begins something, and are no work of the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.trace.kinds import DEVICE_KINDS, is_kind

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

_LONG_CALL_NS: Final = 50_000
_USUAL_CALL_NS: Final = 10_000
"""A launch takes so long by itself; one of five times that, while the device has work left, waits for room."""


class FullQueue(NamedTuple):
    """In the order in which they return."""

    call: Int64Array  # rows of launches
    blocked_ns: Int64Array


def full_queue(trace: Trace) -> FullQueue:
    """Calls that were long while something that an earlier one launched had yet to begin."""
    events = trace.events
    work = np.flatnonzero(is_kind(events.kind, DEVICE_KINDS))
    work = work[events.launch[work] != NONE]
    call, of_call = np.unique(events.launch[work], return_inverse=True)
    begins = np.full(len(call), np.iinfo(np.int64).min)
    np.maximum.at(begins, of_call, events.start_ns[work])
    by_end = np.argsort(events.end_ns[call], kind="stable")
    call, begins = call[by_end], begins[by_end]
    time = events.duration_ns(call)
    has_work = np.concatenate(([False], np.maximum.accumulate(begins)[:-1] > events.end_ns[call][1:]))[: len(call)]
    is_full = has_work & (time >= _LONG_CALL_NS)
    return FullQueue(call[is_full], time[is_full] - _USUAL_CALL_NS)
