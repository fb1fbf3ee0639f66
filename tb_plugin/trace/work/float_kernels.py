"""Which kernels compute in float32 or in float64: by the types of the operator that launched them, else by their names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, BoolArray
from tb_plugin.compute.distinct import distinct
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.work.matrix_operators import element_type

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace

_FLOAT: Final = re.compile(r"sgemm|_scudnn_|<float\b|, float[,>]", re.IGNORECASE)
_OTHER_TYPE: Final = re.compile(r"half|fp16|bf16|bfloat16|double", re.IGNORECASE)
"""Samples: `volta_sgemm_64x64_nt`, `void cudnn::detail::dgrad_engine<float, 512, 6, 5>`; not `volta_fp16_sgemm_..`."""

_DOUBLE: Final = re.compile(r"dgemm|<double\b|, double[,>]", re.IGNORECASE)
"""Samples: `volta_dgemm_64x64_nt`, `void at::native::vectorized_elementwise_kernel<4, at::native::AbsFunctor<double>, ..`."""


def in_float32(trace: Trace, kernels: Int64Array) -> BoolArray:
    """Of each of these event rows."""
    result = rows_named(trace, kernels, lambda name: _FLOAT.search(name) and not _OTHER_TYPE.search(name))
    return _where_told(trace, kernels, "float", result)


def in_float64(trace: Trace, kernels: Int64Array) -> BoolArray:
    """Of each of these event rows."""
    return _where_told(trace, kernels, "double", rows_named(trace, kernels, _DOUBLE.search))


def _where_told(trace: Trace, kernels: Int64Array, element: str, by_name: BoolArray) -> BoolArray:
    """Whether the operator's first tensor is of `element`; where no type was recorded what the name says."""
    events = trace.events
    owner = events.owner[kernels]
    told = np.flatnonzero((owner != NONE) & (events.kind[owner] == Kind.OPERATOR) & (events.types_id[owner] != NONE))
    types_id = events.types_id[owner[told]]
    type_of = {each: element_type(trace.text(each)) for each in distinct(types_id).tolist()}
    known = np.array([bool(type_of[each]) for each in types_id.tolist()], np.bool_)
    by_name[told[known]] = [type_of[each] == element for each in types_id[known].tolist()]
    return by_name
