"""Profiles with memory events, drawn: operators as in `trace_text`, allocations as rows. Times in microseconds."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from tb_plugin.formats.kineto.chunk import ChunkColumns
from tb_plugin.formats.kineto.events import Event
from tb_plugin.trace.build import build
from tb_plugin.trace.check import check

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.trace.model import Trace

CUDA, CPU, HIP = (1, 0), (0, -1), (6, 0)


class Operator(NamedTuple):
    name: str
    start: float
    end: float
    thread: int = 1


class Change(NamedTuple):
    """One `[memory]` event: bytes below 0 are a release. `totals` are allocated and reserved after it."""

    at: float
    bytes: int
    address: int | None
    totals: tuple[int, int] | None = None
    device: tuple[int, int] = CUDA
    thread: int = 1


def trace_of(operators: Sequence[Operator], changes: Sequence[Change], capacity: int | None = None) -> Trace:
    """A checked Trace of them, in the order given."""
    events = [_event(op.name, "cpu_op", "X", op.start, op.end - op.start, op.thread, {}) for op in operators]
    events += [_event("[memory]", "cpu_instant_event", "i", c.at, 0, c.thread, _args(c)) for c in changes]
    columns = ChunkColumns()
    columns.add(events)
    head = {} if capacity is None else {"deviceProperties": [{"id": 0, "name": "Made-up", "totalGlobalMem": capacity}]}
    raw = columns.raw_trace(head, "drawing")
    raw.info = msgspec.structs.replace(raw.info, resolution_ns=1)
    trace = build(raw)
    check(trace)
    return trace


def _event(name: str, category: str, phase: str, start: float, length: float, thread: int, args: dict[str, object]) -> Event:
    raw = msgspec.Raw(msgspec.json.encode(args))
    return Event(name=name, cat=category, ph=phase, ts=start, dur=length, pid=4000, tid=thread, args=raw)


def _args(change: Change) -> dict[str, object]:
    args: dict[str, object] = {"Device Type": change.device[0], "Device Id": change.device[1], "Bytes": change.bytes}
    if change.address is not None:
        args["Addr"] = change.address
    if change.totals is not None:
        args["Total Allocated"], args["Total Reserved"] = change.totals
    return args
