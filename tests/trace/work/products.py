"""Drawn products: inputs, types and a device for operators of a drawing."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from tb_plugin.trace.model import Device
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

H100 = Device(index=0, name="NVIDIA H100 80GB HBM3", compute_capability="9.0")
V100 = Device(index=0, name="Tesla V100-SXM2-32GB", compute_capability="7.0")
MI300 = Device(index=0, name="AMD Instinct MI300X", compute_capability="9.4")
MM_FLOPS = 2 * 512 * 256 * 128


def with_inputs(trace: Trace, operator: str, shapes: str, types: str, *devices: Device) -> Trace:
    """The trace with input shapes and types for the operators of this name."""
    n = len(trace.strings)
    named = np.array([trace.text(i) == operator for i in trace.events.name_id.tolist()])
    events = dataclasses.replace(
        trace.events,
        shapes_id=np.where(named, n, trace.events.shapes_id).astype(np.int32),
        types_id=np.where(named, n + 1, trace.events.types_id).astype(np.int32),
    )
    info = msgspec.structs.replace(trace.info, devices=devices)
    return dataclasses.replace(trace, strings=(*trace.strings, shapes, types), events=events, info=info)


def mm(text: str, element: str, device: Device) -> Trace:
    return with_inputs(trace_from_text(text), "aten::mm", "[[512,256],[256,128]]", f'["{element}","{element}"]', device)
