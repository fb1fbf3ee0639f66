"""Which operator reads, writes, makes and frees which tensor: the graph behind torch's memory categories.

A port of the ideas of `torch/profiler/_memory_profiler.py` to columns. A *step of the flow* is the topmost operator that is
one (some schema fits, or it is a backward function), or an allocation outside of all of them; what it holds counts as one.
A *tensor* is torch's TensorKey: tensor id, allocation id, device. A tensor that is written gets a new *version*.

    step  tensor  version  reads  writes  makes  frees
       0       3        0            -       x            an activation is made
       1       3        0      x                          read
       2       3        0      x     x                    written in place: version 1 from here on
       3       3        1                           x     freed
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.distinct import distinct, numbered
from tb_plugin.compute.nesting import has_marked_ancestor, nearest_marked
from tb_plugin.trace.kinds import Kind, is_kind
from tb_plugin.trace.memory.operator_schemas import fits, has_tensor_ids
from tb_plugin.trace.model import TensorPart

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

BACKWARD_FUNCTION: Final = 1
"""at::RecordScope of a backward function."""


@dataclass(frozen=True, kw_only=True)
class TensorFlow:
    """Edges by (step, tensor); a tensor's versions are numbers of their own: `first_version[tensor] + version`."""

    step_row: Int64Array  # event row of each step, by time
    in_backward: BoolArray  # by step
    edge_first: Int64Array  # step -> its first edge, and the number of edges
    edge_tensor: Int64Array
    edge_reads: BoolArray  # not made here
    edge_writes: BoolArray
    edge_makes: BoolArray
    edge_frees: BoolArray
    edge_version: Int64Array  # before the step; 0 where it is made
    first_version: Int64Array  # tensor -> its first version, and the number of versions
    tensor_id: Int64Array  # torch's id, by tensor
    of_memory: Int64Array  # tensor of each row of trace.memory, NONE without ids
    of_tensors: Int64Array  # tensor of each row of trace.tensors, NONE without ids
    scope: Int64Array  # at::RecordScope by event row, NONE where unknown


def tensor_flow(trace: Trace) -> TensorFlow:
    """The flow of a profile whose tensors have ids."""
    of_memory, of_tensors, tensor_id = _tensors(trace)
    events, memory, tensors = trace.events, trace.memory, trace.tensors
    scope = np.full(len(events), NONE, np.int64)
    scope[trace.live.row] = trace.live.scope
    operators = np.flatnonzero(is_kind(events.kind, (Kind.OPERATOR, Kind.ANNOTATION)))
    found = fits(trace, operators)
    step_of, step_row = _steps(trace, operators[[fit.is_operator for fit in found]], scope)

    parts = []
    is_input = np.flatnonzero((tensors.part == TensorPart.INPUT) & (of_tensors != NONE) & (step_of[tensors.row] != NONE))
    writes_of = dict(zip(operators.tolist(), (fit.writes for fit in found), strict=True))
    answer = [
        writes_of[row][place] if place < len(writes_of.get(row, ())) else None
        for row, place in zip(tensors.row[is_input].tolist(), tensors.place[is_input].tolist(), strict=True)
    ]
    flags = np.array([_UNKNOWN if a is None else _WRITES if a else _KEEPS for a in answer], np.int64)
    parts.append((step_of[tensors.row[is_input]], of_tensors[is_input], flags))
    known = np.flatnonzero((of_memory != NONE) & (step_of[memory.row] != NONE) & (memory.bytes != 0))
    parts.append((step_of[memory.row[known]], of_memory[known], np.where(memory.bytes[known] < 0, _FREES, _MAKES)))
    step, tensor, flag = (np.concatenate(columns).astype(np.int64) for columns in zip(*parts, strict=True))

    edge, of_edge = numbered(step * max(len(tensor_id), 1) + tensor)
    has = {bit: np.bincount(of_edge[flag == bit], minlength=len(edge)) > 0 for bit in (_KEEPS, _WRITES, _UNKNOWN, _FREES, _MAKES)}
    makes, frees = has[_MAKES], has[_FREES]
    # Ambiguous arguments count as written, unless some operator inside is sure that it only reads.
    writes = (has[_WRITES] | (has[_UNKNOWN] & ~has[_KEEPS])) & ~frees
    edge_step, edge_tensor = edge // max(len(tensor_id), 1), edge % max(len(tensor_id), 1)
    version, n_versions = _versions(edge_tensor, writes & ~makes, len(tensor_id))
    return TensorFlow(
        step_row=step_row,
        in_backward=nearest_marked(events.parent, scope == BACKWARD_FUNCTION)[step_row] != NONE,
        edge_first=np.searchsorted(edge_step, np.arange(len(step_row) + 1)),
        edge_tensor=edge_tensor,
        edge_reads=~makes,
        edge_writes=writes,
        edge_makes=makes,
        edge_frees=frees,
        edge_version=np.where(makes, 0, version),
        first_version=np.concatenate(([0], np.cumsum(n_versions))),
        tensor_id=tensor_id,
        of_memory=of_memory,
        of_tensors=of_tensors,
        scope=scope,
    )


_KEEPS, _WRITES, _UNKNOWN, _FREES, _MAKES = range(5)


def _tensors(trace: Trace) -> tuple[Int64Array, Int64Array, Int64Array]:
    """(tensor of each row of `memory`, of each row of `tensors`, torch's id of each tensor)."""
    memory, tensors = trace.memory, trace.tensors
    n_memory = len(memory)
    is_known = np.concatenate(((memory.tensor_id != NONE) & (memory.allocation_id != NONE), has_tensor_ids(trace)))
    columns = [
        np.concatenate((getattr(memory, name), getattr(tensors, name))).astype(np.int64)[is_known]
        for name in ("tensor_id", "allocation_id", "device_type", "device_index")
    ]
    columns[3][columns[2] == 0] = NONE  # there is one CPU, whatever its index is said to be
    unique, place = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    number = np.full(len(is_known), NONE, np.int64)
    number[is_known] = place.ravel()
    return number[:n_memory], number[n_memory:], unique[:, 0]


def _steps(trace: Trace, operators: Int64Array, scope: Int64Array) -> tuple[Int64Array, Int64Array]:
    """(step of every event row, NONE outside; event row of every step by time)."""
    events = trace.events
    candidate = np.zeros(len(events), np.bool_)
    candidate[operators] = True
    candidate |= scope == BACKWARD_FUNCTION
    top = candidate & ~has_marked_ancestor(events.parent, candidate)
    around = nearest_marked(events.parent, top).astype(np.int64)
    alone = trace.memory.row[around[trace.memory.row] == NONE]
    around[alone] = alone
    rows = distinct(np.concatenate((np.flatnonzero(top), alone)))
    rows = rows[np.argsort(events.start_ns[rows], kind="stable")]
    number = np.full(len(events) + 1, NONE, np.int64)
    number[rows] = np.arange(len(rows))
    return number[around], rows.astype(np.int64)


def _versions(tensor: Int64Array, is_new: BoolArray, n_tensors: int) -> tuple[Int64Array, Int64Array]:
    """(how often each edge's tensor was written before it, number of versions of each tensor). Edges are by time."""
    order = np.argsort(tensor, kind="stable")
    before: Int64Array = np.cumsum(is_new[order]) - is_new[order]
    first = np.searchsorted(tensor[order], tensor[order])
    version = np.empty(len(tensor), np.int64)
    version[order] = before - before[first]
    return version, 1 + np.bincount(tensor[is_new], minlength=n_tensors)
