"""What one rank alone tells of how fast its collectives move: no slower than their bytes in all the time that they took.

    all_reduce of 16.8 MB over 4 ranks     16.8 MB x 2 x 3/4 = 25.2 MB over the busiest link
    its kernel ran for 1.94 ms             at least 13.0 GB/s

That time holds the wait for the rank that comes last, which only several ranks tell apart (`tb_plugin/job`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE, Float64Array, Int64Array
from tb_plugin.trace.collectives import kinds
from tb_plugin.trace.collectives.table import collectives
from tb_plugin.trace.kept import once_per_trace

if TYPE_CHECKING:
    from tb_plugin.trace.collectives.table import Collectives
    from tb_plugin.trace.model import Trace


@once_per_trace
def least_bus_rate(trace: Trace) -> Float64Array:
    """Bytes a second of each row of the table; NaN where its bytes, the size of its group or its time are not known."""
    of = collectives(trace)
    return kinds.least_bus_rate(of.kind, of.message_bytes, of.n_ranks, _took_ns(trace, of))


def why_no_rate(trace: Trace, at: int) -> str | None:
    """Of a row of the table, in words; None where it has one."""
    of = collectives(trace)
    if np.isfinite(least_bus_rate(trace)[at]):
        return None
    if of.kind[at] == kinds.BARRIER:
        return "a barrier moves nothing"
    if of.kind[at] in (kinds.OTHER, kinds.SEND_RECV):
        return "what it does is not recorded"
    if np.isnan(kinds.bus_factor(of.kind[[at]], np.array([2]))[0]):
        return f"what the busiest link of a {kinds.KINDS[of.kind[at]]} carries is not known"
    if of.row[at] == NONE:
        return "its kernel is not in the file"
    if of.message_bytes[at] <= 0:
        return "its bytes are not recorded" if of.message_bytes[at] == NONE else "it moves no bytes"
    return "the size of its group is not recorded" if of.n_ranks[at] == NONE else "it has no length"


def _took_ns(trace: Trace, of: Collectives) -> Int64Array:
    """From the first kernel of a call that begins to the last that ends: its bytes are those of all. 0 of a lost one."""
    rows, is_there = np.maximum(of.row, 0), of.row != NONE
    alone = NONE - 1 - np.arange(len(of))
    _, call = np.unique(np.where(of.call == NONE, alone, of.call), return_inverse=True)
    start, end = np.full(len(of), np.iinfo(np.int64).max), np.full(len(of), np.iinfo(np.int64).min)
    np.minimum.at(start, call[is_there], trace.events.start_ns[rows[is_there]])
    np.maximum.at(end, call[is_there], trace.events.end_ns[rows[is_there]])
    took: Int64Array = np.where(is_there, end[call] - start[call], 0)
    return took
