from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import asdict, astuple, replace

from tb_plugin.trace.kinds import DEVICE_KINDS, Kind
from tb_plugin.trace.model import Device, Issue, Trace
from tb_plugin.trace.times.idle import unknown_queue
from tb_plugin.views.overview import VIEW
from tb_plugin.views.overview.result import Breakdown, Overview, OverviewParams
from tests.trace_text import trace_from_text


def compute(text: str) -> Overview:
    return VIEW.main.answer(trace_from_text(text), OverviewParams())


def us(breakdown: Breakdown) -> dict[str, int]:
    """What is not zero, in microseconds."""
    return {name: ns // 1000 for name, ns in asdict(breakdown).items() if ns}


def test_each_instant_counts_for_the_first_category_that_was_active() -> None:
    result = compute("""
        thread 1 | ProfilerStep#1 0-100 | enumerate(DataLoader)#_It.__next__ 0-20 | aten::to 5-15
        thread 1 | aten::mm 30-60 | cudaLaunchKernel 35-45
        stream 7 | gemm 40-50 <- aten::mm | Memcpy HtoD 48-55 <- aten::mm | Memset 54-57 <- aten::mm
        stream 8 | ncclDevKernel 45-65 <- aten::mm
    """)
    (step,) = result.steps
    expected = {
        "kernel": 10,
        "copy": 5,
        "set": 2,
        "communication": 8,
        "runtime": 5,
        "data_loader": 20,
        "other_host": 5,
        "idle": 45,
    }
    assert us(step.breakdown_ns) == expected
    assert step.duration_ns == 100_000


def test_ranges_of_the_user_are_labels_and_not_work() -> None:
    plain = compute("thread 1 | ProfilerStep#1 0-100 | aten::mm 30-60")
    labelled = compute("thread 1 | ProfilerStep#1 0-100 | <my training> 0-100 | aten::mm 30-60")
    assert labelled.steps[0].breakdown_ns == plain.steps[0].breakdown_ns
    assert us(plain.steps[0].breakdown_ns) == {"other_host": 30, "idle": 70}
    assert "python" in plain.not_recorded


def test_python_of_the_main_thread_is_no_idle_time_unless_it_rests() -> None:
    result = compute("""
        thread 1 | ProfilerStep#1 0-100 | train.py(3): step 0-90 | aten::mm 30-60
        thread 2 | loader.py(5): work 0-100
    """)
    assert us(result.steps[0].breakdown_ns) == {"other_host": 30, "python": 60, "idle": 10}
    assert "python" not in result.not_recorded


@pytest.mark.parametrize("name", ["<built-in function sleep>", "<built-in method acquire of _thread.lock object at 0x7f>"])
def test_a_main_thread_that_rests_is_idle(name: str) -> None:
    result = compute(f"thread 1 | ProfilerStep#1 0-100 | train.py(3): step 0-90 | {name} 70-80")
    assert us(result.steps[0].breakdown_ns) == {"python": 80, "idle": 20}


def test_a_queue_from_before_the_recording_is_neither_idle_nor_blocked() -> None:
    result = compute("thread 1 | aten::mm 0-5\nstream 7 | gemm 100-200 <- aten::mm")
    assert us(result.whole.breakdown_ns) == {"kernel": 100, "other_host": 5, "unknown_queue": 95}
    assert result.whole.device_use_ns is not None
    assert result.whole.device_use_ns.unknown == 100_000


def test_optimizer_ranges_are_work() -> None:
    result = compute("thread 1 | ProfilerStep#1 0-100 | <Optimizer.step#SGD.step> 10-60 | aten::add_ 20-30")
    assert us(result.steps[0].breakdown_ns) == {"other_host": 50, "idle": 50}


def test_collectives_of_a_host_only_profile_are_communication() -> None:
    result = compute("""
        thread 1 | ProfilerStep#1 0-100 | c10d::allreduce_ 10-20 | aten::mm 15-50
        thread 2 | <gloo:all_reduce> 12-40
    """)
    assert us(result.steps[0].breakdown_ns) == {"communication": 30, "other_host": 10, "idle": 60}


def test_a_step_lasts_until_its_device_work_is_done() -> None:
    result = compute("""
        thread 1 | ProfilerStep#1 0-100 | aten::mm 10-20 | ProfilerStep#2 100-200 | aten::mm 110-120
        stream 7 | gemm 50-105 <- ProfilerStep#1 | gemm 140-230 <- aten::mm
    """)
    assert result.steps_end == "with_device_work"
    assert [(step.start_ns, step.duration_ns, step.host_ns) for step in result.steps] == [
        (0, 105_000, 100_000),
        (105_000, 125_000, 100_000),
    ]
    assert us(result.steps[1].breakdown_ns)["kernel"] == 90


def test_work_from_before_the_recording_delays_the_first_step() -> None:
    result = compute("""
        thread 1 | ProfilerStep#1 0-100 | aten::mm 10-20
        stream 7 | unlaunched 0-30 | gemm 30-90 <- aten::mm
    """)
    assert [(step.start_ns, step.duration_ns) for step in result.steps] == [(30_000, 70_000)]


def test_the_average_leaves_incomplete_steps_out() -> None:
    trace = trace_from_text("thread 1 | ProfilerStep#1 0-100 | ProfilerStep#2 100-201 | ProfilerStep#3 201-210")
    assert _average_us(trace) == [70]
    cut = dataclasses.replace(trace, steps=dataclasses.replace(trace.steps, complete=np.array([True, True, False])))
    assert _average_us(cut) == [100.5]
    assert [step.complete for step in VIEW.main.answer(cut, OverviewParams()).steps] == [True, True, False]
    none = dataclasses.replace(trace, steps=dataclasses.replace(trace.steps, complete=np.array([False] * 3)))
    assert _average_us(none) == [70]


def _average_us(trace: Trace) -> list[float]:
    average = VIEW.main.answer(trace, OverviewParams()).average
    assert average is not None
    return [average.duration_ns / 1000]


def test_every_device_that_worked_has_a_row_with_its_own_name() -> None:
    trace = trace_from_text("""
        device 0 stream 7 | gemm 0-10 | gemm 30-40
        device 0 stream 8 | ncclDevKernel 5-20 | Memcpy DtoH 35-45
        device 3 stream 7 | gemm 0-50
    """)
    properties = tuple(Device(index=i, name=f"GPU {i}", memory_bytes=1 << 30) for i in range(4))
    trace = dataclasses.replace(trace, info=replace(trace.info, devices=properties))
    first, second = VIEW.main.answer(trace, OverviewParams()).devices
    assert (first.index, first.name, first.streams, second.index, second.name) == (0, "GPU 0", 2, 3, "GPU 3")
    assert (first.window_ns, first.busy_ns) == (50_000, 35_000)  # of the recording, as the charts
    assert first.utilization == pytest.approx(35 / 50)
    assert (first.computation_ns, first.communication_exposed_ns, first.communication_overlapped_ns) == (20_000, 10_000, 5_000)
    assert (first.copy_ns, first.set_ns) == (10_000, 0)


def test_the_heaviest_come_first_and_what_belongs_to_nobody_is_told() -> None:
    result = compute("""
        thread 1 | aten::mm 0-15 | aten::add 20-90
        stream 7 | gemm 20-60 <- aten::mm | add 60-70 <- aten::add | lost 70-120
    """)
    assert [(row.name, row.count, row.time_ns, row.share) for row in result.top_operators] == [
        ("aten::mm", 1, 40_000, 0.4),
        ("aten::add", 1, 10_000, 0.1),
    ]
    assert result.top_operators_by == "device_self"
    assert [row.name for row in result.top_kernels] == ["lost", "gemm", "add"]
    assert (result.device_time_ns, result.not_attributed_ns) == (100_000, 50_000)


def test_top_limits_the_short_lists() -> None:
    trace = trace_from_text("thread 1 | aten::a 0-10 | aten::b 10-30 | aten::c 30-60")
    result = VIEW.main.answer(trace, OverviewParams(top=2))
    assert [row.name for row in result.top_operators] == ["aten::c", "aten::b"]
    assert result.top_operators_by == "host_self"


def test_without_a_device_what_a_step_has_besides_its_operators_is_no_operator() -> None:
    result = compute("thread 1 | ProfilerStep#1 0-100 | aten::a 10-30")
    assert [(row.name, row.time_ns, row.share) for row in result.top_operators] == [("aten::a", 20_000, 0.2)]


@pytest.mark.parametrize(
    "text",
    ["", "thread 1 | aten::mm 0-10", "stream 7 | gemm 0-10", "thread 1 | ProfilerStep#1 0-10", "thread 1 | aten::view 5-5"],
    ids=["nothing", "host only", "device only", "empty step", "no time"],
)
def test_whole_is_always_there_and_text_and_csv_work(text: str) -> None:
    result = compute(text)
    assert sum(asdict(result.whole.breakdown_ns).values()) == result.whole.duration_ns
    assert "Recorded" in VIEW.main.text(result)
    table = VIEW.main.table(result)
    assert table.rows[-1][0] == "whole"
    assert {len(row) for row in table.rows} == {len(table.columns)}


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("thread 1 | aten::mm 0-5", ["kernel", "copy", "set", "runtime", "python"]),
        ("stream 7 | gemm 0-5", ["runtime", "data_loader", "other_host", "python"]),
        ("thread 1 | aten::mm 0-5\nstream 7 | gemm 3-9 <- aten::mm", ["python"]),
    ],
)
def test_a_category_that_cannot_be_known_is_not_recorded_and_not_nothing(text: str, unknown: list[str]) -> None:
    result = VIEW.main.answer(trace_from_text(text), OverviewParams())
    assert result.not_recorded == unknown
    assert VIEW.main.text(result).count("not recorded") >= len(unknown)


def test_of_a_file_that_is_cut_off_before_its_devices_nobody_knows_what_was_sent_or_queued() -> None:
    def unknown(text: str) -> set[str]:
        cut = Issue(kind="truncated", count=1, text="the file ends before its list of events does")
        return set(VIEW.main.answer(dataclasses.replace(trace_from_text(text), issues=(cut,)), OverviewParams()).not_recorded)

    host_only = "thread 1 | aten::mm 0-5"
    assert unknown(host_only) >= {"communication", "unknown_queue"}
    assert not unknown(f"{host_only}\nstream 7 | gemm 3-9 <- aten::mm") & {"communication", "unknown_queue"}
    assert "communication" not in unknown(f"{host_only}\nthread 2 | gloo:all_reduce 1-4")


@pytest.mark.parametrize(("name", "communication"), [("nccl:all_reduce", 0), ("gloo:all_reduce", 20_000)])
def test_of_a_file_that_is_cut_off_only_what_the_host_carries_out_is_communication(name: str, communication: int) -> None:
    trace = trace_from_text(f"thread 1 | ProfilerStep#1 0-100 | aten::mm 0-10\nthread 2 | {name} 20-40")
    cut = dataclasses.replace(trace, issues=(Issue(kind="truncated", count=1, text="the file ends early"),))
    result = VIEW.main.answer(cut, OverviewParams())
    parts = result.steps[0].breakdown_ns
    assert (parts.communication, parts.other_host) == (communication, 30_000 - communication)
    assert ("communication" in result.not_recorded) == (communication == 0)


def test_what_is_not_recorded_is_named_with_its_option() -> None:
    trace = trace_from_text("thread 1 | ProfilerStep#1 0-10 | aten::mm 0-10")
    found = {row.what: (row.recorded, row.how) for row in VIEW.main.answer(trace, OverviewParams()).recorded}
    assert found["steps"][0]
    assert found["memory"] == (False, "profile_memory=True")
    switched_on = dataclasses.replace(trace, info=replace(trace.info, profile_memory=True))
    result = VIEW.main.answer(switched_on, OverviewParams())
    assert {row.what: row.recorded for row in result.recorded}["memory"]
    assert "Peak memory\nNo memory was recorded: profile_memory was on, but nothing was allocated" in VIEW.main.text(result)


def test_what_a_cut_file_lacks_is_cut_off_and_no_option() -> None:
    trace = trace_from_text("thread 1 | aten::mm 0-10")
    assert "no  device activity: activities=" in VIEW.main.text(VIEW.main.answer(trace, OverviewParams()))
    cut = dataclasses.replace(trace, issues=(Issue(kind="truncated", text="the file ends early"),))
    text = VIEW.main.text(VIEW.main.answer(cut, OverviewParams()))
    assert "no  device activity: the file is cut off" in text
    assert "Steps\nnot recorded (the file is cut off)" in text


spans = st.tuples(st.integers(0, 60), st.integers(0, 30)).map(lambda pair: (pair[0], pair[0] + pair[1]))
lines = st.lists(spans, max_size=6)


@settings(max_examples=60)
@given(host=lines, kernels=lines, collectives=lines, copies=lines, n_steps=st.integers(0, 3), lost=st.booleans())
def test_parts_sum_to_their_windows_and_nothing_is_negative(
    host: list[tuple[int, int]],
    kernels: list[tuple[int, int]],
    collectives: list[tuple[int, int]],
    copies: list[tuple[int, int]],
    n_steps: int,
    lost: bool,
) -> None:
    drawn = [f"thread 1 | ProfilerStep#{i} {30 * i}-{30 * i + 30}" for i in range(n_steps)]
    drawn += [f"thread 2 | aten::mm {start}-{end}" for start, end in host]
    launcher = "" if lost or n_steps == 0 else " <- ProfilerStep#0"
    drawn += [f"stream 7 | gemm {start}-{end}{launcher}" for start, end in kernels]
    drawn += [f"stream 8 | ncclDevKernel {start}-{end}" for start, end in collectives]
    drawn += [f"device 1 stream 9 | Memcpy {start}-{end}" for start, end in copies]
    trace = trace_from_text("\n".join(drawn))
    result = VIEW.main.answer(trace, OverviewParams())
    windows = [(window.breakdown_ns, window.duration_ns) for window in (result.whole, result.average) if window]
    for parts, duration_ns in windows + [(step.breakdown_ns, step.duration_ns) for step in result.steps]:
        assert sum(astuple(parts)) == duration_ns
        assert min(astuple(parts)) >= 0
    for one, other in zip(result.steps, result.steps[1:], strict=False):
        assert one.start_ns + one.duration_ns <= other.start_ns
    for device in result.devices:
        communication_ns = device.communication_exposed_ns + device.communication_overlapped_ns
        assert max(device.computation_ns, communication_ns, device.copy_ns) <= device.busy_ns <= device.window_ns
    assert asdict(result.whole.breakdown_ns) == _naive(trace)
    assert sum(row.time_ns for row in result.top_operators) + result.not_attributed_ns == (
        result.device_time_ns or _host_self(result)
    )


def _host_self(result: Overview) -> int:
    return sum(row.time_ns for row in result.top_operators)


def _naive(trace: Trace) -> dict[str, int]:
    """The whole window in steps of 1 us, by looking at every event."""
    events, parts = trace.events, dict.fromkeys(Breakdown.__struct_fields__, 0)
    order = ("kernel", "copy", "set", "communication", "runtime", "other_host", "unknown_queue", "idle")
    work = np.flatnonzero(np.isin(events.kind, DEVICE_KINDS))
    device = trace.tracks.device[events.track[work]]
    queues = [unknown_queue(trace, work[device == index]) for index in np.unique(device)]
    for t in range(trace.info.start_ns, trace.info.end_ns, 1000):
        active = {"idle"}
        if any(((queue.start <= t) & (t < queue.end)).any() for queue in queues):
            active.add("unknown_queue")
        for row in np.flatnonzero((events.start_ns <= t) & (t < events.end_ns)).tolist():
            kind, name = Kind(int(events.kind[row])), trace.text(int(events.name_id[row]))
            if kind in DEVICE_KINDS:
                active.add("communication" if "nccl" in name else kind.name.lower())
            elif kind is Kind.RUNTIME:
                active.add("runtime")
            elif kind is Kind.OPERATOR:
                active.add("other_host")
        parts[next(category for category in order if category in active)] += 1000
    return parts
