"""An area of the timeline holds what overlaps it, counted with what lies inside."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tb_plugin.base.errors import UsageError
from tb_plugin.formats import reader
from tb_plugin.trace.kinds import HOST_KINDS
from tb_plugin.views.timeline.compute import area
from tb_plugin.views.timeline.result import AreaParams, TimelineArea
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace

TRACE = trace_from_text(
    """
    thread 1 | aten::linear 10-40 | aten::addmm 15-35 | aten::relu 50-60 | aten::relu 70-90
    stream 7 | gemm 30-55 <- aten::addmm | relu_kernel 60-65 <- aten::relu | relu_kernel 90-95 <- aten::relu
    """
)


def _ask(t0_us: float, t1_us: float, tracks: str | None = None, trace: Trace = TRACE) -> TimelineArea:
    return area(trace, AreaParams(t0_ns=int(t0_us * 1000), t1_ns=int(t1_us * 1000), tracks=tracks))


def _drawn(result: TimelineArea) -> dict[str, tuple[int, float, float]]:
    return {row.name: (row.count, row.time_ns / 1000, row.self_ns / 1000) for row in result.rows}


def test_only_what_lies_inside_counts() -> None:
    first = TRACE.info.start_ns / 1000
    found = _drawn(_ask(first + 10, first + 45, "0"))
    del found["cudaLaunchKernel"]  # without length
    assert found == {"aten::linear": (1, 20, 5), "aten::addmm": (1, 15, 15), "aten::relu": (1, 5, 5)}


def test_an_empty_area_is_an_error_of_the_asker() -> None:
    with pytest.raises(UsageError, match="ends after"):
        _ask(10, 10)


def test_a_place_without_events_holds_nothing() -> None:
    assert _ask(10**6, 10**6 + 1).rows == []


def _naive(trace: Trace, t0: int, t1: int, tracks: set[int]) -> dict[tuple[str, int], list[int]]:
    events = trace.events
    sums: dict[tuple[str, int], list[int]] = defaultdict(lambda: [0, 0])
    for row in range(len(events)):
        start, end = int(events.start_ns[row]), int(events.end_ns[row])
        if int(events.track[row]) in tracks and start < t1 and (end > t0 or start == end == t0):
            entry = sums[trace.text(int(events.name_id[row])), int(events.kind[row])]
            entry[0] += 1
            entry[1] += min(end, t1) - max(start, t0)
    return sums


@settings(deadline=None, max_examples=50)
@given(st.integers(-5_000, 100_000), st.integers(1, 110_000), st.sampled_from(["0", "1", "0,1"]))
def test_counts_and_times_equal_a_walk(t0: int, length: int, tracks: str) -> None:
    t0 += TRACE.info.start_ns
    found = area(TRACE, AreaParams(t0_ns=t0, t1_ns=t0 + length, tracks=tracks))
    naive = _naive(TRACE, t0, t0 + length, set(map(int, tracks.split(","))))
    assert sorted((r.name, r.count, r.time_ns) for r in found.rows) == sorted((n, c, t) for (n, _), (c, t) in naive.items())


@pytest.mark.parametrize("name", ["h100_bert_small", "a100_alexnet_cuda_sync"])
def test_self_times_cover_the_threads_and_no_time_twice(traces: Path, name: str) -> None:
    trace = reader.read(traces / f"{name}.json.gz")
    middle = (trace.info.start_ns + trace.info.end_ns) // 2
    events = trace.events
    host = np.unique(events.track[np.isin(events.kind, HOST_KINDS)]).tolist()
    for track in host:
        t0, t1 = middle - 3_000_000, middle + 3_000_000
        found = area(trace, AreaParams(t0_ns=t0, t1_ns=t1, tracks=str(track)))
        naive = _naive(trace, t0, t1, {track})
        assert found.n_names == len(naive)
        ranged = [r for r in found.rows if r.kind in {"operator", "annotation", "python", "runtime", "driver"}]
        assert 0 <= sum(r.self_ns for r in ranged) <= t1 - t0
        assert all(0 <= r.self_ns <= r.time_ns for r in found.rows)
