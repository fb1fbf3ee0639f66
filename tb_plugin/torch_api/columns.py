"""EventList as columns: which rows of a Trace torch lists, in which order, under which name, with which parent and times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tb_plugin.base.units import NONE, BoolArray, Float64Array, Int32Array, Int64Array
from tb_plugin.torch_api import self_and_total
from tb_plugin.torch_api.device import ON_DEVICE, device_of_trace, is_range, lifted_rows, named, owner_rows
from tb_plugin.torch_api.live import live_facts, thread_numbers
from tb_plugin.torch_api.memory import MemoryRecords, wanted_in_vain
from tb_plugin.trace.device_types import TORCH_NAMES, DeviceType
from tb_plugin.trace.kinds import HOST_KINDS, Kind, is_kind
from tb_plugin.trace.names import OVERLOAD, rows_named
from tb_plugin.trace.times.operator_times import NOT_IN_EVENT_LIST, STEP_KEY, nest_parents, only_wraps, parent_among

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


@dataclass(frozen=True, kw_only=True)
class EventColumns:
    """One entry per FunctionEvent, by start and then longest first. Times are µs since the profiler started.

    place  row  name         start_us   end_us  parent  cpu_us  self_cpu_us  is_async
        0    1  aten::linear     0.0     100.0      -1   100.0         20.0   False
        1    2  aten::addmm     10.0      90.0       0    80.0         80.0   False

    `name` and `overload` are ids into `texts`; `device_type` holds numbers of `DeviceType`; `thread` holds torch's own number of
    the thread where it is known, else the system's.
    """

    texts: tuple[str, ...]
    device: DeviceType
    row: Int64Array
    name: Int64Array
    overload: Int64Array
    start_us: Float64Array
    end_us: Float64Array
    parent: Int32Array
    is_async: BoolArray
    is_user_annotation: BoolArray
    device_type: npt.NDArray[np.int8]
    scope: npt.NDArray[np.int16]
    thread: Int64Array
    track_thread: Int64Array
    cpu_us: Float64Array
    self_cpu_us: Float64Array
    device_us: Float64Array
    self_device_us: Float64Array
    cpu_bytes: Int64Array
    self_cpu_bytes: Int64Array
    device_bytes: Int64Array
    self_device_bytes: Int64Array
    kernel_row: Int64Array
    kernel_place: Int64Array
    """Kernels and the place of the operator that torch adds each to."""

    @property
    def use_device(self) -> str | None:
        return None if self.device is DeviceType.CPU else TORCH_NAMES[self.device.value]


def event_columns(trace: Trace) -> EventColumns:
    """Torch's `_parse_kineto_results`, `_populate_cpu_children` and `_remove_dup_nodes`, on columns."""
    events = trace.events
    live = live_facts(trace)
    device = device_of_trace(trace)
    on_cpu, on_device = _listed(trace)
    cpu_bytes, device_bytes, alone = _memory(trace, np.flatnonzero(on_cpu), live.end_ns)
    out_of_memory = np.flatnonzero(trace.events.kind == Kind.OUT_OF_MEMORY)
    on_cpu[alone] = on_cpu[out_of_memory] = True

    names, texts = _names(trace)
    parent = _parents(trace, on_cpu & ~live.is_async, out_of_memory)
    kept = (on_cpu | on_device) & ~only_wraps(parent, on_cpu, lambda rows: names[0][events.name_id[rows]])
    parent = parent_among(parent, kept)
    row = _ordered(trace, np.flatnonzero(kept), live.end_ns)
    place = np.full(len(events), NONE, np.int32)
    place[row] = np.arange(len(row), dtype=np.int32)

    zero = _zero_ns(trace)
    start_us = (events.start_ns[row] - zero) / 1000
    end_us = (live.end_ns[row] - zero) / 1000
    own_parent = np.where(parent[row] == NONE, NONE, place[parent[row]]).astype(np.int32)
    is_cpu = on_cpu[row]
    nests = is_cpu & ~live.is_async[row]
    cpu_us = np.where(is_cpu, end_us - start_us, 0.0)
    kernel_row, kernel_place = _kernels(trace, device, live.is_async, place)
    device_us = self_device_us = np.zeros(len(row))
    if device is not DeviceType.CPU:
        device_us, self_device_us = _device_times(place, own_parent, (end_us - start_us), is_cpu, kernel_row, kernel_place)
    thread_number = thread_numbers(trace, live.scope)
    return EventColumns(
        texts=texts,
        device=device,
        row=row,
        name=names[0][events.name_id[row]],
        overload=names[1][events.name_id[row]],
        start_us=start_us,
        end_us=end_us,
        parent=own_parent,
        is_async=live.is_async[row],
        is_user_annotation=is_range(trace)[row],
        device_type=np.where(is_cpu, DeviceType.CPU.value, device.value).astype(np.int8),
        scope=live.scope[row],
        thread=np.where(thread_number == NONE, _system_threads(trace), thread_number)[events.track[row]],
        track_thread=thread_number,
        cpu_us=cpu_us,
        self_cpu_us=np.where(nests, cpu_us - self_and_total.children_sum(own_parent, cpu_us), 0.0),
        device_us=device_us,
        self_device_us=self_device_us,
        cpu_bytes=cpu_bytes[row],
        self_cpu_bytes=np.where(nests, cpu_bytes[row] - self_and_total.children_sum_int(own_parent, cpu_bytes[row]), 0),
        device_bytes=device_bytes[row],
        self_device_bytes=np.where(nests, device_bytes[row] - self_and_total.children_sum_int(own_parent, device_bytes[row]), 0),
        kernel_row=kernel_row,
        kernel_place=kernel_place,
    )


def _listed(trace: Trace) -> tuple[BoolArray, BoolArray]:
    """Rows that are events of the CPU and of a device in EventList, allocations apart."""
    kind = trace.events.kind
    on_cpu = is_kind(kind, (*HOST_KINDS, Kind.OVERHEAD))
    named_rows = np.flatnonzero(is_kind(kind, (Kind.OPERATOR, Kind.ANNOTATION)))
    on_cpu[named_rows[rows_named(trace, named_rows, NOT_IN_EVENT_LIST.__contains__)]] = False
    return on_cpu, is_kind(kind, ON_DEVICE)


def _memory(trace: Trace, cpu_rows: Int64Array, end_ns: Int64Array) -> tuple[Int64Array, Int64Array, Int64Array]:
    """(CPU bytes, device bytes) by event row, and the rows of allocations that belong to no event."""
    events = trace.events
    records = MemoryRecords(trace)
    cpu_bytes, device_bytes = np.zeros(len(events), np.int64), np.zeros(len(events), np.int64)
    cpu_bytes[cpu_rows], device_bytes[cpu_rows], alone = records.within(events.start_ns[cpu_rows], end_ns[cpu_rows])
    for values, of_records in ((cpu_bytes, records.cpu_bytes), (device_bytes, records.device_bytes)):
        values[alone] = of_records[np.isin(records.row, alone)]
    out_of_memory = np.flatnonzero(events.kind == Kind.OUT_OF_MEMORY)
    cpu_bytes[out_of_memory], device_bytes[out_of_memory] = wanted_in_vain(trace, out_of_memory)
    return cpu_bytes, device_bytes, alone


def _names(trace: Trace) -> tuple[tuple[Int64Array, Int64Array], tuple[str, ...]]:
    """(key, overload name) by name id, and the texts of both."""
    events = trace.events
    used = np.unique(events.name_id[is_kind(events.kind, (Kind.OPERATOR, Kind.ANNOTATION))])
    texts = list(trace.strings)
    place = {text: number for number, text in enumerate(texts)}
    key = np.arange(len(texts) + 1, dtype=np.int64)
    overload = np.full(len(texts) + 1, NONE, np.int64)

    def number_of(text: str) -> int:
        if text not in place:
            place[text] = len(texts)
            texts.append(text)
        return place[text]

    key[NONE] = number_of("")  # rows without a name
    for name_id in used.tolist():
        text = trace.strings[name_id] if name_id >= 0 else ""
        split = OVERLOAD.match(text)
        if text.startswith("ProfilerStep#"):
            key[name_id] = number_of(STEP_KEY)
        elif split:
            key[name_id], overload[name_id] = number_of(split[1]), number_of(split[2])
    return (key, overload), tuple(texts)


def _parents(trace: Trace, nests: BoolArray, out_of_memory: Int64Array) -> Int32Array:
    """EventList's parents. Tracks with asynchronous ranges, and with rows that no tree of the Trace holds, nest anew."""
    events = trace.events
    left_out = is_kind(events.kind, (Kind.OPERATOR, Kind.ANNOTATION)) & ~nests
    listed_names = np.flatnonzero(left_out)
    asynchronous = listed_names[~rows_named(trace, listed_names, NOT_IN_EVENT_LIST.__contains__)]
    strange = np.flatnonzero(nests & (events.kind == Kind.OVERHEAD))
    anew = np.unique(events.track[np.concatenate((asynchronous, strange, out_of_memory))])
    return nest_parents(trace, nests, anew)


def _ordered(trace: Trace, rows: Int64Array, end_ns: Int64Array) -> Int64Array:
    """By start, then longest first, then as recorded; allocations that belong to nothing come last, as torch adds them last."""
    events = trace.events
    rows = rows[np.argsort(events.start_ns[rows], kind="stable")]
    start = events.start_ns[rows]
    same = np.concatenate(([False], start[1:] == start[:-1])) if len(rows) else np.empty(0, np.bool_)
    if not same.any():
        return rows
    # Only rows that share a start need the other keys.
    tied = np.flatnonzero(same | np.append(same[1:], False))
    group, among = np.cumsum(~same)[tied], rows[tied]
    is_memory = is_kind(events.kind[among], (Kind.MEMORY, Kind.OUT_OF_MEMORY))
    rows[tied] = among[np.lexsort((events.order[among], is_memory, -end_ns[among], group))]
    return rows


def _zero_ns(trace: Trace) -> int:
    """When the profiler started: torch's times count from there."""
    span = named(trace, "PyTorch Profiler")
    return int(trace.events.start_ns[span[0]]) if len(span) else trace.info.start_ns


def _kernels(trace: Trace, device: DeviceType, is_async: BoolArray, place: Int32Array) -> tuple[Int64Array, Int64Array]:
    """(row of each kernel that an operator of the list launched, place of that operator), in the list's order."""
    rows = lifted_rows(trace, device)
    rows = rows[place[rows] != NONE]
    rows = rows[np.argsort(place[rows], kind="stable")]
    if len(rows) == 0:
        return rows, rows
    events = trace.events
    is_owner = is_kind(events.kind, (Kind.OPERATOR, Kind.ANNOTATION)) & ~is_async
    owner = owner_rows(trace, rows, is_owner)
    listed = owner >= 0
    # An operator that only wraps one of its own name stands for both.
    above = events.nest_parent
    at = np.where(listed, owner, 0)
    while True:
        gone = listed & (place[at] == NONE) & (above[at] != NONE) & (events.name_id[above[at]] == events.name_id[at])
        if not gone.any():
            break
        at = np.where(gone, above[at], at)
    listed &= place[at] != NONE
    return rows[listed], place[at[listed]].astype(np.int64)


def _device_times(
    place: Int32Array,
    parent: Int32Array,
    elapsed_us: Float64Array,
    is_cpu: BoolArray,
    kernel_row: Int64Array,
    kernel_place: Int64Array,
) -> tuple[Float64Array, Float64Array]:
    """(total, self): an operator's kernels and its children's; a device event's own length."""
    own = np.bincount(kernel_place, weights=elapsed_us[place[kernel_row]], minlength=len(parent))
    total = self_and_total.with_descendants(own.astype(np.float64, copy=False), parent)
    self_us = total - self_and_total.children_sum(parent, total)
    return np.where(is_cpu, total, elapsed_us), np.where(is_cpu, self_us, elapsed_us)


def _system_threads(trace: Trace) -> Int64Array:
    """The file's tid of each track, where it is a number."""
    texts = [trace.text(int(tid)) for tid in trace.tracks.tid_id]
    return np.array([int(text) if text.isdecimal() and len(text) < 18 else NONE for text in texts], np.int64)
