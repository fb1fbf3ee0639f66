"""Device work that stood in a queue when the recording began: its launch is not in the file, and it is of no step in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.trace.kinds import DEVICE_KINDS, is_kind

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Int32Array, Int64Array
    from tb_plugin.trace.model import Trace

_LEAST_LAUNCHED: Final = 0.01
"""From this share of device time with a launch on, a missing one tells something. Recordings that begin with a queue: 68 %."""

_EVER: Final = int(np.iinfo(np.int64).max)


def queued(start_ns: Int64Array, end_ns: Int64Array, track: Int32Array, is_launched: BoolArray, is_own: BoolArray) -> BoolArray:
    """Of each piece of device work. `is_own`: it was launched in a step.

    What has no launch and begins before any work of a step on its stream, since a stream runs in order; on a stream without such
    work, before any at all. None where hardly any launch was recorded: then a missing one tells nothing.
    """
    duration = end_ns - start_ns
    if not is_own.any() or is_launched.all() or duration[is_launched].sum() < _LEAST_LAUNCHED * duration.sum():
        return np.zeros(len(start_ns), np.bool_)
    begun = np.full(int(track.max()) + 1, start_ns[is_own].min())
    begun[track[is_own]] = _EVER
    np.minimum.at(begun, track[is_own], start_ns[is_own])
    found: BoolArray = ~is_launched & (start_ns < begun[track])
    return found


def queued_rows(trace: Trace) -> Int64Array:
    """Rows of such work in a recording."""
    events = trace.events
    work = np.flatnonzero(is_kind(events.kind, DEVICE_KINDS))
    is_launched = events.launch[work] != NONE
    is_own = is_launched & (events.step[work] != NONE)
    return work[queued(events.start_ns[work], events.end_ns[work], events.track[work], is_launched, is_own)]
