"""Which operators could use tensor or matrix cores: those that multiply matrices, in types that the device's cores take.

aten::mm  bf16      on sm90    yes
aten::mm  float     on sm70    no: TF32 came with sm80
aten::mm  float     on sm80    yes, as TF32, whether or not it is allowed
aten::mm  (no types recorded)  unknown
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from tb_plugin.compute.grouping import group_by
from tb_plugin.trace.json_text import texts_of
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.vendors.element_types import FP8, INT8
from tb_plugin.trace.work.device_peaks import vendor_of
from tb_plugin.trace.work.matrix_cores import Use
from tb_plugin.trace.work.taxonomy import MULTIPLIES, category_of_operator

if TYPE_CHECKING:
    from tb_plugin.trace.model import Device, Trace

FLOAT_TYPES: Final = {"c10::Half": "fp16", "c10::BFloat16": "bf16", "float": "fp32", "double": "fp64"} | dict.fromkeys(FP8, "fp8")
"""Element types as Kineto writes them, to the columns of `device_peaks`."""


def matrix_types(device: Device | None) -> frozenset[str] | None:
    """Element types that the matrix cores of this device take (its maker's programming guide), or None where unknown."""
    if device is None or device.compute_capability is None:
        return None
    major, minor = (int(part) for part in device.compute_capability.split(".")[:2])
    vendor = vendor_of(device)
    if vendor is None or not vendor.matrix_types:
        return None
    taken = [types for least, types in vendor.matrix_types if least <= (major, minor)]
    return taken[-1] if taken else frozenset()


def element_type(types: str) -> str:
    """The type of the first tensor in "Input type" (JSON text); empty where none is told."""
    return next((name for name in texts_of(types) if name in FLOAT_TYPES or name in INT8), "")


def eligible_by_row(trace: Trace) -> npt.NDArray[np.uint8]:
    """The `Use` that each operator could make of matrix cores; NO for every other row."""
    events = trace.events
    eligible = np.zeros(len(events), np.uint8)
    rows = np.flatnonzero(events.kind == Kind.OPERATOR)
    types = matrix_types(trace.info.devices[0] if trace.info.devices else None)
    alike = group_by(events.name_id[rows], events.types_id[rows])
    names, type_ids = events.name_id[rows][alike.first].tolist(), events.types_id[rows][alike.first].tolist()
    found = [
        eligible_operator(trace.text(name), trace.text(type_id), types) for name, type_id in zip(names, type_ids, strict=True)
    ]
    eligible[rows] = np.array(found, np.uint8)[alike.of]
    return eligible


def eligible_operator(name: str, types: str, takes: frozenset[str] | None) -> Use:
    """Of one operator, given its "Input type" as JSON text and what the device's cores take (`matrix_types`)."""
    if category_of_operator(name) not in MULTIPLIES:
        return Use.NO
    element = element_type(types) if types else ""
    if not element or takes is None:
        return Use.UNKNOWN
    return Use.YES if element in takes else Use.NO
