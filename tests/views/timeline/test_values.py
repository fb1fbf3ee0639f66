"""Values over time: the least and the most of each part, at any zoom, and what each value means."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.base.errors import UsageError
from tb_plugin.formats.kineto import kineto_json
from tb_plugin.question.question import NoParams
from tb_plugin.trace.kinds import DEVICE_KINDS
from tb_plugin.trace.memory.series import all_series
from tb_plugin.views.timeline.compute import tracks, values
from tb_plugin.views.timeline.result import ValuesParams, ValueTrack
from tb_plugin.views.timeline.values import StepTrack, value_track
from tests.profiles import SAMPLES, over, real, trace_of
from tests.trace_text import trace_from_text
from tests.views.memory import drawing

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace

OPERATOR = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 2}

TRACE = trace_from_text(
    """
    thread 1 | aten::mm 0-10 | aten::mm 10-20 | aten::relu 20-30
    stream 7 | gemm 30-50 <- aten::mm | gemm 50-60 <- aten::mm | relu_kernel 80-90 <- aten::relu
    """
)


def _ask(trace: Trace, t0_ns: int, t1_ns: int, n: int) -> dict[str, ValueTrack]:
    found = values(trace, ValuesParams(t0_ns=t0_ns, t1_ns=t1_ns, width_px=n))
    return {track.id: track for track in found.tracks}


def test_a_queue_is_what_was_called_for_and_has_not_begun() -> None:
    events, first = TRACE.events, TRACE.info.start_ns
    work = np.flatnonzero(np.isin(events.kind, DEVICE_KINDS))
    called, begun = events.start_ns[events.launch[work]], events.start_ns[work]
    queue = _ask(TRACE, first, first + 90_000, 90)["queue-0"]
    for part in range(90):
        t0, t1 = first + part * 1000, first + (part + 1) * 1000
        times = [t0, *(time for time in [*called.tolist(), *begun.tolist()] if t0 < time < t1)]
        waiting = [int(((called <= time) & (time < begun)).sum()) for time in times]
        assert (queue.least[part], queue.most[part]) == (min(waiting), max(waiting))
    assert queue.highest == 3


def test_under_filters_and_a_search_busy_has_the_share_of_what_they_keep_and_nothing_else_has_one() -> None:
    first = TRACE.info.start_ns
    asked = ValuesParams(t0_ns=first, t1_ns=first + 90_000, width_px=9)
    whole = values(TRACE, asked)
    assert not whole.is_lit
    assert all(track.kept is None for track in whole.tracks)
    for inside, q, kept in (
        ("aten::mm", "", [0, 0, 0, 1, 1, 1, 0, 0, 0]),
        ("", "relu_kernel", [0] * 8 + [1]),
        ("aten::mm", "relu", [0] * 9),
    ):
        lit = values(TRACE, msgspec.structs.replace(asked, inside=inside, q=q))
        assert lit.is_lit
        assert {track.id: track.kept for track in lit.tracks} == {"busy-0": kept, "queue-0": None}
        assert [track.mean for track in lit.tracks] == [track.mean for track in whole.tracks]


@pytest.mark.parametrize(
    "streams",
    [
        "stream 7 | old 0-10 | old 10-24 | gemm 30-50 <- aten::mm | gemm 50-60 <- aten::mm",
        "stream 7 | old 0-10 | gemm 30-50 <- aten::mm | lost 50-55\nstream 8 | relu_kernel 34-44 <- aten::relu",
        "stream 7 | gemm 12-50 <- aten::mm\nstream 8 | old 3-9 | old 42-44",
        "stream 7 | old 0-10 | gemm 12-50 <- aten::mm\nstream 8 | old 1-20 | relu_kernel 44-50 <- aten::relu",
        "stream 7 | gemm 12-50 <- aten::mm | lost 55-60",
    ],
)
def test_a_queue_is_not_known_while_work_runs_that_was_launched_before_the_recording(streams: str) -> None:
    trace = trace_from_text(f"thread 1 | aten::mm 0-10 | aten::mm 10-20 | aten::relu 20-30\n{streams}")
    events = trace.events
    queue = _ask(trace, 0, 70_000, 70)["queue-0"]
    work = np.flatnonzero(np.isin(events.kind, DEVICE_KINDS)).tolist()
    known_from = 0
    for track in {events.track[row] for row in work}:
        of_stream = [row for row in work if events.track[row] == track]
        if events.launch[of_stream[0]] < 0:
            launched = [row for row in of_stream if events.launch[row] >= 0]
            known_from = max(known_from, int(events.start_ns[(launched or of_stream[-1:])[0]]))
    waits = [(events.start_ns[events.launch[row]], events.start_ns[row]) for row in work if events.launch[row] >= 0]
    for part in range(70):
        each = [sum(called <= t < begun for called, begun in waits) for t in range(part * 1000, part * 1000 + 1000, 100)]
        if part * 1000 < known_from:
            assert (queue.least[part], queue.mean[part]) == (None, None)
        else:
            assert (queue.least[part], queue.most[part]) == (min(each), max(each))


def test_a_device_is_busy_by_its_share_of_each_part() -> None:
    first = TRACE.info.start_ns
    assert _ask(TRACE, first, first + 90_000, 9)["busy-0"].most == [0, 0, 0, 1, 1, 1, 0, 0, 1]
    assert _ask(TRACE, first, first + 90_000, 3)["busy-0"].most == [0, 1, pytest.approx(1 / 3, abs=1e-4)]


def test_a_device_whose_work_has_no_length_is_never_busy() -> None:
    trace = trace_from_text("thread 1 | aten::mm 0-90\nstream 7 | gemm 5-5 | gemm 9-9")
    assert _ask(trace, 0, 90_000, 3)["busy-0"].most == [0, 0, 0]


def test_an_empty_stretch_is_an_error_of_the_asker() -> None:
    with pytest.raises(UsageError, match="no values"):
        values(TRACE, ValuesParams(t0_ns=5, t1_ns=5))


def _counts(name: str, pid: int, values: list[float], key: str = "W", **more: object) -> list[dict[str, object]]:
    return [
        {"ph": "C", "name": name, "pid": pid, "tid": n % 2, "ts": 10 * n, "args": {key: value}, **more}
        for n, value in enumerate(values)
    ]


def _numbers(path: Path, events: list[dict[str, object]], n: int) -> list[ValueTrack]:
    """Counters of a recording of 40 us in `n` parts."""
    operator = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 7, "tid": 7, "ts": 0, "dur": 40}
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": [operator, *events]}))
    found = values(kineto_json.read(path), ValuesParams(width_px=n)).tracks
    return [track for track in found if track.unit == "number"]


def _of_counters(path: Path, events: list[dict[str, object]]) -> dict[str, tuple[float | None, float | None]]:
    return {track.title: (track.least[0], track.most[0]) for track in _numbers(path, events, 1)}


def test_a_counter_is_its_process_s_and_its_id_s_alone_whatever_its_thread(tmp_path: Path) -> None:
    two = _counts("GPU Power", 0, [200, 249]) + _counts("GPU Power", 1, [500, 549])
    found = _of_counters(tmp_path / "x.json", two + _counts("clock", 1, [3, 4]))
    assert found == {"GPU Power of process 0": (200, 249), "GPU Power of process 1": (500, 549), "clock": (3, 4)}
    of_ids = _counts("queue", 1, [1, 2], id="0x1") + _counts("queue", 1, [8, 9], id="0x2")
    assert _of_counters(tmp_path / "x.json", of_ids) == {"queue [0x1]": (1, 2), "queue [0x2]": (8, 9)}


def test_what_holds_nothing_but_counters_is_no_track_besides(tmp_path: Path) -> None:
    (path := tmp_path / "x.json").write_text(json.dumps({"traceEvents": [OPERATOR, *_counts("GPU Power", 9, [200, 249])]}))
    trace = trace_of(path)
    assert [track.n_events for track in tracks(trace, NoParams()).tracks] == [1]
    assert len(trace.events) == 3
    words = [{**count, "args": {"W": "high"}} for count in _counts("GPU Power", 9, [200, 249])]
    (path := tmp_path / "y.json").write_text(json.dumps({"traceEvents": [OPERATOR, *words]}))
    assert sum(track.n_events for track in tracks(trace_of(path), NoParams()).tracks) == 3


def test_what_a_range_of_the_profiler_counted_holds_inside_it(tmp_path: Path) -> None:
    ranges = [
        {"ph": "X", "cat": "cuda_profiler_range", "name": name, "pid": 0, "tid": 0, "ts": ts, "dur": 10, "args": {"fadd.sum": n}}
        for name, ts, n in (("gemm", 0, 5), ("relu", 10, 0), ("gemm", 30, 7))
    ]
    (track,) = _numbers(tmp_path / "x.json", ranges, 8)
    assert (track.title, track.lowest, track.highest) == ("fadd.sum", 0, 7)
    assert track.mean == [5, 5, 0, 0, None, None, 7, 7]


def test_a_counter_may_be_below_zero_and_keeps_six_digits(tmp_path: Path) -> None:
    (track,) = _numbers(tmp_path / "x.json", _counts("net", 0, [-1234567, 1, -1234567, 3]), 2)
    assert (track.lowest, track.highest) == (-1234567, 3)
    assert track.mean == [pytest.approx(-1234566 / 2, abs=5), pytest.approx(-1234564 / 2, abs=5)]
    assert (track.least, track.most) == ([-1234567, -1234567], [1, 3])


def test_values_of_one_counter_are_told_apart_by_their_keys(tmp_path: Path) -> None:
    found = _of_counters(tmp_path / "x.json", _counts("link", 0, [1, 2], key="in") + _counts("link", 0, [3, 4], key="out"))
    assert found == {"link in": (1, 2), "link out": (3, 4)}


@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 9)), max_size=20),
    st.integers(0, 50),
    st.integers(1, 30),
    st.integers(1, 9),
)
def test_each_part_has_the_least_the_most_and_the_mean_of_a_walk(
    points: list[tuple[int, int]], t0: int, length: int, n: int
) -> None:
    points = sorted(points, key=lambda point: point[0])
    times, held = np.array([p[0] for p in points], np.int64), np.array([p[1] for p in points], np.float64)
    steps = StepTrack("x", "x", "number", None, times, held, 4.0)
    track = value_track(steps, np.linspace(t0, t0 + length * n, n + 1))
    for part in range(n):
        begin, end = t0 + part * length, t0 + (part + 1) * length
        at_begin = [value for time, value in points if time <= begin]
        seen = [at_begin[-1] if at_begin else 4, *(value for time, value in points if begin < time < end)]
        assert (track.least[part], track.most[part]) == (min(seen), max(seen))
        each_ns = [next((value for time, value in reversed(points) if time <= ns), 4) for ns in range(begin, end)]
        assert track.mean[part] == pytest.approx(np.mean(each_ns), abs=1e-4)


def test_the_mean_is_of_the_time_in_which_a_value_is_known() -> None:
    hour = 3_600_000_000_000
    times, held = np.array([hour, hour + 1, hour + 3], np.int64), np.array([6e10, 2e10, 6e10])
    steps = StepTrack("x", "x", "bytes", 0, times, held, math.nan)
    track = value_track(steps, hour + np.array([-4.0, -2.0, 2.0, 4.0]))
    assert track.mean == [None, 4e10, 4e10]


@over(SAMPLES + real("h100_bert_small", "a100_nccl"))
def test_values_of_real_files_are_those_of_a_walk(path: Path) -> None:
    trace = trace_of(path)
    events, n = trace.events, 37
    t0, t1 = trace.info.start_ns, trace.info.end_ns
    found = _ask(trace, t0, t1, n)
    for series in all_series(trace):
        kind = "allocated" if series.has_totals else "allocated-above"
        track = found[f"{kind}-{series.device_type}-{series.device_index}"]
        assert track.lowest == min(int(series.allocated.min()), series.before)
        assert track.highest == max(int(series.allocated.max()), series.before)
        assert max(each for each in track.most if each is not None) == track.highest
    work = np.isin(events.kind, DEVICE_KINDS)
    for device in np.unique(trace.tracks.device[events.track[work]]).tolist():
        mine = work & (trace.tracks.device[events.track] == device)
        busy = np.zeros(t1 - t0 + 1, np.bool_)
        for start, end in zip((events.start_ns[mine] - t0).tolist(), (events.end_ns[mine] - t0).tolist(), strict=True):
            busy[max(start, 0) : end] = True
        shares = found[f"busy-{device}"].most
        assert sum(share or 0 for share in shares) / n * (t1 - t0) == pytest.approx(busy.sum(), rel=1e-3, abs=(t1 - t0) * 1e-4)


def test_memory_of_a_file_without_totals_is_told_as_above_its_least() -> None:
    trace = drawing.trace_of(
        [drawing.Operator("aten::mm", 0, 20)],
        [drawing.Change(2, 512, 1), drawing.Change(4, -2048, 2), drawing.Change(12, 256, 3)],
    )
    [track] = [track for track in _ask(trace, 0, 20_000, 20).values() if track.id.startswith("allocated")]
    assert (track.id, track.title) == ("allocated-above-1-0", "CUDA 0 above its least")
    assert (min(x for x in track.least if x is not None), track.highest) == (0, 2048)
