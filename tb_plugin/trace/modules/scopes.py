"""Scopes: the ranges of a thread that decide which module an instant belongs to.

    thread 1 | nn.Module: Net_0 0-90 | nn.Module: Linear_0 10-50 | aten::linear 20-40
               Net_0                   Linear_0                     (no scope)          20 belongs to Linear_0, 60 to Net_0

Four kinds of range are scopes. They nest, and an instant belongs to the innermost:

    FRAME      `nn.Module: Linear_0`: a call, from torch's Python tracer
    LABEL      `[pl][module]torch.nn.modules.linear.Linear: layer1.0`: a call, from Lightning's PyTorchProfiler
    SCRIPT     an operator with a "Module Hierarchy" that is not that of the operator around it (TorchScript)
    AUTOGRAD   an `evaluate_function` range, or a backward operator with a known forward operator
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tb_plugin.base.units import NONE, BoolArray, Int32Array, Int64Array
from tb_plugin.compute.nesting import nest, sum_over_children
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.names import rows_named

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

FRAME, LABEL, SCRIPT, AUTOGRAD = 1, 2, 3, 4

FRAME_PREFIX: Final = "nn.Module: "
"""How torch's Python tracer names calls of `nn.Module.__call__`."""

LABEL_PREFIX: Final = "[pl][module]"
"""How Lightning's PyTorchProfiler names the range around a module's forward. Sample: `[pl][module]my.Block: layer1.0`."""

AUTOGRAD_PREFIX: Final = "autograd::engine::evaluate_function: "

_FRAME, _LABEL = re.compile(re.escape(FRAME_PREFIX)), re.compile(re.escape(LABEL_PREFIX))


class Scopes(NamedTuple):
    """One entry per scope, sorted as events are.

    row  parent  kind   exclusive_ns
      3      -1  FRAME        50_000   nn.Module: Net_0
      5       0  FRAME        40_000   nn.Module: Linear_0
    """

    row: Int64Array  # event row
    parent: Int32Array  # entry of the scope around it
    kind: npt.NDArray[np.int8]
    end_ns: Int64Array  # not later than the parent's
    exclusive_ns: Int64Array  # without the scopes inside; they add up to the time in any scope


def has_calls(trace: Trace) -> bool:
    """Whether any call of a module is named in the profile."""
    return any(name.startswith((FRAME_PREFIX, LABEL_PREFIX)) for name in trace.strings)


def calls(trace: Trace) -> npt.NDArray[np.int8]:
    """For each row FRAME, LABEL or 0."""
    events = trace.events
    marks = np.zeros(len(events), np.int8)
    for mark, kind, pattern in ((FRAME, Kind.PYTHON, _FRAME), (LABEL, Kind.ANNOTATION, _LABEL)):
        rows = np.flatnonzero(events.kind == kind)
        marks[rows[rows_named(trace, rows, pattern.match)]] = mark
    return marks


def autograd_ranges(trace: Trace, forward: Int32Array) -> BoolArray:
    """For each row: is it work of the autograd engine? `forward`: the column of `forward_backward`."""
    marked: BoolArray = forward != NONE
    operators = np.flatnonzero(trace.events.kind == Kind.OPERATOR)
    marked[operators[rows_named(trace, operators, lambda name: name.startswith(AUTOGRAD_PREFIX))]] = True
    return marked


def nested(trace: Trace, marks: npt.NDArray[np.int8]) -> Scopes:
    """The rows with a mark as scopes; `marks`, one a row, are their kinds."""
    events = trace.events
    rows = np.flatnonzero(marks)
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
    return Scopes(rows, parent, marks[rows], end, exclusive_ns)


def innermost(trace: Trace, scopes: Scopes) -> Int64Array:
    """For each event row the innermost scope that its start lies in, or NONE; a scope's own row lies in it.

    Device rows have that of their launch, or of the operator they belong to.
    """
    events = trace.events
    if len(scopes.row) == 0:
        return np.full(len(events), NONE, np.int64)
    is_scope = np.zeros(len(events), np.bool_)
    is_scope[scopes.row] = True
    # Rows are sorted by track and start: the scope that began last before a row is the one before it in that order.
    found: Int64Array = np.cumsum(is_scope) - 1
    row_of = scopes.row[np.maximum(found, 0)]
    found[events.track[row_of] != events.track] = NONE
    asked = np.flatnonzero((found != NONE) & ~is_scope)
    while len(asked):
        asked = asked[scopes.end_ns[found[asked]] <= events.start_ns[asked]]
        found[asked] = scopes.parent[found[asked]]
        asked = asked[found[asked] != NONE]
    anchor = np.where(events.launch != NONE, events.launch, events.owner)
    on_device = anchor != NONE
    found[on_device] = found[anchor[on_device]]
    return found


def _by_track(track: Int32Array) -> list[Int64Array]:
    """Entries of each track; `track` is sorted."""
    return np.split(np.arange(len(track)), np.flatnonzero(np.diff(track)) + 1) if len(track) else []
