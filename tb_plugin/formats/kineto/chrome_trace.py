"""The whole profile as Chrome trace JSON, the format of `torch.profiler.profile.export_chrome_trace`.

Reading the written file gives the same Trace. Times are µs with three decimals, relative to `baseTimeNanoseconds`; of files
from before 2024, whose times are rounded, they are since 1970, as there. What JSON cannot hold (`trace.live`) is not in it.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.formats import slices, whole_file
from tb_plugin.formats.work_arguments import arguments_with_work
from tb_plugin.trace.kinds import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tb_plugin.trace.model import Device, Trace

_PHASES: Final = ("s", "t", "f")
_FLAGS: Final = ("record_shapes", "profile_memory", "with_stack", "with_flops", "with_modules")
_LINES = 5_000  # written at once


def write(trace: Trace, path: str | Path) -> tuple[str, ...]:
    """Writes the file, compressed when the name ends in .gz, and says what it cannot hold."""
    path = Path(path)
    with whole_file.written(path) as file:
        file.write(_json(head(trace, path.name))[:-1].encode() + b',\n"traceEvents": [')
        separator = "\n"
        for lines in (_names_of_tracks(trace), _flows(trace), _events(trace)):
            batch: list[str] = []
            for line in lines:
                batch.append(line)
                if len(batch) == _LINES:
                    file.write((separator + ",\n".join(batch)).encode())
                    separator, batch = ",\n", []
            if batch:
                file.write((separator + ",\n".join(batch)).encode())
                separator = ",\n"
        file.write(b"\n]}\n")
    return tuple(lost(trace))


def head(trace: Trace, name: str) -> dict[str, Any]:
    """What stands around the events: devices, ranks, options, versions, the time base."""
    info = trace.info
    distributed_keys = ("pg_count", "pg_config", "nccl_version")
    distributed = {key: value for key in distributed_keys if (value := info.metadata.get(key)) is not None}
    distributed |= {
        key: value
        for key, value in (("backend", info.backend), ("rank", info.rank), ("world_size", info.world_size))
        if value is not None
    }
    found: dict[str, Any] = {"schemaVersion": 1, "deviceProperties": [_properties(device) for device in info.devices]}
    found |= {flag: int(value) for flag in _FLAGS if (value := getattr(info, flag)) is not None}
    found |= {key: value for key, value in info.metadata.items() if key not in distributed_keys}
    if distributed:
        found["distributedInfo"] = distributed
    texts = (("trace_id", info.trace_id), ("host_name", info.host), ("torch_version", info.torch_version))
    found |= {key: value for key, value in texts if value}
    found.pop("baseTimeNanoseconds", None)  # the base is `info.base_ns`, moved to the first event
    found.pop("traceEvents", None)
    base_ns, _ = _bases(trace)
    if base_ns or info.resolution_ns == 1:
        found["baseTimeNanoseconds"] = base_ns
    return {"traceName": name, "displayTimeUnit": "ms"} | found


def _properties(device: Device) -> dict[str, Any]:
    """As Kineto tells them; of a device that another tool recorded, what is known."""
    if device.properties:
        return device.properties
    major, _, minor = (device.compute_capability or "").partition(".")
    known = {"name": device.name or None, "totalGlobalMem": device.memory_bytes, "numSms": device.multiprocessors}
    known |= {"computeMajor": int(major), "computeMinor": int(minor or 0)} if major.isdecimal() else {}
    return {"id": device.index} | {key: value for key, value in known.items() if value is not None}


def lost(trace: Trace) -> Iterator[str]:
    if len(trace.live):
        yield "what only the live profiler knew (true ends of open ranges, scopes)"
    if len(trace.tensors) or len(trace.frames) or (trace.memory.tensor_id != NONE).any():
        yield "ids of tensors and allocations, callers and objects of Python frames"
    if trace.info.schedule is not None or trace.info.worker:
        yield "schedule and worker"
    if trace.issues:
        yield "issues found while reading"


def _events(trace: Trace) -> Iterator[str]:
    """In the order of the file they came from."""
    events, clock, args = trace.events, _Clock(trace), arguments_with_work(trace)
    places = [f',"pid":{_json(pid)},"tid":{_json(tid)},"ts":' for pid, tid in _places(trace)]
    labels: dict[tuple[int, int], str] = {}
    rows = np.argsort(events.order, kind="stable")
    columns = (events.kind, events.category_id, events.name_id, events.track, events.start_ns, events.end_ns, events.order)
    for kind, category_id, name_id, track, start, end, order in zip(*(column[rows].tolist() for column in columns), strict=True):
        label = labels.get((category_id, name_id))
        if label is None:
            category = f'"cat":{_json(trace.text(category_id))},' if category_id != NONE else ""
            labels[(category_id, name_id)] = label = f'{category}"name":{_json(trace.text(name_id))}'
        if not slices.is_point(kind, start, end):
            phase, length = '"ph":"X"', f',"dur":{clock.length(end - start)}'
        else:
            phase, length = ('"ph":"C"', "") if kind == Kind.COUNTER else ('"ph":"i","s":"t"', "")
        text = args(order)
        given = f',"args":{text}' if text else ""
        yield f"{{{phase},{label}{places[track]}{clock.time(start)}{length}{given}}}"


def _flows(trace: Trace) -> Iterator[str]:
    places, clock = _places(trace), _Clock(trace)
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
        text = _json(trace.text(category_id))
        bind = ',"bp":"e"' if phase == 2 else ""
        yield (
            f'{{"ph":"{_PHASES[phase]}","id":{flow_id},"pid":{_json(pid)},"tid":{_json(tid)},"ts":{clock.time(time_ns)},'
            f'"cat":{text},"name":{text}{bind}}}'
        )


class _Clock:
    """Nanoseconds as the decimals that a reader makes the same nanoseconds of: a float would round the last."""

    def __init__(self, trace: Trace) -> None:
        _, self._base_ns = _bases(trace)
        self._whole = trace.info.resolution_ns == 1000

    def time(self, ns: int) -> str:
        return self.length(self._base_ns + ns)

    def length(self, ns: int) -> str:
        sign, ns = "-" if ns < 0 else "", abs(ns)
        return f"{sign}{ns // 1000}" if self._whole else f"{sign}{ns // 1000}.{ns % 1000:03d}"


def _bases(trace: Trace) -> tuple[int, int]:
    """(`baseTimeNanoseconds`, what every time has in it besides), ns; together they are `info.base_ns`."""
    events, base_ns = trace.events, trace.info.base_ns
    if trace.info.resolution_ns > 1:
        return base_ns % 1000, base_ns - base_ns % 1000
    # Where every time is whole µs by chance, 1 ns moves over: readers take such files for rounded ones.
    shift_ns = int(not ((events.start_ns % 1000).any() or (events.end_ns % 1000).any()))
    return base_ns - shift_ns, shift_ns


def _names_of_tracks(trace: Trace) -> Iterator[str]:
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
                place = f'"pid":{_json(pid)},"tid":{_json(tid)}'
                yield f'{{"ph":"M","name":"{name}","ts":{start},{place},"args":{{"{key}":{_json(value)}}}}}'


def _places(trace: Trace) -> list[tuple[int | str, int | str]]:
    """(pid, tid) of each track as the file had them: numbers as numbers."""
    pids, tids = trace.tracks.pid_id.tolist(), trace.tracks.tid_id.tolist()
    return [(_number(trace.text(pid)), _number(trace.text(tid))) for pid, tid in zip(pids, tids, strict=True)]


def _number(text: str) -> int | str:
    number = int(text) if text.lstrip("-").isdecimal() and text.count("-") < 2 and len(text) < 18 else None
    return number if number is not None and str(number) == text else text


def _json(value: Any) -> str:
    """JSON that any reader takes: no half characters, no NaN."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError:
        text = json.dumps(_without_nan(value), ensure_ascii=False)
    # Half a surrogate pair has no UTF-8; and this reader's library takes none as an escape either.
    return text.encode("utf-8", "replace").decode()


def _without_nan(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    return [_without_nan(item) for item in value] if isinstance(value, list) else value
