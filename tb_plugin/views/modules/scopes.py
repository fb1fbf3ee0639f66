"""Scopes: the ranges of a thread that decide which module an instant belongs to.

A scope is an `nn.Module` frame, or a range of autograd: a backward operator with a known forward operator, or an
`evaluate_function` range. They nest, and an instant belongs to the innermost.

    thread 1 | nn.Module: Net_0 0-90 | nn.Module: Linear_0 10-50 | aten::linear 20-40
               Net_0                   Linear_0                     (no scope)          20 belongs to Linear_0, 60 to Net_0
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tb_plugin.base.units import NONE, BoolArray, Int32Array, Int64Array
from tb_plugin.compute.nesting import nest, sum_over_children
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.names import rows_named

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

FRAME_PREFIX: Final = "nn.Module: "
"""How torch's Python tracer names calls of `nn.Module.__call__`."""

AUTOGRAD_PREFIX: Final = "autograd::engine::evaluate_function: "


class Scopes(NamedTuple):
    """One entry per scope, sorted as events are.

    row  parent  is_frame  exclusive_ns
      3      -1      True        50_000   nn.Module: Net_0
      5       0      True        40_000   nn.Module: Linear_0
    """

    row: Int64Array  # event row
    parent: Int32Array  # entry of the scope around it
    end_ns: Int64Array  # not later than the parent's
    is_frame: BoolArray
    exclusive_ns: Int64Array  # without the scopes inside; they add up to the time in any scope


def module_frames(trace: Trace) -> Int64Array:
    """Rows of `nn.Module` frames."""
    frames = np.flatnonzero(trace.events.kind == Kind.PYTHON)
    return frames[rows_named(trace, frames, lambda name: name.startswith(FRAME_PREFIX))]


def find(trace: Trace, forward: Int32Array) -> Scopes:
    """All scopes of a profile. `forward`: the column of `forward_backward`."""
    events = trace.events
    marked = np.zeros(len(events), np.int8)
    operators = np.flatnonzero(events.kind == Kind.OPERATOR)
    marked[operators[rows_named(trace, operators, lambda name: name.startswith(AUTOGRAD_PREFIX))]] = 1
    marked[forward != NONE] = 1
    marked[module_frames(trace)] = 2
    rows = np.flatnonzero(marked)
    start, end = events.start_ns[rows], events.end_ns[rows].copy()
    # Rounded times: a child seems to end up to two units after its parent.
    slack_ns = 2 * trace.info.resolution_ns if trace.info.resolution_ns > 1 else 0
    parent = np.full(len(rows), NONE, np.int32)
    depth = np.zeros(len(rows), np.int32)
    for scopes in _by_track(events.track[rows]):
        above, depth[scopes] = nest(start[scopes], end[scopes], slack_ns)
        parent[scopes] = np.where(above == NONE, NONE, scopes[above])
    for level in range(1, int(depth.max(initial=0)) + 1):
        at_level = np.flatnonzero(depth == level)
        end[at_level] = np.minimum(end[at_level], end[parent[at_level]])
    inside_ns = np.maximum(end - start, 0)
    exclusive_ns = np.maximum(inside_ns - sum_over_children(parent, inside_ns), 0)
    return Scopes(rows, parent, end, marked[rows] == 2, exclusive_ns)


def innermost(trace: Trace, scopes: Scopes, rows: npt.NDArray[np.integer]) -> Int64Array:
    """For each host row the innermost scope that its start lies in, or NONE. A scope is not in itself, but in its parent."""
    if len(scopes.row) == 0:
        return np.full(len(rows), NONE, np.int64)
    events = trace.events
    # Rows are sorted by track and start, so the scope that began last before a row is the one before it in that order.
    found = np.searchsorted(scopes.row, rows, side="left") - 1
    start = events.start_ns[rows]
    found[(found >= 0) & (events.track[scopes.row[np.maximum(found, 0)]] != events.track[rows])] = NONE
    while True:
        over = (found >= 0) & (scopes.end_ns[np.maximum(found, 0)] <= start)
        if not over.any():
            return found
        found[over] = scopes.parent[found[over]]


def _by_track(track: Int32Array) -> list[Int64Array]:
    """Entries of each track; `track` is sorted."""
    return np.split(np.arange(len(track)), np.flatnonzero(np.diff(track)) + 1) if len(track) else []
