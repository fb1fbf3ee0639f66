"""Which call started the kernel of a collective: kernel -> launch -> the `record_param_comms` around it, or `nccl:all_reduce`.

A kernel of RCCL, and any before 2024, says nothing itself. A call whose kernel is not in the file was issued all the same: with
it the later ones keep their places in the order of their group.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.compute.distinct import all_but, distinct
from tb_plugin.compute.nesting import nearest_marked
from tb_plugin.trace.kinds import LAUNCH_KINDS, Kind, is_kind
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.work.collective_names import COLLECTIVE_RANGE

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

RECORD: Final = "record_param_comms"


class KernelCalls(NamedTuple):
    """`kernel_call`: of each of the kernels the row of its call, or NONE. `lost`: calls that launched, without a kernel."""

    kernel_call: Int64Array
    lost: Int64Array


def calls_of(trace: Trace, kernels: Int64Array) -> KernelCalls:
    """Of these kernels, which are collectives."""
    events = trace.events
    host = np.flatnonzero(is_kind(events.kind, (Kind.OPERATOR, Kind.ANNOTATION)))
    record = host[rows_named(trace, host, RECORD.__eq__)]
    ranges = host[rows_named(trace, host, COLLECTIVE_RANGE.match)]
    if len(record) + len(ranges) == 0:
        return KernelCalls(np.full(len(kernels), NONE, np.int64), np.zeros(0, np.int64))
    call = _around(trace, record, ranges)
    via = np.where(events.launch[kernels] != NONE, events.launch[kernels], events.owner[kernels])
    of_kernel = np.where(via == NONE, NONE, call[via]).astype(np.int64)
    return KernelCalls(of_kernel, _lost(trace, call, of_kernel))


def _around(trace: Trace, record: Int64Array, ranges: Int64Array) -> Int64Array:
    """For each row the `record_param_comms` that it lies in, else the range of a collective; NONE outside of both."""
    parent, found = trace.events.nest_parent, np.full(len(trace.events), NONE, np.int64)
    for rows in (ranges, record):
        marked = np.zeros(len(found), np.bool_)
        marked[rows] = True
        nearest = nearest_marked(parent, marked)
        found = np.where(nearest == NONE, found, nearest)
    return found


def _lost(trace: Trace, call: Int64Array, of_kernel: Int64Array) -> Int64Array:
    """Calls in which something was launched, none of it in the file as a kernel. Parts of a coalesced call launch nothing."""
    events = trace.events
    launches = np.flatnonzero(is_kind(events.kind, LAUNCH_KINDS))
    launches = launches[rows_named(trace, launches, lambda name: "launch" in name.lower())]
    issued = distinct(call[launches])
    lost: Int64Array = all_but(issued[issued != NONE], of_kernel)
    return lost
