"""Which call started the kernel of a collective: kernel -> launch -> the `record_param_comms` around it, or `nccl:all_reduce`.

A kernel of RCCL, and any before 2024, says nothing itself. A call whose kernel is not in the file was issued all the same: with
it the later ones keep their places in the order of their group.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, Int64Array, IntArray
from tb_plugin.compute.distinct import all_but
from tb_plugin.compute.nesting import marked_around
from tb_plugin.trace.kinds import Kind, is_kind
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.work.collective_names import COLLECTIVE_RANGE
from tb_plugin.trace.work.kernel_launches import kernel_launches

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

RECORD: Final = "record_param_comms"


class KernelCalls(NamedTuple):
    """`kernel_call`: of each of the kernels the row of its call, or NONE. `lost`: calls that launched, without a kernel.

    `ranges`: rows of all ranges around a collective, `nccl:all_reduce`.
    """

    kernel_call: Int64Array
    lost: Int64Array
    ranges: Int64Array


def calls_of(trace: Trace, kernels: Int64Array) -> KernelCalls:
    """Of these kernels, which are collectives."""
    events = trace.events
    host = np.flatnonzero(is_kind(events.kind, (Kind.OPERATOR, Kind.ANNOTATION)))
    record = host[rows_named(trace, host, RECORD.__eq__)]
    ranges = host[rows_named(trace, host, COLLECTIVE_RANGE.match)]
    if len(record) + len(ranges) == 0:
        return KernelCalls(np.full(len(kernels), NONE, np.int64), np.zeros(0, np.int64), ranges)
    via = np.where(events.launch[kernels] != NONE, events.launch[kernels], events.owner[kernels])
    of_kernel, issued = (_around(trace, record, ranges, rows) for rows in (via, kernel_launches(trace)))
    # Calls in which something was launched, none of it in the file as a kernel. Parts of a coalesced call launch nothing.
    return KernelCalls(of_kernel, all_but(issued[issued != NONE], of_kernel), ranges)


def _around(trace: Trace, record: Int64Array, ranges: Int64Array, rows: IntArray) -> Int64Array:
    """For each of these rows the `record_param_comms` that it lies in, else the range of a collective; NONE outside of both."""
    found = np.full(len(rows), NONE, np.int64)
    for calls in (ranges, record):
        marked = np.zeros(len(trace.events), np.bool_)
        marked[calls] = True
        nearest = marked_around(trace.events.nest_parent, marked, rows)
        found = np.where(nearest == NONE, found, nearest)
    return found
