"""`profile.export_memory_timeline(path)`: torch's memory timeline of a stored profile, by category.

torch builds it from the live profiler and gives up with an assertion on many real profiles; here `trace.tensor_flow` and
`trace.memory_categories` have all that is needed. Formats and numbers are torch's (`MemoryProfileTimeline`).
"""

from __future__ import annotations

import gzip
import json
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
import numpy as np

from tb_plugin.base.errors import UsageError
from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.torch_api.tree.tensors import device_name
from tb_plugin.trace.memory.categories import MemoryCategory, memory_categories

if TYPE_CHECKING:
    from tb_plugin.trace.memory.categories import MemoryCategories
    from tb_plugin.trace.memory.tensor_flow import TensorFlow
    from tb_plugin.trace.model import Trace


class Action(IntEnum):
    """Torch's `_memory_profiler.Action`."""

    PREEXISTING = 1
    CREATE = 2
    INCREMENT_VERSION = 3
    DESTROY = 4


CATEGORY_INDEX: Final = {
    MemoryCategory.PARAMETER: 0,
    MemoryCategory.OPTIMIZER_STATE: 1,
    MemoryCategory.INPUT: 2,
    MemoryCategory.TEMPORARY: 3,
    MemoryCategory.ACTIVATION: 4,
    MemoryCategory.GRADIENT: 5,
    MemoryCategory.AUTOGRAD_DETAIL: 6,
    MemoryCategory.UNKNOWN: 7,
}
"""The order of torch's files (`_CATEGORY_TO_INDEX`)."""

_ELEMENT_BYTES: Final = {
    "float64": 8, "int64": 8, "uint64": 8, "complex64": 8, "complex128": 16, "complex32": 4, "float32": 4, "int32": 4,
    "uint32": 4, "qint32": 4, "float16": 2, "bfloat16": 2, "int16": 2, "uint16": 2,
}  # fmt: skip
"""Of dtypes with more than one byte."""


class MemoryEvent(NamedTuple):
    """One line of the timeline. `category` after it is that of `next_category` where a version ends and one begins."""

    time_ns: int  # Unix time; -1 for what was there before
    action: Action
    device: str  # "cpu", "cuda:0"
    tensor_id: int | None  # None: no tensor was recorded for this memory
    version: int
    bytes: int
    category: MemoryCategory
    next_category: MemoryCategory | None  # of the version that follows, for INCREMENT_VERSION


def timeline(trace: Trace) -> list[MemoryEvent]:
    """What happened to memory, by time. UsageError where tensors have no ids."""
    found = memory_categories(trace)
    if found.flow is None:
        raise UsageError(
            f"{trace.info.source}: tensors have no ids; record with record_shapes, profile_memory and with_stack, and with the "
            "trace handler of tb_plugin"
        )
    events = [*_without_tensor(trace, found.flow), *_of_tensors(trace, found, found.flow)]
    return sorted(events, key=lambda event: (event.time_ns, event.action))


def export(trace: Trace, path: str | Path, device: str | None = None) -> None:
    """`.json` and `.json.gz` hold [times in µs, bytes by category]; `.raw.json.gz` [time in ns, action, bytes, category]."""
    path = Path(path)
    if path.suffix not in (".json", ".gz"):
        raise UsageError(f"{path}: a memory timeline is .json, .json.gz or .raw.json.gz; the Memory page draws it")
    events = timeline(trace)
    devices = sorted({event.device for event in events}, reverse=True)  # a device before the CPU
    wanted = device or next((name for name in devices if name != "cpu"), "cpu")
    mine = [event for event in events if event.device == wanted]
    content = _raw(mine) if path.name.endswith("raw.json.gz") else _summed(mine)
    text = json.dumps(content).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)


def _summed(events: list[MemoryEvent]) -> list[list[int] | list[list[int]]]:
    """[times, bytes by category after each]; the first number of each is 0, as torch writes it."""
    times: list[int] = []
    sizes: list[list[int]] = []
    for event in events:
        time_us = event.time_ns if event.time_ns == -1 else int(event.time_ns / 1000)  # torch rounds to a double first
        if not times or time_us != times[-1]:
            times.append(time_us)
            sizes.append(list(sizes[-1]) if sizes else [0] * (len(CATEGORY_INDEX) + 1))
        for change, category in _changes(event):
            sizes[-1][CATEGORY_INDEX[category] + 1] += change
    known = [time for time in times if time > 0]
    first = min(known, default=-1)
    return [[first if time < 0 else time for time in times], sizes]


def _raw(events: list[MemoryEvent]) -> list[tuple[int, int, int, int]]:
    return [
        (event.time_ns, int(event.action), change, CATEGORY_INDEX[category])
        for event in events
        for change, category in _changes(event)
    ]


def _changes(event: MemoryEvent) -> list[tuple[int, MemoryCategory]]:
    if event.action in (Action.PREEXISTING, Action.CREATE):
        return [(event.bytes, event.category)]
    gone = (-event.bytes, event.category)
    if event.next_category is None:
        return [gone]
    return [gone, (event.bytes, event.next_category)]


def _without_tensor(trace: Trace, flow: TensorFlow) -> list[MemoryEvent]:
    """Memory that no recorded tensor uses, told apart by address."""
    memory, start_ns = trace.memory, trace.events.start_ns + trace.info.base_ns
    rows = np.flatnonzero((flow.of_memory == NONE) & (memory.bytes != 0))
    alive: set[tuple[int, str]] = set()
    found = []
    unknown = MemoryCategory.UNKNOWN
    for at in rows[np.argsort(start_ns[memory.row[rows]], kind="stable")].tolist():
        device = _device(int(memory.device_type[at]), int(memory.device_index[at]))
        size, time_ns, place = int(memory.bytes[at]), int(start_ns[memory.row[at]]), (int(memory.address[at]), device)
        if size > 0:
            action = Action.INCREMENT_VERSION if place in alive else Action.CREATE
            following = unknown if place in alive else None
            alive.add(place)
            found.append(MemoryEvent(time_ns, action, device, None, 0, size, unknown, following))
            continue
        found.append(MemoryEvent(time_ns, Action.DESTROY, device, None, 0, -size, unknown, None))
        if place not in alive:
            found.append(MemoryEvent(-1, Action.PREEXISTING, device, None, 0, -size, unknown, None))
        alive.discard(place)
    return found


def _of_tensors(trace: Trace, found: MemoryCategories, flow: TensorFlow) -> list[MemoryEvent]:
    start_ns = trace.events.start_ns + trace.info.base_ns
    devices, sizes = _devices(trace, flow), _sizes(trace, flow)
    made_ns, freed_ns = (_times(trace, flow, start_ns, sign) for sign in (1, -1))
    category = [MemoryCategory(c) for c in found.of_version.tolist()]
    first, last = flow.first_version.tolist(), (flow.first_version[1:] - 1).tolist()

    def event(time_ns: int, action: Action, tensor: int, version: int) -> MemoryEvent:
        place = first[tensor] + version
        following = category[place + 1] if action is Action.INCREMENT_VERSION else None
        of_torch = int(flow.tensor_id[tensor])
        return MemoryEvent(time_ns, action, devices[tensor], of_torch, version, sizes[tensor], category[place], following)

    events = [event(-1, Action.PREEXISTING, tensor, 0) for tensor in _named(trace, flow) if tensor not in made_ns]
    step_ns = np.repeat(start_ns[flow.step_row], np.diff(flow.edge_first)).tolist()
    edges = zip(
        step_ns, flow.edge_tensor.tolist(), flow.edge_version.tolist(),
        flow.edge_makes.tolist(), flow.edge_writes.tolist(), flow.edge_frees.tolist(), strict=True,
    )  # fmt: skip
    for time_ns, tensor, version, makes, writes, frees in edges:
        if makes:
            events.append(event(made_ns[tensor], Action.CREATE, tensor, 0))
        elif writes:
            events.append(event(time_ns, Action.INCREMENT_VERSION, tensor, version))
        if frees:
            events.append(event(freed_ns[tensor], Action.DESTROY, tensor, last[tensor] - first[tensor]))
    return events


def _named(trace: Trace, flow: TensorFlow) -> list[int]:
    """Tensors that an operator uses, or that are a parameter, a gradient or an optimizer's state."""
    used = np.concatenate((flow.edge_tensor, flow.of_tensors[trace.tensors.part != 0]))
    named: list[int] = np.unique(used[used != NONE]).tolist()
    return named


def _times(trace: Trace, flow: TensorFlow, start_ns: Int64Array, sign: int) -> dict[int, int]:
    """When each tensor's memory was taken (1) or given back (-1); the last time counts."""
    rows = np.flatnonzero((flow.of_memory != NONE) & (np.sign(trace.memory.bytes) == sign))
    rows = rows[np.argsort(start_ns[trace.memory.row[rows]], kind="stable")]
    return dict(zip(flow.of_memory[rows].tolist(), start_ns[trace.memory.row[rows]].tolist(), strict=True))


def _devices(trace: Trace, flow: TensorFlow) -> list[str]:
    names = [""] * len(flow.tensor_id)
    for table, tensor in ((trace.memory, flow.of_memory), (trace.tensors, flow.of_tensors)):
        known = np.flatnonzero(tensor != NONE)
        of_each, at = np.unique(tensor[known], return_index=True)
        rows = known[at]
        for place, kind, index in zip(
            of_each.tolist(), table.device_type[rows].tolist(), table.device_index[rows].tolist(), strict=True
        ):
            names[place] = names[place] or _device(kind, index)
    return names


def _device(device_type: int, index: int) -> str:
    return device_name(device_type, index) or "unknown"


def _sizes(trace: Trace, flow: TensorFlow) -> list[int]:
    """Bytes of each tensor: what was allocated; of those made before, what their largest strided view reaches."""
    tensors = trace.tensors
    found = np.zeros(len(flow.tensor_id), np.int64)
    rows = np.flatnonzero(flow.of_tensors != NONE)
    seen: dict[tuple[int, int, int, int], int] = {}
    reach = []
    columns = (tensors.sizes_id, tensors.strides_id, tensors.dtype_id, tensors.layout_id)
    for key in zip(*(column[rows].tolist() for column in columns), strict=True):
        if key not in seen:
            seen[key] = _reach(*(trace.text(i) for i in key))
        reach.append(seen[key])
    np.maximum.at(found, flow.of_tensors[rows], np.array(reach, np.int64))
    known = np.flatnonzero((flow.of_memory != NONE) & (trace.memory.bytes != 0))
    known = known[np.argsort(-trace.events.start_ns[trace.memory.row[known]], kind="stable")]
    found[flow.of_memory[known]] = np.abs(trace.memory.bytes[known])  # the last one written is the first in time
    sizes: list[int] = found.tolist()
    return sizes


def _reach(sizes: str, strides: str, dtype: str, layout: str) -> int:
    if layout != "strided":
        return 0
    of_sizes, of_strides = (msgspec.json.decode(text or "[]", type=list[int]) for text in (sizes, strides))
    n_elements = max((size * stride for size, stride in zip(of_sizes, of_strides, strict=False)), default=1)
    return n_elements * _ELEMENT_BYTES.get(dtype, 1)
