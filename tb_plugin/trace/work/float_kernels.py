"""Which kernels compute in float32: by the types of the operator that launched them; where these are unknown by their names."""

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


def in_float32(trace: Trace, kernels: Int64Array) -> BoolArray:
    """Of each of these event rows."""
    events = trace.events
    result = rows_named(trace, kernels, lambda name: _FLOAT.search(name) and not _OTHER_TYPE.search(name))
    owner = events.owner[kernels]
    told = np.flatnonzero((owner != NONE) & (events.kind[owner] == Kind.OPERATOR) & (events.types_id[owner] != NONE))
    types_id = events.types_id[owner[told]]
    type_of = {each: element_type(trace.text(each)) for each in distinct(types_id).tolist()}
    known = np.array([bool(type_of[each]) for each in types_id.tolist()], np.bool_)
    result[told[known]] = [type_of[each] == "float" for each in types_id[known].tolist()]
    return result
