"""Which calls launched the device work of an area, and which one of each call path launched most.

thread  aten::mm 0-9 | aten::mm 10-19            aten::mm   2 calls; most: the second, 50
stream  gemm 10-30 <- first | gemm 30-80 <- second

A call counts wherever it began: a kernel often runs when the area of its launch is long over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.nesting import depths, marked_around
from tb_plugin.trace.kinds import DEVICE_KINDS, is_kind
from tb_plugin.views.timeline.own import own_times

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.timeline.area_sums import AreaPart
    from tb_plugin.views.timeline.call_paths import CallPaths


class Launching(NamedTuple):
    """By node; without such calls 0 and NONE."""

    n_calls: Int64Array
    most_row: Int64Array  # of equal ones the first
    most_ns: Int64Array


def launching(trace: Trace, paths: CallPaths, parts: list[AreaPart]) -> Launching:
    """Calls that launched work with time in these parts of tracks, themselves or in what they call."""
    events, n_nodes = trace.events, len(paths.parent)
    is_frame = paths.is_call & (paths.of_row != NONE)
    work, work_ns = _work_in(trace, parts)
    launched_in = marked_around(events.nest_parent, is_frame, events.owner[work])
    work_ns, launched_in = work_ns[launched_in != NONE], launched_in[launched_in != NONE]
    time_ns = np.zeros(len(events), np.int64)
    np.add.at(time_ns, launched_in, work_ns)
    calls = np.unique(launched_in)
    depth = depths(paths.parent)[paths.of_row[calls]]
    levels, around = [calls[:0]], calls[:0]
    for level in range(int(depth.max(initial=-1)), -1, -1):  # what a call has is whole before the one around it gets it
        rows = np.union1d(calls[depth == level], around)
        levels.append(rows)
        above = marked_around(events.nest_parent, is_frame, events.nest_parent[rows])
        np.add.at(time_ns, above[above != NONE], time_ns[rows[above != NONE]])
        around = above[above != NONE]
    rows = np.concatenate(levels)
    node = paths.of_row[rows]
    in_order = np.lexsort((-rows, time_ns[rows]))
    most_row = np.full(n_nodes, NONE, np.int64)
    most_row[node[in_order]] = rows[in_order]  # of several that are written to one place the last stays
    most_ns = np.where(most_row != NONE, np.append(time_ns, 0)[most_row], 0)
    return Launching(np.bincount(node, minlength=n_nodes), most_row, most_ns)


def _work_in(trace: Trace, parts: list[AreaPart]) -> tuple[Int64Array, Int64Array]:
    """(rows of device work, the own time of each inside the area), those without any left out."""
    kind, own_ns = trace.events.kind, own_times(trace).own_ns
    rows, time_ns = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for part in parts:
        inside = part.whole
        if inside is None:
            inside = np.flatnonzero(is_kind(kind[part.low : part.high], DEVICE_KINDS)) + part.low
            inside = np.setdiff1d(inside, part.cut, assume_unique=True)
        rows += [inside, part.cut]
        time_ns += [own_ns[inside].astype(np.int64), part.cut_self_ns]
    row, row_ns = np.concatenate(rows), np.concatenate(time_ns)
    has = is_kind(kind[row], DEVICE_KINDS) & (row_ns > 0)
    return row[has], row_ns[has]
