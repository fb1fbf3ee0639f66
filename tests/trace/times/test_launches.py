from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.base.units import NONE
from tb_plugin.trace.kinds import DEVICE_KINDS
from tb_plugin.trace.times.launches import launches_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


def by_name(trace: Trace) -> dict[str, tuple[int, int]]:
    rows = np.flatnonzero(np.isin(trace.events.kind, DEVICE_KINDS))
    delay, queue = launches_of(trace, rows)
    names = [trace.text(n) for n in trace.events.name_id[rows].tolist()]
    return dict(zip(names, zip(delay.tolist(), queue.tolist(), strict=True), strict=True))


def test_delay_and_queue_of_a_stream_that_falls_behind() -> None:
    trace = trace_from_text("""
        thread 1 | a 0-1 | b 5-6 | c 12-13
        stream 7 | K1 10-30 <- a | K2 30-40 <- b | K3 40-50 <- c
        stream 8 | other 0-100
    """)
    assert by_name(trace) == {"K1": (10_000, 0), "K2": (25_000, 1), "K3": (28_000, 1), "other": (NONE, NONE)}


def test_of_a_call_that_starts_many_only_the_first_tells() -> None:
    trace = trace_from_text("""
        thread 1 | a 0-1
        stream 7 | K1 10-30 <- a | K2 30-40 | K3 40-50
    """)
    events = trace.events
    rows = np.flatnonzero(np.isin(events.kind, DEVICE_KINDS))
    graph = events.launch.copy()
    graph[rows] = events.launch[rows[0]]  # all three by one call
    graph.flags.writeable = False
    shared = dataclasses.replace(trace, events=dataclasses.replace(events, launch=graph))
    assert by_name(shared) == {"K1": (10_000, 0), "K2": (NONE, NONE), "K3": (NONE, NONE)}


def test_work_that_seems_to_start_before_its_call_has_no_negative_delay() -> None:
    trace = trace_from_text("thread 1 | a 0-1\nstream 7 | K1 10-30 <- a")
    start = trace.events.start_ns.copy()
    start[trace.events.launch[trace.events.launch != NONE]] = 12_000
    moved = dataclasses.replace(trace, events=dataclasses.replace(trace.events, start_ns=start))
    assert by_name(moved) == {"K1": (0, 0)}


@pytest.mark.parametrize("seed", range(5))
def test_queues_are_those_of_a_naive_count(seed: int) -> None:
    rng = np.random.default_rng(seed)
    calls = np.cumsum(rng.integers(1, 6, 40))
    streams = rng.integers(0, 3, 40)
    ends = {0: 0, 1: 0, 2: 0}
    events: dict[int, list[str]] = {0: [], 1: [], 2: []}
    runs: list[tuple[int, int, int]] = []  # stream, call, start
    for i, (call, stream) in enumerate(zip(calls.tolist(), streams.tolist(), strict=True)):
        start = max(ends[stream], call + int(rng.integers(0, 9)))
        ends[stream] = start + int(rng.integers(1, 20))
        events[stream].append(f"k{i} {start}-{ends[stream]} <- op{i}")
        runs.append((stream, call, start))
    text = "thread 1 | " + " | ".join(f"op{i} {call}-{call + 1}" for i, call in enumerate(calls.tolist()))
    text += "".join(f"\nstream {stream} | " + " | ".join(drawn) for stream, drawn in events.items() if drawn)
    found = by_name(trace_from_text(text))
    for i, (stream, call, start) in enumerate(runs):
        waiting = sum(s == stream and c < call and b > call for s, c, b in runs)
        assert found[f"k{i}"] == ((start - call) * 1000, waiting)
