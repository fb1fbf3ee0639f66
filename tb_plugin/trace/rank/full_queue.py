"""Launches that last because the device's queue is full: they return when it begins something, and are no work of the host.

The queue has room for about a thousand, of kernels with many arguments for fewer: a call is held up by it where it takes long and
half as many stand in it as at most in the recording, and where it takes a few times the usual and hundreds do. A host that is
slow to launch has many there too where its device waits for a slower rank: its calls take as long where few stand in the queue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.trace.kinds import DEVICE_KINDS, is_kind

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

_LONG_CALL_NS: Final = 50_000
_USUAL_CALL_NS: Final = 10_000
"""A launch takes no longer by itself; one of five times that, while the device has work left, waits for room."""

_FEWEST: Final = 25
"""That a full queue holds."""

_OF_MOST: Final = 0.5
_MANY: Final = 500
_LONGER: Final = 2.0
"""Behind so many, a call of as many times the usual does, too."""


class FullQueue(NamedTuple):
    """In the order in which they return."""

    call: Int64Array  # rows of launches
    blocked_ns: Int64Array

    def but(self, calls: Int64Array) -> FullQueue:
        """Without these: what they waited for is known."""
        kept = ~np.isin(self.call, calls)
        return FullQueue(self.call[kept], self.blocked_ns[kept])


def full_queue(trace: Trace) -> FullQueue:
    """Calls that were long while something that an earlier one launched had yet to begin."""
    events = trace.events
    work = np.flatnonzero(is_kind(events.kind, DEVICE_KINDS))
    began = np.sort(events.start_ns[work])
    n_before = int((events.launch[work] == NONE).sum())  # at most so many stood in the queue from before the recording
    work = work[events.launch[work] != NONE]
    call, of_call = np.unique(events.launch[work], return_inverse=True)
    begins = np.full(len(call), np.iinfo(np.int64).min)
    np.maximum.at(begins, of_call, events.start_ns[work])
    by_end = np.argsort(events.end_ns[call], kind="stable")
    launched = np.cumsum(np.bincount(of_call, minlength=len(call))[by_end])
    call, begins = call[by_end], begins[by_end]
    time, ended = events.duration_ns(call), events.end_ns[call]
    has_work = np.concatenate(([False], np.maximum.accumulate(begins)[:-1] > ended[1:]))[: len(call)]
    waiting = n_before + launched - np.searchsorted(began, ended, side="right")
    is_deep = has_work & (waiting >= _MANY)
    alone = time[~is_deep]
    usual = min(float(np.median(alone)), _USUAL_CALL_NS) if len(alone) else _USUAL_CALL_NS
    is_nearly_full = has_work & (waiting >= max(_FEWEST, _OF_MOST * waiting.max(initial=0)))
    at_once = time[~has_work | (waiting < _FEWEST)]
    usual = max(usual, float(np.median(at_once)) if len(at_once) >= _FEWEST else 0.0)
    is_full = (is_nearly_full & (time >= max(_LONG_CALL_NS, _LONGER * usual))) | (is_deep & (time >= _LONGER * usual))
    return FullQueue(call[is_full], (time[is_full] - usual).astype(np.int64))
