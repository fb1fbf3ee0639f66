"""The device's part of the overview: its use per step, the estimates of how well kernels use it, memory, and short lists."""

from __future__ import annotations

import dataclasses
import random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from msgspec.structs import asdict, astuple, replace

from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.model import Device, Memory, Trace, Work
from tb_plugin.views.overview import VIEW
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    import msgspec

    from tb_plugin.views.overview.result import Overview


def compute(trace: Trace | str, **filters: str) -> Overview:
    return VIEW.main.answer(trace_from_text(trace) if isinstance(trace, str) else trace, VIEW.main.params_from(filters))


def us(struct: msgspec.Struct | None) -> dict[str, int]:
    assert struct is not None
    return {name: ns // 1000 for name, ns in asdict(struct).items() if ns}


def test_a_step_says_what_the_device_did_and_the_average_adds_up() -> None:
    result = compute("""
        thread 1 | ProfilerStep#1 0-100 | aten::a 10-20 | ProfilerStep#2 100-201 | aten::b 150-151
        stream 7 | a 15-65 <- aten::a | b 152-190 <- aten::b
    """)
    first, second = result.steps
    assert us(first.device_use_ns) == {"busy": 50, "launch_gap": 5, "waiting_for_host": 45}
    assert us(second.device_use_ns) == {"busy": 38, "launch_gap": 2, "waiting_for_host": 61}
    assert result.average is not None
    assert result.average.device_use_ns is not None
    assert sum(astuple(result.average.device_use_ns)) == result.average.duration_ns == 100_500
    assert "waiting for host" in VIEW.main.text(result)


def test_several_devices_are_averaged_and_still_sum_to_the_step() -> None:
    result = compute("""
        thread 1 | ProfilerStep#1 0-100 | aten::a 0-1
        device 0 stream 7 | a 1-11 <- aten::a
        device 1 stream 7 | a 1-22 <- aten::a
        device 2 stream 7 | a 1-34 <- aten::a | ncclDevKernel 10-40 <- aten::a
    """)
    (step,) = result.steps
    assert us(step.device_use_ns) == {"busy": 23, "launch_gap": 1, "waiting_for_host": 75}  # of 23.3 and 75.7
    assert step.device_use_ns is not None
    assert sum(astuple(step.device_use_ns)) == step.duration_ns
    assert step.device_use_ns.busy == pytest.approx((10_000 + 21_000 + 39_000) / 3, abs=1)
    assert step.communication_ns is not None
    assert astuple(step.communication_ns) == (2_000, 8_000)  # 34 to 40, and 10 to 34, of one device of three


def test_without_device_activity_there_is_no_use_of_it() -> None:
    result = compute("thread 1 | ProfilerStep#1 0-100 | aten::a 10-20")
    assert (result.steps[0].device_use_ns, result.steps[0].communication_ns, result.whole.device_use_ns) == (None, None, None)
    columns, *_, whole = VIEW.main.table(result).columns, *VIEW.main.table(result).rows
    assert whole[columns.index("device_busy_ns")] is None


def _with_launches(text: str, blocks: list[float], occupancy: list[float]) -> Trace:
    """The drawing, with these figures for its kernels in the order of their rows."""
    trace = trace_from_text(text)
    rows = np.flatnonzero(trace.events.kind == Kind.KERNEL)
    columns = {"row": rows, "blocks_per_sm": np.array(blocks), "occupancy_percent": np.array(occupancy)}
    return dataclasses.replace(trace, work=Work.from_columns(columns))


def test_efficiency_sums_what_runs_at_once_up_to_one_and_counts_idle_time() -> None:
    text = "thread 1 | aten::a 0-1\nstream 7 | a 0-40 <- aten::a | b 60-100 <- aten::a\nstream 8 | c 20-40 <- aten::a"
    (device,) = compute(_with_launches(text, [0.5, 3.0, 0.75], [10, 20, 40])).devices
    # 20 us at 0.5, 20 us at 1 (1.25), 20 us idle, 40 us at 1 (3.0).
    assert device.sm_efficiency == pytest.approx((10 + 20 + 40) / 100)
    assert device.occupancy_percent == pytest.approx((10 * 40 + 20 * 40 + 40 * 20) / 100)


def test_what_was_not_recorded_of_a_kernel_makes_the_efficiency_unknown_and_not_smaller() -> None:
    text = "thread 1 | aten::a 0-1\nstream 7 | a 0-40 <- aten::a | b 60-100 <- aten::a"
    (device,) = compute(_with_launches(text, [0.5, float("nan")], [10, float("nan")])).devices
    assert (device.sm_efficiency, device.occupancy_percent) == (None, 10)
    (device,) = compute(text).devices
    assert (device.sm_efficiency, device.occupancy_percent) == (None, None)


def test_efficiency_and_occupancy_equal_a_look_at_every_instant() -> None:
    draw = random.Random(3)
    for _ in range(20):
        kernels = sorted((draw.randint(0, 80), draw.randint(1, 40)) for _ in range(6))
        blocks = [draw.choice((0.0, 0.25, 0.5, 2.0)) for _ in kernels]
        occupancy = [float(draw.randint(0, 100)) for _ in kernels]
        lines = [f"stream 7 | k {start}-{start + length} <- aten::a" for start, length in kernels]
        trace = trace_from_text("\n".join(["thread 1 | ProfilerStep#1 0-60 | aten::a 0-1 | ProfilerStep#2 60-125", *lines]))
        rows = np.flatnonzero(trace.events.kind == Kind.KERNEL)
        columns = {"row": rows, "blocks_per_sm": np.array(blocks), "occupancy_percent": np.array(occupancy)}
        trace = dataclasses.replace(trace, work=Work.from_columns(columns))
        spans = list(
            zip((trace.events.start_ns[rows] // 1000).tolist(), (trace.events.end_ns[rows] // 1000).tolist(), strict=True)
        )
        result = compute(trace, steps="2")
        step = result.steps[1]
        low, high = step.start_ns // 1000, (step.start_ns + step.duration_ns) // 1000
        running = [[k for k, (start, end) in enumerate(spans) if start <= t < end] for t in range(low, high)]
        (device,) = result.devices
        naive = sum(min(sum(blocks[k] for k in now), 1.0) for now in running)
        assert device.sm_efficiency == pytest.approx(naive / max(high - low, 1))
        time = sum(map(len, running))
        expected = sum(occupancy[k] for now in running for k in now) / time if time else None
        assert device.occupancy_percent == (None if expected is None else pytest.approx(expected))


def test_matrix_core_use_is_told_apart_from_what_cannot_be_told() -> None:
    (device,) = compute("""
        thread 1 | aten::a 0-1
        stream 7 | ampere_fp16_s16816gemm_fp16_128x64 0-50 <- aten::a | volta_sgemm_128x64_nn 50-80 <- aten::a
        stream 7 | my_own_kernel 80-100 <- aten::a | Memcpy HtoD 100-200 <- aten::a
    """).devices
    assert device.matrix_core_share == pytest.approx(0.5)
    assert device.matrix_core_unknown_share == pytest.approx(0.2)
    (copies,) = compute("thread 1 | aten::a 0-1\nstream 7 | Memcpy HtoD 0-10 <- aten::a").devices
    assert (copies.matrix_core_share, copies.matrix_core_unknown_share) == (None, None)


def test_categories_sum_to_the_time_in_which_the_device_is_busy() -> None:
    result = compute("""
        thread 1 | aten::a 0-1
        stream 7 | ampere_sgemm_128x64_nn 0-50 <- aten::a | ncclDevKernel_AllReduce 20-60 <- aten::a
        stream 7 | Memcpy HtoD 60-70 <- aten::a | Memset 70-75 <- aten::a | what_is_it 75-80
    """)
    assert [(row.category, row.time_ns) for row in result.categories] == [
        ("matmul", 35_000),
        ("communication", 25_000),
        ("copy", 10_000),
        ("other", 5_000),
        ("set", 5_000),
    ]
    (device,) = result.devices
    assert sum(row.time_ns for row in result.categories) == device.busy_ns == 80_000
    assert sum(row.share for row in result.categories) == pytest.approx(1)


def test_categories_are_of_the_steps_and_what_lies_outside_them_is_said() -> None:
    result = compute("""
        thread 1 | aten::a 0-9 | ProfilerStep#1 10-50 | aten::b 12-14
        stream 7 | ampere_sgemm_128x64_nn 0-10 <- aten::a | ampere_sgemm_128x64_nn 20-40 <- aten::b
    """)
    (device,), (matmul,) = result.devices, result.categories
    assert (matmul.time_ns, matmul.share) == (20_000, 0.5)
    assert (device.busy_ns, device.busy_outside_ns, device.window_ns) == (20_000, 10_000, 40_000)
    assert "outside these steps the device is busy for 10.0 us more" in VIEW.main.text(result)


def test_a_module_has_the_self_time_of_the_operators_directly_in_it() -> None:
    result = compute("""
        thread 1 | nn.Module: Net_0 0-90 | nn.Module: Linear_0 10-50 | aten::linear 20-40 | aten::relu 60-80 | aten::out 95-99
        stream 7 | gemm 30-70 <- aten::linear | relu 70-80 <- aten::relu | other 100-150 <- aten::out
    """)
    assert [(row.name, row.time_ns, row.share) for row in result.top_modules] == [
        ("Net_0/Linear_0", 40_000, 0.4),
        ("Net_0", 10_000, 0.1),
    ]
    assert compute("thread 1 | aten::a 0-9").top_modules == []


def test_modules_of_a_class_that_repeats_are_one_row() -> None:
    result = compute("""
        thread 1 | nn.Module: Net_0 0-90 | nn.Module: Linear_0 10-50 | aten::linear 20-40
        thread 1 | nn.Module: Linear_1 60-80 | aten::linear 65-75
        stream 7 | gemm 30-70 <- aten::linear | gemm 70-80 <- aten::linear
    """)
    assert [(row.name, row.instances, row.count, row.time_ns) for row in result.top_modules] == [("Linear", 2, 2, 50_000)]


def _with_memory(text: str, rows: list[tuple[float, int, int, int]]) -> Trace:
    """Memory events (us, bytes, allocated, reserved) of CUDA 0 on the operators of the drawing that begin then."""
    trace = trace_from_text(text)
    place = [int(np.flatnonzero(trace.events.start_ns == int(1000 * time))[-1]) for time, *_ in rows]
    columns = {
        "row": np.array(place),
        "device_type": np.ones(len(rows)),
        "device_index": np.zeros(len(rows)),
        "bytes": np.array([row[1] for row in rows]),
        "total_allocated": np.array([row[2] for row in rows]),
        "total_reserved": np.array([row[3] for row in rows]),
    }
    devices = (Device(index=0, name="GPU", memory_bytes=1000),)
    memory = Memory.from_columns({name: column.astype(np.int64) for name, column in columns.items()})
    return dataclasses.replace(trace, memory=memory, info=replace(trace.info, devices=devices))


def test_peak_memory_is_the_most_of_the_selected_steps_what_was_held_before_included() -> None:
    trace = _with_memory(
        "thread 1 | ProfilerStep#1 0-100 | a 10-11 | b 20-21 | ProfilerStep#2 100-200 | c 110-111 | d 120-121",
        [(10, 300, 500, 600), (20, -100, 400, 600), (110, -150, 250, 600), (120, 100, 350, 700)],
    )
    (peak,) = compute(trace).memory
    assert (peak.id, peak.title, peak.capacity_bytes) == ("cuda:0", "CUDA 0", 1000)
    assert (peak.peak_allocated_bytes, peak.peak_ns, peak.peak_reserved_bytes) == (500, 10_000, 700)
    (second,) = compute(trace, steps="2").memory
    assert (second.peak_allocated_bytes, second.peak_ns, second.peak_reserved_bytes) == (400, 100_000, 700)
    assert compute("thread 1 | aten::a 0-9").memory == []
    assert "CUDA 0      500 B     700 B    1000 B" in VIEW.main.text(compute(trace))


def test_the_csv_has_every_figure_of_a_step() -> None:
    result = compute("thread 1 | ProfilerStep#1 0-100 | aten::a 10-20\nstream 7 | a 15-65 <- aten::a")
    table = VIEW.main.table(result)
    row = dict(zip(table.columns, table.rows[0], strict=True))
    assert (row["kernel_ns"], row["device_busy_ns"], row["device_launch_gap_ns"]) == (50_000, 50_000, 5_000)
    assert (row["communication_exposed_ns"], row["selected"]) == (0, True)
    assert [line[0] for line in table.rows] == ["ProfilerStep#1", "average", "whole"]
