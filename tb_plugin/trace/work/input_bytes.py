"""How many bytes the tensor inputs of an operator hold, from its shapes and types.

    shapes [[32, 64], [64, 8], []]   types ["c10::BFloat16", "c10::BFloat16", "Scalar"]   4096 + 1024 = 5120 bytes

Each input counts once and whole: outputs are in no file, and an operator may read less (an embedding) or more often (a matrix
product) than its inputs hold. A list of tensors has no type in the file, so a call with one is not known.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.grouping import group_by
from tb_plugin.trace.json_text import is_shape, list_of, texts_of
from tb_plugin.trace.kinds import Kind

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace

ELEMENT_BYTES: Final = {
    "bool": 1,
    "unsigned char": 1,
    "signed char": 1,
    "char": 1,
    "c10::Float8_e4m3fn": 1,
    "c10::Float8_e4m3fnuz": 1,
    "c10::Float8_e5m2": 1,
    "c10::Float8_e5m2fnuz": 1,
    "c10::Float8_e8m0fnu": 1,
    "c10::Float4_e2m1fn_x2": 1,
    "c10::qint8": 1,
    "c10::quint8": 1,
    "short": 2,
    "short int": 2,
    "unsigned short": 2,
    "short unsigned int": 2,
    "c10::Half": 2,
    "c10::BFloat16": 2,
    "int": 4,
    "unsigned int": 4,
    "float": 4,
    "c10::qint32": 4,
    "c10::complex<c10::Half>": 4,
    "long": 8,
    "long int": 8,
    "long long": 8,
    "__int64": 8,
    "unsigned long": 8,
    "long unsigned int": 8,
    "double": 8,
    "c10::complex<float>": 8,
    "c10::complex<double>": 16,
}
"""Of the C++ type names that torch writes as "Input type", as compilers spell them."""

NO_TENSOR: Final = ("", "Scalar", "ScalarList", "Int", "Double", "Bool", "None", "Device", "String")


def input_bytes(shapes: list[Any], types: list[str]) -> int | None:
    """The bytes of one call's tensor inputs; None where one of them is of unknown size."""
    if len(shapes) != len(types):
        return None
    total = 0
    for shape, kind in zip(shapes, types, strict=True):
        if kind in NO_TENSOR:
            continue
        size = ELEMENT_BYTES.get(kind)
        if size is None or not is_shape(shape):
            return None
        total += size * prod(shape)
    return total


def expanded_bytes(shapes: list[Any], types: list[str], strides: list[Any]) -> int:
    """What is not there to be read of inputs with a stride of 0 in some dimension: the same bytes count once.

    [[8, 4], [8, 4]] of floats with strides [[4, 1], [0, 1]]: 28 elements of the second, 112 bytes.
    """
    total = 0
    for shape, kind, stride in zip(shapes, types, strides, strict=False):
        size = ELEMENT_BYTES.get(kind)
        if size is None or not is_shape(shape) or not is_shape(stride) or len(shape) != len(stride) or not all(shape):
            continue
        reached = prod(n for n, step in zip(shape, stride, strict=True) if step != 0)
        total += size * (prod(shape) - reached)
    return total


def input_bytes_by_row(trace: Trace) -> Int64Array:
    """For each event row, NONE where not known."""
    events = trace.events
    result = np.full(len(events), NONE, np.int64)
    rows = np.flatnonzero((events.kind == Kind.OPERATOR) & (events.shapes_id != NONE))
    alike = group_by(events.shapes_id[rows], events.types_id[rows])
    first = rows[alike.first]
    pairs = zip(events.shapes_id[first].tolist(), events.types_id[first].tolist(), strict=True)
    found = [_of_texts(trace.text(shapes), trace.text(types)) for shapes, types in pairs]
    result[rows] = np.array(found, np.int64)[alike.of]
    return result


@lru_cache(maxsize=1 << 14)
def _of_texts(shapes: str, types: str) -> int:
    found = input_bytes(list_of(shapes), texts_of(types))
    return NONE if found is None else min(found, np.iinfo(np.int64).max)
