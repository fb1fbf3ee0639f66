"""Floating point operations of an operator from its shapes, by torch's own formulas (torch/csrc/profiler/util.cpp).

    aten::mm, aten::addmm        2 · M · K · N
    aten::bmm, aten::baddbmm     2 · B · M · K · N (torch divides by B once)
    aten::conv2d                 2 · batch · out_h · out_w · kernel_h · kernel_w · in_channels · out_channels / groups
    aten::add, aten::mul         one per element of the first operand

All other operators count 0, as in torch: their time is in the table, their work is not.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.compute.grouping import group_by
from tb_plugin.trace.json_text import is_shape, list_of, texts_of, value_of
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.names import rows_named, without_overload
from tb_plugin.trace.work.call_arguments import NO_ARGUMENTS, call_arguments

if TYPE_CHECKING:
    from tb_plugin.base.units import Int32Array, Int64Array
    from tb_plugin.trace.model import Trace

CONV2D: Final = "aten::conv2d"
_MATRICES: Final = {"aten::mm": (0, 1), "aten::bmm": (0, 1), "aten::addmm": (1, 2), "aten::baddbmm": (1, 2)}
_TENSORS_NEEDED: Final = {
    "aten::mm": 2,
    "aten::bmm": 2,
    "aten::addmm": 3,
    "aten::baddbmm": 3,
    CONV2D: 2,
    "aten::add": 1,
    "aten::mul": 1,
}
_BATCHED: Final = ("aten::bmm", "aten::baddbmm")
_NOT_TENSORS: Final = ("", "Scalar", "ScalarList", "TensorList", "GenericList", "Int", "Double", "Bool", "None")


def operator_flops(shapes: list[list[int]], types: list[str], name: str, concrete: list[str]) -> int:
    """The FLOPs of one call; 0 where the formula does not apply or what it needs was not recorded."""
    needed = _TENSORS_NEEDED.get(name)
    if needed is None or len(shapes) < needed or any(kind in _NOT_TENSORS for kind in types[:needed]):
        return 0
    if name == CONV2D:
        return _conv2d(shapes, concrete)
    if name not in _MATRICES:
        return prod(shapes[0])
    left, right = (shapes[place] for place in _MATRICES[name])
    if not left or left[-1] == 0 or (name in _BATCHED and left[0] == 0):
        return 0
    count = prod(left) // left[-1] // (left[0] if name in _BATCHED else 1)
    return 2 * count * prod(right)


def flops_by_row(trace: Trace) -> Int64Array:
    """For each event row."""
    flops = np.zeros(len(trace.events), np.int64)
    rows, known = _known(trace)
    flops[rows] = known
    return flops


@once_per_trace
def _known(trace: Trace) -> tuple[Int32Array, Int64Array]:
    """(rows of operators that have any, their FLOPs). Calls that are alike are worked out once."""
    events = trace.events
    operators = np.flatnonzero((events.kind == Kind.OPERATOR) & (events.shapes_id >= 0))
    operators = operators[rows_named(trace, operators, lambda name: without_overload(name) in _TENSORS_NEEDED)]
    is_conv = rows_named(trace, operators, lambda name: without_overload(name) == CONV2D)
    arguments = call_arguments(trace) if is_conv.any() else NO_ARGUMENTS
    inputs = np.zeros(len(operators), np.int64)
    inputs[is_conv] = arguments.place[operators[is_conv]]
    keys = (events.name_id[operators], events.shapes_id[operators], events.types_id[operators], inputs)
    alike = group_by(*keys)
    found = [
        _of_texts(trace.text(name_id), trace.text(shapes_id), trace.text(types_id), arguments.texts[place][0])
        for name_id, shapes_id, types_id, place in zip(*(key[alike.first].tolist() for key in keys), strict=True)
    ]
    flops = np.array(found, np.int64)[alike.of]
    has_any = flops != 0
    return operators[has_any].astype(np.int32), flops[has_any]


@lru_cache(maxsize=1 << 14)
def _of_texts(name: str, shapes: str, types: str, concrete: bytes) -> int:
    found = operator_flops(plain_shapes(shapes), texts_of(types), without_overload(name), texts_of(concrete))
    return min(max(found, 0), np.iinfo(np.int64).max)


def plain_shapes(text: str) -> list[list[int]]:
    """`FunctionEvent.input_shapes` from the file's "Input Dims": a list of tensors, and what is no shape, is an empty one."""
    return [shape if is_shape(shape) else [] for shape in list_of(text)]


def _conv2d(shapes: list[list[int]], concrete: list[str]) -> int:
    image, kernel = shapes[0], shapes[1]
    options = [value_of(text) for text in concrete[3:7]]
    if len(image) != 4 or len(kernel) != 4 or len(options) != 4:
        return 0
    stride, padding, dilation, groups = options
    if not all(is_shape(pair) and len(pair) == 2 for pair in (stride, padding, dilation)):
        return 0  # padding="same" is text
    if not isinstance(groups, int) or groups <= 0 or stride[0] * stride[1] == 0:
        return 0
    batch, in_channels, *size = image
    out_channels, _, *kernel_size = kernel
    out = [(size[axis] + 2 * padding[axis] - dilation[axis] * (kernel_size[axis] - 1) - 1) // stride[axis] + 1 for axis in (0, 1)]
    count: int = 2 * batch * prod(out) * prod(kernel_size) * in_channels * out_channels // groups
    return count
