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
from tb_plugin.compute.nesting import marked_around
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
    rows = rows[rows_named(trace, rows, _OPERATOR_NAME.match)]
    counts, parent = np.zeros(len(trace.events), np.bool_), trace.events.nest_parent
    counts[rows] = True
    counts[rows] = marked_around(parent, counts, parent[rows]) == NONE
    return counts


def outer_calls(trace: Trace, rows: npt.NDArray[np.integer]) -> Int64Array:
    """The row of the outermost operator around each of these host rows, itself included; NONE where there is none."""
    parent = trace.events.nest_parent
    above = marked_around(parent, is_outer_call(trace), rows)
    wrapped = marked_around(parent, trace.events.kind == Kind.OPERATOR, rows)
    return np.where(above == NONE, wrapped, above)
