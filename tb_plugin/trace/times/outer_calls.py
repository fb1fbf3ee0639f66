"""The outermost operator around a call: what a program asked torch for, however torch does it.

    thread 1 | ProfilerStep#1 > nn.Module: Linear_0 > aten::linear > aten::addmm > cudaLaunchKernel     aten::linear

Not what merely wraps others: steps, ranges of the data loader and of optimizers, `DistributedDataParallel.forward`, which old
files call operators. Where there is no other, the innermost one of these.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.nesting import has_marked_ancestor, nearest_marked
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.names import rows_named

if TYPE_CHECKING:
    import numpy.typing as npt

    from tb_plugin.trace.model import Trace

_OPERATOR_NAME: Final = re.compile(
    r"(?:autograd::engine::evaluate_function: )?[\w<>]+::[\w<>:]*\w|(?:autograd::engine::evaluate_function: )?\w*Backward\d*$"
    r"|CompiledFunction|CompiledFxGraph|Torch-Compiled Region|triton_"
)
"""Samples: `aten::linear`, `torch::autograd::AccumulateGrad`, `ReluBackward1`, `CompiledFunction`, `triton_poi_fused_add_3`."""


@once_per_trace
def is_outer_call(trace: Trace) -> BoolArray:
    """For each event row: is it an operator that is in no other?"""
    rows = np.flatnonzero(trace.events.kind == Kind.OPERATOR)
    counts = np.zeros(len(trace.events), np.bool_)
    counts[rows[rows_named(trace, rows, _OPERATOR_NAME.match)]] = True
    outer: BoolArray = counts & ~has_marked_ancestor(trace.events.nest_parent, counts)
    return outer


def outer_calls(trace: Trace, rows: npt.NDArray[np.integer]) -> Int64Array:
    """The row of the outermost operator around each of these host rows, itself included; NONE where there is none."""
    parent = trace.events.nest_parent
    above = nearest_marked(parent, is_outer_call(trace))[rows].astype(np.int64)
    wrapped = nearest_marked(parent, trace.events.kind == Kind.OPERATOR)[rows]
    found: Int64Array = np.where(above == NONE, wrapped, above)
    return np.where(rows == NONE, NONE, found)
