"""A snapshot's entries as rows: a track per device, with its events and the frames around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.formats.interning import Strings
from tb_plugin.formats.issue_log import IssueLog
from tb_plugin.formats.snapshot import state
from tb_plugin.formats.snapshot.frames import FrameStacks, ranges
from tb_plugin.formats.snapshot.parts import Entry
from tb_plugin.trace.args import ArgsWriter
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.memory.devices import CUDA
from tb_plugin.trace.memory.names import HELD_BEFORE, MEMORY, NO_TOTALS
from tb_plugin.trace.model import TraceInfo
from tb_plugin.trace.raw import RawEvents, RawTrace, RawTrack

if TYPE_CHECKING:
    from tb_plugin.formats.snapshot.parts import Segment, Snapshot

_OOM: Final = "oom"
_LEFT_OUT: Final = ("free_completed", "snapshot")  # they change nothing that is shown
_STEP_NS: Final = 2  # the least between two events, so that a frame that ends 1 ns after its event ends before the next
_US: Final = 1000
_FIRST_NS: Final = 1_000_000_000  # where no times are recorded: late enough for what stands before
_LATEST_US: Final = 1 << 52  # later is no time, and ns of it would overflow
_ARGS_AT_ONCE: Final = 1 << 14
_EVENT: Final = ("start_ns", "end_ns", "name_id", "category_id", "kind", "track")
_MEMORY: Final = ("device_index", "address", "bytes", "total_allocated", "total_reserved")

_Columns = dict[str, npt.NDArray[Any]]


def rows(snapshot: Snapshot, source: str, format_name: str) -> RawTrace:
    """Everything of the file. ValueError or OverflowError for numbers that no column holds."""
    strings, issues = Strings(), IssueLog()
    stacks = FrameStacks(strings)
    segments: dict[int, list[Segment]] = {}
    for segment in snapshot.segments:
        segments.setdefault(segment.device, []).append(segment)
    traces = {device: entries for device, entries in enumerate(snapshot.device_traces) if entries}
    tracks: list[RawTrack] = []
    parts: list[_Columns] = []
    args = ArgsWriter()
    # Devices are taken for CUDA's: a snapshot does not say whether torch was built for ROCm.
    times = {device: _times(entries, issues) for device, entries in traces.items()}
    first_ns = min((int(time_ns[0]) for time_ns in times.values()), default=_FIRST_NS)
    for device in sorted({*segments, *traces}):
        entries, time_ns = traces.get(device, []), times.get(device, np.empty(0, np.int64))
        part, texts = _device(device, entries, time_ns, first_ns, segments.get(device, []), strings, stacks, issues)
        part["track"] = np.full(len(texts), len(tracks), np.int64)
        parts.append(part)
        tracks.append(
            RawTrack(pid=f"CUDA {device}", tid="allocator", process_name="memory snapshot", thread_name=f"CUDA {device}")
        )
        for first in range(0, len(texts), _ARGS_AT_ONCE):
            block = texts[first : first + _ARGS_AT_ONCE]
            args.add(msgspec.json.encode(block), len(block))
    info = TraceInfo(
        source=source,
        format=format_name,
        resolution_ns=1,  # microseconds, made distinct: their order is exact
        profile_memory=True,
        with_stack=len(stacks.stacks) > 1,
        metadata={"memory_segments": [state.summary(device, segments[device]) for device in sorted(segments)]},
    )
    return _raw(strings, tracks, parts, args, issues, info)


def _device(
    device: int,
    entries: list[Entry],
    time_ns: Int64Array,
    first_ns: int,
    segments: list[Segment],
    strings: Strings,
    stacks: FrameStacks,
    issues: IssueLog,
) -> tuple[_Columns, list[dict[str, Any] | None]]:
    """(columns of its rows by time, their arguments). `first_ns`: of the first entry of any device."""
    blocks = state.held_blocks(segments)
    held = state.not_allocated_in(entries, blocks)
    time_ns = np.concatenate((first_ns - _STEP_NS * np.arange(len(held), 0, -1, dtype=np.int64), time_ns))
    if held:
        text = "blocks that were allocated before the recording and are still held stand before its first event"
        issues.add("held from before", text, 0, len(held))
        before = (Entry(action=state.HELD, size=b.requested, addr=b.address, stream=b.stream, frames=b.frames) for b in held)
        entries = [*before, *entries]
    actions = [entry.action for entry in entries]
    size = np.array([entry.size for entry in entries], np.int64)
    address = np.array([entry.addr for entry in entries], np.int64)
    change = state.changes(actions, size, address)
    allocated = state.totals(change.allocated, sum(block.requested for block in blocks))
    reserved = state.totals(change.reserved, sum(segment.total_size for segment in segments))
    if allocated is None or reserved is None:
        issues.add(NO_TOTALS, "what is allocated cannot be counted back from the end: the list of entries is not complete", 0)
        allocated = reserved = np.full(len(entries), NONE, np.int64)
    allocated[: len(held)] = allocated[len(held) - 1] if held else NONE  # they are all there from the beginning

    shown = np.flatnonzero(change.counts | ~np.isin(np.array(actions, np.str_), _LEFT_OUT))
    counts = change.counts.tolist()
    labels = [_label(actions[i], is_memory=counts[i]) for i in shown.tolist()]
    events: _Columns = {
        "start_ns": time_ns[shown],
        "end_ns": time_ns[shown],
        "name_id": np.array([strings[name] for name, _ in labels], np.int64),
        "kind": np.array([kind for _, kind in labels], np.int64),
        "category_id": np.full(len(shown), strings["cpu_instant_event"], np.int64),
        "bytes": change.allocated[shown],
        "address": address[shown],
        "total_allocated": allocated[shown],
        "total_reserved": reserved[shown],
        "device_index": np.full(len(shown), device, np.int64),
    }
    texts = _arguments([entries[i] for i in shown.tolist()], events)
    stack = np.array([stacks.number(entries[i].frames) for i in shown.tolist()], np.int64)
    frames = ranges(time_ns[shown], stack, stacks.stacks)
    n = len(frames.start_ns)
    above: _Columns = {
        **{name: np.zeros(n, np.int64) for name in events},
        **frames._asdict(),
        "kind": np.full(n, int(Kind.PYTHON)),
        "category_id": np.full(n, strings["python_function"]),
    }
    # Of one time: frames from the outermost, as they were made, then the event.
    by_time = np.argsort(np.concatenate((above["start_ns"], events["start_ns"])), kind="stable")
    columns = {name: np.concatenate((above[name], events[name]))[by_time] for name in events}
    every = [*([None] * n), *texts]
    return columns, [every[i] for i in by_time.tolist()]


def _times(entries: list[Entry], issues: IssueLog) -> Int64Array:
    """As recorded, ns, or by order alone where some have none; all different."""
    index = np.arange(len(entries), dtype=np.int64)
    if all(entry.time_us is not None and 0 < entry.time_us < _LATEST_US for entry in entries):
        time_ns = np.array([entry.time_us for entry in entries], np.float64).astype(np.int64) * _US
    else:
        issues.add("no times", "this snapshot has no times (torch before 2.1): events are 1 us apart, in their order", 0)
        time_ns = _FIRST_NS + index * _US
    return np.maximum.accumulate(time_ns - _STEP_NS * index) + _STEP_NS * index


def _label(action: str, *, is_memory: bool) -> tuple[str, Kind]:
    if is_memory:
        return (HELD_BEFORE if action == state.HELD else MEMORY), Kind.MEMORY
    return ("[OutOfMemory]", Kind.OUT_OF_MEMORY) if action == _OOM else (action, Kind.INSTANT)


def _arguments(entries: list[Entry], events: _Columns) -> list[dict[str, Any]]:
    """As torch's profiler writes them for `[memory]`, so that a converted file says the same."""
    columns = (events[name].tolist() for name in ("kind", "device_index", "bytes", "total_allocated", "total_reserved"))
    found = []
    for entry, kind, device, change, allocated, reserved in zip(entries, *columns, strict=True):
        said: dict[str, Any] = {"Device Type": CUDA, "Device Id": device, "Stream": entry.stream}
        if kind == Kind.OUT_OF_MEMORY:
            said |= {"Bytes": entry.size, "Device Free": entry.device_free}
        else:
            said |= {"Addr": entry.addr, "Bytes": change if kind == Kind.MEMORY else entry.size}
        if allocated != NONE:
            said |= {"Total Allocated": allocated, "Total Reserved": reserved}
        found.append(said)
    return found


def _raw(
    strings: Strings, tracks: list[RawTrack], parts: list[_Columns], args: ArgsWriter, issues: IssueLog, info: TraceInfo
) -> RawTrace:
    none = np.empty(0, np.int64)
    given = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]} if parts else {}
    columns = {name: given.get(name, none) for name in (*_EVENT, *_MEMORY)}
    memory = np.flatnonzero(columns["kind"] == Kind.MEMORY)
    return RawTrace(
        n_orders=len(columns["start_ns"]),
        strings=strings.texts,
        tracks=tracks,
        events=RawEvents.from_columns({name: columns[name] for name in _EVENT}),
        memory_order=memory.astype(np.int32),
        memory={"device_type": np.full(len(memory), CUDA), **{name: columns[name][memory] for name in _MEMORY}},
        args=args.finish(),
        info=info,
        issues=issues.as_list(),
    )
