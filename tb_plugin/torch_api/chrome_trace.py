"""The whole profile as Chrome trace JSON, the format of `torch.profiler.profile.export_chrome_trace`.

Reading the written file gives the same Trace. Times are µs with three decimals, relative to `baseTimeNanoseconds`; of files
from before 2024, whose times are rounded, they are since 1970, as there. What JSON cannot hold (`trace.live`) is not in it.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np
import zstandard

from tb_plugin.base.units import NONE
from tb_plugin.trace.kinds import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tb_plugin.trace.model import Trace

_INSTANTS: Final = (Kind.MEMORY, Kind.OUT_OF_MEMORY, Kind.INSTANT)
_PHASES: Final = ("s", "t", "f")
_FLAGS: Final = ("record_shapes", "profile_memory", "with_stack", "with_flops", "with_modules")


def write(trace: Trace, path: str | Path) -> None:
    """Compressed when the name ends in .gz."""
    path = Path(path)
    with gzip.open(path, "wb", compresslevel=1) if path.suffix == ".gz" else path.open("wb") as file:
        file.write(json.dumps(_head(trace, path.name), ensure_ascii=False).encode("utf-8", "replace")[:-1])
        file.write(b',\n"traceEvents": [')
        separator = b"\n"
        for event in (*_names_of_tracks(trace), *_flows(trace)):
            file.write(separator + event)
            separator = b",\n"
        for event in _events(trace):
            file.write(separator + event)
            separator = b",\n"
        file.write(b"\n]}\n")


def _head(trace: Trace, name: str) -> dict[str, Any]:
    info = trace.info
    distributed_keys = ("pg_count", "pg_config", "nccl_version")
    distributed = {key: value for key in distributed_keys if (value := info.metadata.get(key)) is not None}
    distributed |= {
        key: value
        for key, value in (("backend", info.backend), ("rank", info.rank), ("world_size", info.world_size))
        if value is not None
    }
    head: dict[str, Any] = {"schemaVersion": 1, "deviceProperties": [device.properties for device in info.devices]}
    head |= {flag: 1 for flag in _FLAGS if getattr(info, flag)}
    head |= {key: value for key, value in info.metadata.items() if key not in distributed_keys}
    if distributed:
        head["distributedInfo"] = distributed
    texts = (("trace_id", info.trace_id), ("host_name", info.host), ("torch_version", info.torch_version))
    head |= {key: value for key, value in texts if value}
    if info.resolution_ns == 1:
        head["baseTimeNanoseconds"] = info.base_ns
    return {"traceName": name, "displayTimeUnit": "ms"} | head


def _events(trace: Trace) -> Iterator[bytes]:
    """In the order of the file they came from."""
    places, microseconds = _places(trace), _Clock(trace)
    events = trace.events
    args = _Arguments(trace)
    for row in np.argsort(events.order, kind="stable").tolist():
        pid, tid = places[events.track[row]]
        kind, start = events.kind[row], int(events.start_ns[row])
        event: dict[str, Any] = {"ph": "C"} if kind == Kind.COUNTER else {"ph": "X"}
        if kind in _INSTANTS:
            event = {"ph": "i", "s": "t"}
        category = trace.text(int(events.category_id[row]))
        if category:
            event["cat"] = category
        event |= {"name": trace.text(int(events.name_id[row])), "pid": pid, "tid": tid, "ts": microseconds.time(start)}
        if event["ph"] == "X":
            event["dur"] = microseconds.length(int(events.end_ns[row]) - start)
        raw = args.of(int(events.order[row]))
        if raw is not None:
            event["args"] = raw
        yield msgspec.json.encode(event)


def _flows(trace: Trace) -> Iterator[bytes]:
    places, microseconds = _places(trace), _Clock(trace)
    columns = trace.flows
    for phase, category_id, flow_id, time_ns, track in zip(
        columns.phase.tolist(),
        columns.category_id.tolist(),
        columns.flow_id.tolist(),
        columns.time_ns.tolist(),
        columns.track.tolist(),
        strict=True,
    ):
        pid, tid = places[track]
        text = trace.text(category_id)
        arrow = {"ph": _PHASES[phase], "id": flow_id, "pid": pid, "tid": tid, "ts": microseconds.time(time_ns)}
        yield msgspec.json.encode(arrow | {"cat": text, "name": text} | ({"bp": "e"} if phase == 2 else {}))


class _Clock:
    """Nanoseconds as the decimals that a reader makes the same nanoseconds of: a float would round the last."""

    def __init__(self, trace: Trace) -> None:
        self._base_ns = 0 if trace.info.resolution_ns == 1 else trace.info.base_ns
        self._whole = trace.info.resolution_ns == 1000

    def time(self, ns: int) -> msgspec.Raw:
        return self.length(self._base_ns + ns)

    def length(self, ns: int) -> msgspec.Raw:
        sign, ns = "-" if ns < 0 else "", abs(ns)
        return msgspec.Raw((f"{sign}{ns // 1000}" if self._whole else f"{sign}{ns // 1000}.{ns % 1000:03d}").encode())


class _Arguments:
    """Undecoded arguments by order; asked for in ascending order, so one open block is enough."""

    def __init__(self, trace: Trace) -> None:
        self._blocks = iter(trace.args)
        self._next = next(self._blocks, None)
        self._first = 0
        self._items: list[msgspec.Raw] = []

    def of(self, order: int) -> msgspec.Raw | None:
        while self._next is not None and self._next[0] <= order:
            self._first, block = self._next
            text = zstandard.ZstdDecompressor().decompress(block)
            self._items = msgspec.json.decode(text, type=list[msgspec.Raw])
            self._next = next(self._blocks, None)
        place = order - self._first
        raw = self._items[place] if 0 <= place < len(self._items) else None
        return None if raw is None or bytes(raw) == b"null" else raw


def _names_of_tracks(trace: Trace) -> Iterator[bytes]:
    tracks = trace.tracks
    start = _Clock(trace).time(0)
    seen: set[Any] = set()
    for track, (pid, tid) in enumerate(_places(trace)):
        process, thread = trace.text(int(tracks.process_name_id[track])), trace.text(int(tracks.thread_name_id[track]))
        named: list[tuple[str, str, Any]] = []
        if pid not in seen:
            seen.add(pid)
            named.append(("process_name", "name", process))
            if tracks.sort_index[track] != NONE:
                named.append(("process_sort_index", "sort_index", int(tracks.sort_index[track])))
        named.append(("thread_name", "name", thread))
        for name, key, value in named:
            # Every thread gets its line, named or not: tracks are numbered as they appear.
            if value != "" or name == "thread_name":
                yield msgspec.json.encode({"ph": "M", "name": name, "ts": start, "pid": pid, "tid": tid, "args": {key: value}})


def _places(trace: Trace) -> list[tuple[int | str, int | str]]:
    """(pid, tid) of each track as the file had them: numbers as numbers."""
    pids, tids = trace.tracks.pid_id.tolist(), trace.tracks.tid_id.tolist()
    return [(_number(trace.text(pid)), _number(trace.text(tid))) for pid, tid in zip(pids, tids, strict=True)]


def _number(text: str) -> int | str:
    return int(text) if text.lstrip("-").isdecimal() and len(text) < 18 else text
