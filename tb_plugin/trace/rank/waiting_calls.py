"""Calls of another name than a wait's that return when the device is done with what was launched before.

host    |cudaMemcpyAsync                 |          to pageable memory, as `.item()`: its copy begins long after it, and is
device  |kernels, launched before |copy|            over when it returns
host    |cudaFree                      |            without work of its own: all that was launched is over in it, and what
device  |kernels, launched before |                 follows is the host's own time
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import all_but, distinct
from tb_plugin.trace.kinds import DEVICE_KINDS, LAUNCH_KINDS, Kind, is_kind
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.times.idle import WAITS

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Int64Array
    from tb_plugin.trace.model import Trace

_LEAST_NS: Final = 20_000
"""A device takes as long to begin by itself."""

_CLOCKS_NS: Final = 5_000
"""Clocks of host and device may be so far apart."""


class WaitingCalls(NamedTuple):
    """In the order in which they begin; none within another."""

    call: Int64Array  # rows
    until_ns: Int64Array  # when the device was done
    copies: Int64Array  # rows of what they launched themselves


def waiting_calls(trace: Trace) -> WaitingCalls:
    events = trace.events
    work = np.flatnonzero(is_kind(events.kind, DEVICE_KINDS) & (events.launch != NONE))
    copies = work[events.kind[work] == Kind.COPY]
    by = events.launch[copies]
    blocks = events.end_ns[copies] <= events.end_ns[by] + _CLOCKS_NS
    copies = copies[blocks & (events.start_ns[copies] - events.start_ns[by] > _LEAST_NS)]
    others, done_ns = _without_work(trace, work)
    call = np.concatenate((events.launch[copies], others))
    until_ns = np.minimum(np.concatenate((events.end_ns[copies], done_ns)), events.end_ns[call])
    order = np.lexsort((-until_ns, -events.end_ns[call], events.start_ns[call]))  # of several copies of a call the last is first
    call, until_ns = call[order], until_ns[order]
    outermost = _is_outermost(trace, call)
    return WaitingCalls(call[outermost], until_ns[outermost], copies)


def _without_work(trace: Trace, work: Int64Array) -> tuple[Int64Array, Int64Array]:
    """(calls of threads that launch, which launched nothing and were long enough for all that was to end, when it had ended)."""
    events, launches = trace.events, trace.events.launch[work]
    calls = all_but(np.flatnonzero(is_kind(events.kind, LAUNCH_KINDS)), launches)
    calls = calls[np.isin(events.track[calls], distinct(events.track[launches])) & (events.duration_ns(calls) >= _LEAST_NS)]
    calls = calls[~rows_named(trace, calls, WAITS.__contains__)]
    by_return = np.argsort(events.end_ns[launches], kind="stable")
    last_ns = np.maximum.accumulate(events.end_ns[work[by_return]])
    before = np.searchsorted(events.end_ns[launches[by_return]], events.start_ns[calls], side="right") - 1
    calls, before = calls[before >= 0], before[before >= 0]
    done_ns = last_ns[before]
    is_in = (done_ns - events.start_ns[calls] > _LEAST_NS) & (done_ns <= events.end_ns[calls] + _CLOCKS_NS)
    return calls[is_in], done_ns[is_in]


def _is_outermost(trace: Trace, call: Int64Array) -> BoolArray:
    """By their beginning, the longest first: a driver's call in one of the runtime waits once."""
    ended = np.maximum.accumulate(np.concatenate(([np.iinfo(np.int64).min], trace.events.end_ns[call])))
    found: BoolArray = trace.events.end_ns[call] > ended[:-1]
    return found
