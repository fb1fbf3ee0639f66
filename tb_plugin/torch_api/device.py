"""Which device an event ran on, in torch's words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from tb_plugin.trace import vendors
from tb_plugin.trace.device_types import DeviceType
from tb_plugin.trace.kinds import DEVICE_KINDS, Kind, is_kind
from tb_plugin.trace.names import rows_named

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Int64Array
    from tb_plugin.trace.model import Trace


ON_DEVICE: Final = (*DEVICE_KINDS, Kind.SYNC, Kind.DEVICE_ANNOTATION, Kind.PROFILER_RANGE)
"""Kinds of event whose device is not the CPU (deviceTypeFromActivity of kineto_shim.cpp)."""

_DEVICES: Final = tuple(dict.fromkeys(vendor.torch for vendor in vendors.ALL))

CPU_MEMORY: Final = tuple(each.value for each in (DeviceType.CPU, DeviceType.MKLDNN, DeviceType.IDEEP))
_OF_MEMORY: Final = {each.value: device.type for device in _DEVICES for each in device.memory_types}
DEVICE_MEMORY: Final = tuple(_OF_MEMORY)
"""c10::DeviceType of allocations that torch counts as the CPU's and as the device's."""

LIFTED_TO_OPERATORS: Final = tuple(device.type for device in _DEVICES if device.adds_to_operators)
"""Devices whose kernels torch adds to the operator that launched them."""

DEVICES_OF_TOTAL: Final = tuple(device.type for device in _DEVICES if device.adds_to_total)
"""Devices whose events make the table's "Self DEVICE time total"."""

ATTRIBUTE_WORDS: Final = tuple(device.attribute_word for device in _DEVICES if device.attribute_word)
"""Torch's old names say `cuda` or `xpu` for any device: `self_cuda_time_total`."""


def device_of_trace(trace: Trace) -> DeviceType:
    """The one kind of accelerator of a profile; the CPU where nothing shows that there was one."""
    rows = np.flatnonzero(is_kind(trace.events.kind, ON_DEVICE))
    host = np.flatnonzero(is_kind(trace.events.kind, (Kind.RUNTIME, Kind.DRIVER)))
    categories = [trace.strings[place].lower() for place in np.unique(trace.events.category_id[np.append(rows, host)]).tolist()]
    for device in _DEVICES:
        if device.category_prefix and any(category.startswith(device.category_prefix) for category in categories):
            return device.type
    if len(rows):
        return DeviceType.CUDA
    of_memory = [_OF_MEMORY[kind] for kind in np.unique(trace.memory.device_type).tolist() if kind in _OF_MEMORY]
    return of_memory[0] if of_memory else DeviceType.CPU


def lifted_rows(trace: Trace, device: DeviceType) -> Int64Array:
    """Device rows whose time torch adds to an operator. A range projected on the device is none: its kernels are."""
    if device not in LIFTED_TO_OPERATORS:
        return np.empty(0, np.int64)
    return np.flatnonzero(is_kind(trace.events.kind, (*DEVICE_KINDS, Kind.SYNC, Kind.PROFILER_RANGE)))


def owner_rows(trace: Trace, rows: npt.NDArray[np.integer], is_owner: BoolArray) -> npt.NDArray[np.int32]:
    """For each device row the operator or range that torch links it to by External id, or -1.

    Files of 2022 and 2023 have the correlation id for it, and some writers nothing: there, what holds the launch is the owner.
    """
    events = trace.events
    external = events.external_id[rows]
    known = external > 0
    if (external[known] == events.correlation[rows[known]]).all():
        owner = events.owner[rows]
        return np.where((owner >= 0) & is_owner[owner], owner, -1).astype(np.int32)
    candidates = np.flatnonzero(is_owner & (events.external_id > 0))
    candidates = candidates[np.argsort(events.external_id[candidates], kind="stable")]
    if len(candidates) == 0:
        return np.full(len(rows), -1, np.int32)
    ids = events.external_id[candidates]
    place = np.minimum(np.searchsorted(ids, external), len(ids) - 1)
    return np.where((ids[place] == external) & known, candidates[place], -1).astype(np.int32)


def is_range(trace: Trace) -> BoolArray:
    """Rows that torch calls user annotations, of host and device."""
    result: BoolArray = is_kind(trace.events.kind, (Kind.ANNOTATION, Kind.DEVICE_ANNOTATION))
    return result


def named(trace: Trace, name: str) -> Int64Array:
    """Rows of marks of this name."""
    marks = np.flatnonzero(is_kind(trace.events.kind, (Kind.SPAN, Kind.INSTANT)))
    return marks[rows_named(trace, marks, lambda text: text.startswith(name))]
