"""Plays a program against a vendor's device and writes what torch's profiler would have: Chrome JSON, its order, its keys."""

from __future__ import annotations

import json
import random
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tests.vendors.vendor import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.vendors.vendor import Args, Stream, Vendor, Work

PID, MAIN, AUTOGRAD = 4200, 4200, 4311
BASE_NS = 1_699_999_000_000_000_000
START_NS = 1_000_250_000_000
LAUNCH_DELAY_NS = 4_000
Input = tuple[list[int], str]


class Recorder:
    """A clock that moves with what is done on the host, and a queue for each stream."""

    def __init__(self, vendor: Vendor) -> None:
        self.vendor = vendor
        self.now = START_NS
        self.thread = MAIN
        self._chance = random.Random(vendor.name)
        self._operators: list[dict[str, Any]] = []
        self._python: list[dict[str, Any]] = []
        self._memory: list[dict[str, Any]] = []
        self._work: list[dict[str, Any]] = []
        self._open: list[dict[str, Any]] = []  # ranges that are not closed; the last one launches
        self._frames: list[int | None] = [None]
        self._correlation = 900
        self._stream_end: dict[int, int] = {}
        self._spans: dict[tuple[int, int], list[int]] = {}  # of (place of an annotation, stream): start, end
        self._flows = 0
        self._allocated = {0: 0, 1: 0}

    def spend(self, microseconds: float) -> None:
        """The host works; never twice for exactly as long."""
        self.now += int(1000 * microseconds * (0.9 + 0.2 * self._chance.random()))

    @contextmanager
    def range(self, name: str, *inputs: Input, category: str = "cpu_op", args: Args | None = None) -> Iterator[None]:
        """An operator: some time of its own, what is in it, some more."""
        place = len(self._operators)
        shapes = {"Input Dims": [dims for dims, _ in inputs], "Input type": [kind for _, kind in inputs]} if inputs else {}
        event: dict[str, Any] = {"ph": "X", "cat": category, "name": name, "pid": PID, "tid": self.thread, "ts": self.now}
        event["args"] = {"External id": 500 + place, "Record function id": 0, **shapes, **(args or {}), "Ev Idx": place}
        self._operators.append(event)
        self._open.append(event)
        self.spend(3.0)
        yield
        self.spend(1.5)
        self._open.pop()
        event["dur"] = self.now - event["ts"]
        self.spend(0.3)

    def annotation(self, name: str) -> Any:
        return self.range(name, category="user_annotation")

    @contextmanager
    def frame(self, name: str, module: int | None = None) -> Iterator[None]:
        """A Python function, or a module's call (`nn.Module: Linear_0`)."""
        number = len(self._python) + 1
        args: Args = {"Python parent id": self._frames[-1], "Python id": number}
        event: dict[str, Any] = {
            "ph": "X",
            "cat": "python_function",
            "name": name,
            "pid": PID,
            "tid": self.thread,
            "ts": self.now,
        }
        event["args"] = args if module is None else args | {"Python module id": module}
        self._python.append(event)
        self._frames.append(number)
        self.spend(1.0)
        yield
        self.spend(0.5)
        self._frames.pop()
        event["dur"] = self.now - event["ts"]
        self.spend(0.3)

    @contextmanager
    def on_thread(self, thread: int) -> Iterator[None]:
        """Another thread goes on while this one waits."""
        before, self.thread = self.thread, thread
        frames, self._frames = self._frames, [None]
        yield
        self.thread, self._frames = before, frames

    def launch(self, work: Work) -> None:
        """The call, and the work when its stream is free."""
        self._correlation += 1
        call = self.vendor.call(work, self._correlation)
        start = self.now
        self.spend(4.5)
        self._host_call(call, start, "s")
        self._on_device(self.vendor.work(work, self._correlation), work.stream, work.duration_ns, self.now, linked=True)

    def wait(self) -> None:
        """The host waits for the compute stream."""
        self._correlation += 1
        call, shown = self.vendor.wait(self._correlation)
        start, tid = self.now, self.vendor.streams["compute"]
        self.now = max(self.now + 2_000, self._stream_end.get(tid, 0) + 1_500)
        self._host_call(call, start, "f")
        if shown:
            self._add(self._work, shown, self.vendor.pid, tid, start, self.now - start)
        self.spend(2.0)

    def before_the_window(self, work: Work) -> None:
        """Its launch is not in the file."""
        self._correlation += 1
        self._on_device(self.vendor.work(work, self._correlation), work.stream, work.duration_ns, self.now, linked=False)

    def allocate(self, n_bytes: int, device: int = 1) -> int:
        """An address; on the accelerator, or in the host's memory (0)."""
        address = 0x7F0000000000 + 512 * (len(self._memory) + 1)
        self._remember(address, n_bytes, device)
        return address

    def release(self, address: int, n_bytes: int, device: int = 1) -> None:
        self._remember(address, -n_bytes, device)

    def connect(self, forward: int) -> None:
        """An arrow from an operator, by its place, to the one that is open."""
        self._flows += 1
        for phase, event in (("s", self._operators[forward]), ("f", self._open[-1])):
            arrow = {"ph": phase, "id": self._flows, "pid": PID, "tid": event["tid"], "ts": event["ts"], "cat": "fwdbwd"}
            arrow |= {"name": "fwdbwd"} | ({"bp": "e"} if phase == "f" else {})
            self._work.append(arrow)

    @property
    def place(self) -> int:
        """Of the range that comes next."""
        return len(self._operators)

    def text(self) -> str:
        """The file."""
        for place, (pid, tid, row) in enumerate(self.vendor.others()):
            self._add(self._work, row, pid, tid, START_NS + 40_000 + 9_000 * place, 7_000)
        if self.vendor.projects_annotations:
            for (place, stream), (start, end) in self._spans.items():
                event = self._operators[place]
                row = Row("gpu_user_annotation", event["name"], {"External id": event["args"]["External id"]})
                self._add(self._work, row, self.vendor.pid, stream, start, end - start)
        end = max(self.now, *self._stream_end.values()) + 20_000
        events = [*self._operators, *self._memory, *self._python, *self._work, *self._names(), *_frame_of_recording(end)]
        head = {"schemaVersion": 1, **self.vendor.head, "displayTimeUnit": "ms", "baseTimeNanoseconds": BASE_NS}
        lines = ",\n".join(json.dumps(_in_microseconds(event)) for event in events)
        foot = {"traceName": f"{self.vendor.name}.pt.trace.json"}
        return f'{json.dumps(head, indent=1)[:-2]},\n "traceEvents": [\n{lines}\n],\n{json.dumps(foot)[1:]}\n'

    def _host_call(self, call: Row, start: int, phase: str) -> None:
        """The call, and torch's arrow: one that starts, or the spurious end that a call without work gets."""
        args = {"External id": self._open[-1]["args"]["External id"]} | call.args if self._open else call.args
        self._add(self._work, call._replace(args=args), PID, self.thread, start, self.now - start)
        self._arrow(phase, PID, self.thread, start)

    def _on_device(self, row: Row, stream: Stream, duration: int, launched: int, *, linked: bool) -> None:
        pid, tid = self.vendor.pid, self.vendor.streams[stream]
        start = max(launched + LAUNCH_DELAY_NS, self._stream_end.get(tid, 0) + 900)
        self._stream_end[tid] = start + duration
        if linked and self._open:
            row = row._replace(args={"External id": self._open[-1]["args"]["External id"]} | row.args)
        self._add(self._work, row, pid, tid, start, duration)
        if not linked:
            return
        self._arrow("f", pid, tid, start)
        for event in self._open:
            if event["cat"] == "user_annotation":
                span = self._spans.setdefault((event["args"]["Ev Idx"], tid), [start, start])
                span[1] = start + duration

    def _arrow(self, phase: str, pid: int, tid: int, ts: int) -> None:
        arrow = {"ph": phase, "id": self._correlation, "pid": pid, "tid": tid, "ts": ts, "cat": "ac2g", "name": "ac2g"}
        self._work.append(arrow | ({"bp": "e"} if phase == "f" else {}))

    def _add(self, rows: list[dict[str, Any]], row: Row, pid: int, tid: int, ts: int, duration: int) -> None:
        event = {"ph": "X", "cat": row.category, "name": row.name, "pid": pid, "tid": tid, "ts": ts, "dur": duration}
        rows.append(event | {"args": row.args})

    def _remember(self, address: int, n_bytes: int, device: int) -> None:
        self._allocated[device] += n_bytes
        reserved = {"Total Reserved": 64 << 20} if device else {"Total Reserved": 0}
        place = {"Device Type": self.vendor.device_type, "Device Id": 0} if device else {"Device Type": 0, "Device Id": -1}
        event = {"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": PID, "tid": self.thread}
        args = {"Total Allocated": self._allocated[device], **reserved, "Bytes": n_bytes, "Addr": address, **place}
        self._memory.append(event | {"ts": self.now, "args": args | self.vendor.memory_args})
        self.spend(0.4)

    def _names(self) -> Iterator[dict[str, Any]]:
        """What processes and threads are called."""
        for pid, label in ((PID, "CPU"), (self.vendor.pid, self.vendor.label)):
            for key, what in (("process_name", {"name": "python"}), ("process_labels", {"labels": label})):
                yield {"name": key, "ph": "M", "ts": START_NS, "pid": pid, "tid": 0, "args": what}
        threads = [(PID, thread, f"thread {thread} (python)") for thread in (MAIN, AUTOGRAD)]
        streams = [(self.vendor.pid, tid, f"stream {tid}") for tid in sorted(set(self.vendor.streams.values()))]
        for pid, tid, name in (*threads, *streams):
            yield {"name": "thread_name", "ph": "M", "ts": START_NS, "pid": pid, "tid": tid, "args": {"name": name}}


def _frame_of_recording(end: int) -> Iterator[dict[str, Any]]:
    span = {"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans", "tid": "PyTorch Profiler"}
    yield span | {"ts": START_NS - 30_000, "dur": end - START_NS + 30_000, "args": {"Op count": 0}}
    mark = {"ph": "i", "s": "g", "name": "Iteration Start: PyTorch Profiler", "pid": "Traces", "tid": "Trace PyTorch Profiler"}
    yield mark | {"ts": START_NS - 30_000}
    yield {"ph": "i", "s": "g", "name": "Record Window End", "pid": "", "tid": "", "ts": end}


def _in_microseconds(event: dict[str, Any]) -> dict[str, Any]:
    return {key: value / 1000 if key in ("ts", "dur") else value for key, value in event.items()}
