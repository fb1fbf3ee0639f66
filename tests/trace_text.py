"""Traces drawn as text, in microseconds:

thread 1          | ProfilerStep#1 0-100 | aten::mm 0-15
thread 1          | aten::add 20-30
stream 7          | gemm_a 5-15 <- aten::mm
device 1 stream 7 | ncclDevKernel 8-20

`<- name` launches the kernel from the last event of that name that starts before it (a `cudaLaunchKernel` without length at that
event's start). Without it the kernel has no launch. Categories follow from the name: `ProfilerStep#`, `enumerate(Data...` and
names in <angle brackets> are annotations, `cuda...` and `hip...` runtime calls; `x.py(1): f`, `nn.Module:` and
`<built-in function f>` Python frames; on streams `Memcpy` is a copy, `Memset` a set.
"""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

import msgspec

from tb_plugin.formats.kineto.chunk import ChunkColumns
from tb_plugin.formats.kineto.events import Event
from tb_plugin.trace.build import build
from tb_plugin.trace.check import check

if TYPE_CHECKING:
    from tb_plugin.trace.model import Device, Trace

_EVENT = re.compile(r"(?P<name>.+?)\s+(?P<start>[\d.]+)-(?P<end>[\d.]+)(?:\s+<-\s+(?P<launcher>.+))?$")
_TRACK = re.compile(r"(?:device (?P<device>\d+) )?(?P<kind>thread|stream) (?P<number>\d+)$")
_PID = 4000
_BUILT_IN = "<built-in "


def trace_from_text(text: str) -> Trace:
    """A checked Trace of the drawing in the module's head."""
    host: list[Event] = []
    device: list[tuple[Event, str | None]] = []
    for line in filter(None, (line.strip() for line in text.splitlines())):
        track_text, *event_texts = (part.strip() for part in line.split("|"))
        track = _TRACK.match(track_text)
        assert track, f"not a track: {track_text!r}"
        for event_text in event_texts:
            match = _EVENT.match(event_text)
            assert match, f"not an event: {event_text!r}"
            start, end, name = float(match["start"]), float(match["end"]), match["name"]
            name = name if name.startswith(_BUILT_IN) else name.strip("<>")
            if track["kind"] == "thread":
                category = _host_category(match["name"])
                host.append(Event(name=name, cat=category, ph="X", ts=start, dur=end - start, pid=_PID, tid=int(track["number"])))
            else:
                pid, tid = int(track["device"] or 0), int(track["number"])
                category = _device_category(match["name"])
                device.append(
                    (Event(name=name, cat=category, ph="X", ts=start, dur=end - start, pid=pid, tid=tid), match["launcher"])
                )
    for place, event in enumerate(host):
        event.args = _raw({"External id": place + 1})
    launches = [_launch(event, launcher, host, 9000 + place) for place, (event, launcher) in enumerate(device)]
    columns = ChunkColumns()
    columns.add([*host, *(launch for launch in launches if launch), *(event for event, _ in device)])
    raw = columns.raw_trace({}, "text")
    raw.info = msgspec.structs.replace(raw.info, resolution_ns=1)  # whole microseconds, but not rounded ones
    trace = build(raw)
    check(trace)
    return trace


def with_inputs(trace: Trace, inputs: dict[str, tuple[str, str]], *devices: Device) -> Trace:
    """The trace with these ("Input Dims", "Input type") on the operators of these names, and of these devices."""
    strings, events = list(trace.strings), trace.events
    columns = (events.shapes_id.copy(), events.types_id.copy())
    for name, texts in inputs.items():
        named = events.name_id == trace.strings.index(name)
        for column, text in zip(columns, texts, strict=True):
            if text not in strings:
                strings.append(text)
            column[named] = strings.index(text)
    events = dataclasses.replace(events, shapes_id=columns[0], types_id=columns[1])
    info = msgspec.structs.replace(trace.info, devices=devices)
    return dataclasses.replace(trace, strings=tuple(strings), events=events, info=info)


def _launch(event: Event, launcher: str | None, host: list[Event], correlation: int) -> Event | None:
    """Sets the kernel's arguments and gives the call that started it."""
    event.args = _raw({"device": event.pid, "stream": event.tid, "correlation": correlation})
    if launcher is None:
        return None
    callers = [op for op in host if op.name == launcher.strip("<>") and op.ts <= event.ts]
    assert callers, f"no {launcher!r} before {event.name!r}"
    caller = max(callers, key=lambda op: op.ts)
    args = _raw({"correlation": correlation})
    return Event(
        name="cudaLaunchKernel", cat="cuda_runtime", ph="X", ts=caller.ts, dur=0, pid=caller.pid, tid=caller.tid, args=args
    )


def _device_category(name: str) -> str:
    if name.startswith("<"):
        return "gpu_user_annotation"
    return "gpu_memcpy" if "Memcpy" in name else "gpu_memset" if "Memset" in name else "kernel"


def _host_category(name: str) -> str:
    if name.startswith(_BUILT_IN):
        return "python_function"
    if name.startswith(("ProfilerStep#", "enumerate(Data", "<")):
        return "user_annotation"
    if name.startswith(("cuda", "hip")):
        return "cuda_runtime"
    if name.startswith("nn.Module") or ".py(" in name:
        return "python_function"
    return "cpu_op"


def _raw(args: dict[str, object]) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(args))
