"""Launches that wait for a place in a full queue: what they would do is asked of the program itself, run once more."""

from __future__ import annotations

import itertools
import json
import random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tb_plugin.base.units import NONE
from tb_plugin.formats import reader
from tb_plugin.replay.edges import Why
from tb_plugin.replay.graph import graph_of
from tb_plugin.replay.replay import Replayed, replay
from tb_plugin.replay.trust import baseline
from tb_plugin.replay.version import Version
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace

GAP, CALL, LAUNCHING, BETWEEN = 6, 5, 7, 1
"""Before a call, of a call that has a place, from a call to its kernel, between kernels; us."""

Span = tuple[int, int]


def ran(kernels: list[int], length: int) -> tuple[list[Span], list[Span]]:
    """(calls, kernels) of a host that launches these one after the other, into a queue of so many that are not done."""
    calls: list[Span] = []
    work: list[Span] = []
    now = done = 0
    for place, lasts in enumerate(kernels):
        start = now + GAP
        now = start + CALL
        if place >= length:
            now = max(now, work[place - length][1])
        begins = max(start + LAUNCHING, done + BETWEEN)
        done = begins + lasts
        calls.append((start, now))
        work.append((begins, done))
    return calls, work


def drawn(kernels: list[int], length: int) -> Trace:
    """One step of it, that ends as its last call does; the device goes on."""
    calls, work = ran(kernels, length)
    host = " | ".join(f"op_{place} {start}-{end} | cudaLaunchKernel {start}-{end}" for place, (start, end) in enumerate(calls))
    device = " | ".join(f"gemm {start}-{end} <- op_{place}" for place, (start, end) in enumerate(work))
    return trace_from_text(f"thread 1 | ProfilerStep#1 0-{calls[-1][1]} | {host}\nstream 7 | {device}")


def recorded(path: Path, kernels: list[int], length: int) -> Trace:
    """The same as a file, for thousands of launches."""
    calls, work = ran(kernels, length)
    events = [{"cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 0, "dur": calls[-1][1]}]
    for place, ((start, end), (begins, done)) in enumerate(zip(calls, work, strict=True), 1):
        call = {"cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": start, "dur": end - start}
        kernel = {"cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": begins, "dur": done - begins}
        events += [each | {"args": {"correlation": place, "device": 0, "stream": 7}} for each in (call, kernel)]
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": [each | {"ph": "X"} for each in events]}))
    return reader.read(path)


def with_work(trace: Trace, factor: float) -> Replayed:
    graph = graph_of(trace)
    version = Version(graph)
    version.work[:] = factor
    (found,) = replay(graph, [version.durations()])
    return found


@pytest.mark.parametrize("length", [500, 1022])
def test_shorter_kernels_free_launches_that_waited_for_a_place(tmp_path: Path, length: int) -> None:
    trace = recorded(tmp_path / "full.pt.trace.json", [100] * 3000, length)
    assert baseline(trace).error == 0
    for factor in (0.5, 0.2):
        calls, work = ran([int(100 * factor)] * 3000, length)
        found = with_work(trace, factor)
        assert int(found.work_end_ns.max()) == pytest.approx(1000 * work[-1][1], rel=0.02)
        assert int(found.point_ns.max()) == pytest.approx(1000 * calls[-1][1], rel=0.02)


def test_a_faster_host_waits_for_places_sooner(tmp_path: Path) -> None:
    trace = recorded(tmp_path / "full.pt.trace.json", [40] * 3000, 500)
    version = Version(graph_of(trace))
    version.all_host = 0.5
    (found,) = replay(version.graph, [version.durations()])
    assert int(found.work_end_ns.max()) == pytest.approx(1000 * ran([40] * 3000, 500)[1][-1][1], rel=0.02)
    ahead = np.arange(3000) - np.searchsorted(found.work_end_ns, found.point_ns[2 * found.graph.work.call], side="right")
    assert ahead.max() == 500


@given(st.integers(0, 10_000))
@settings(max_examples=6)
def test_a_full_queue_is_replayed_as_it_was_and_shorter_work_never_makes_it_longer(seed: int) -> None:
    draw = random.Random(seed)
    kernels = [draw.choice((30, 60, 120, 240)) for _ in range(700)]
    trace = drawn(kernels, 150)
    assert (graph_of(trace).edges.why == Why.PLACE).sum() == 550
    assert graph_of(trace).n_lost == 0
    ends = []
    for factor in (1, 0.5, 0.1, 0):
        found = with_work(trace, factor)
        calls, work = ran([int(factor * each) for each in kernels], 150)
        ends.append((int(found.point_ns.max()), int(found.work_end_ns.max())))
        assert ends[-1] == pytest.approx((1000 * calls[-1][1], 1000 * work[-1][1]), rel=0.02)
    assert all(shorter <= longer for longer, shorter in itertools.pairwise(ends))


def test_launches_that_are_late_for_another_reason_tell_no_length() -> None:
    draw = random.Random(1)
    calls, work, done, now = [], [], 0, 0
    for place in range(600):
        start = now + GAP
        now = start + (draw.choice((5, 5, 5, 90)))
        done = max(start + LAUNCHING, done + BETWEEN) + 100
        calls.append(f"op_{place} {start}-{now} | cudaLaunchKernel {start}-{now}")
        work.append(f"gemm {done - 100}-{done} <- op_{place}")
    trace = trace_from_text(f"thread 1 | ProfilerStep#1 0-{now} | {' | '.join(calls)}\nstream 7 | {' | '.join(work)}")
    graph = graph_of(trace)
    assert not (graph.edges.why == Why.PLACE).any()
    assert graph.own_ns.tolist() == (graph.calls.end_ns - graph.calls.start_ns).tolist()


def test_a_launch_that_is_not_made_waits_for_no_place() -> None:
    trace = drawn([200] * 500, 150)
    version = Version(graph_of(trace))
    version.remove(np.arange(500) > 0)
    (found,) = replay(version.graph, [version.durations()])
    calls = found.graph.work.call[found.graph.work.call != NONE][1:]
    assert (found.point_ns[2 * calls + 1] == found.point_ns[2 * calls]).all()
