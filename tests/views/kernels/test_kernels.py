from __future__ import annotations

import numpy as np
import pytest

from tb_plugin.trace.kinds import DEVICE_KINDS
from tb_plugin.views.kernels import VIEW
from tb_plugin.views.kernels.result import KernelsParams
from tests.trace_text import trace_from_text
from tests.views.kernels.drawing import with_work

TWO_STREAMS = """
    thread 1          | ProfilerStep#1 0-100 | aten::mm 0-15 | aten::add 20-30
    stream 7          | gemm 5-15 <- aten::mm | gemm 40-70 <- aten::mm | add 70-75 <- aten::add
    stream 8          | gemm 50-80 <- aten::add | ncclDevKernel_AllReduce 80-90 | Memcpy HtoD 91-95 | Memset 96-97
    device 1 stream 7 | gemm 0-10
"""


def test_kernels_of_one_name_are_one_row() -> None:
    result = VIEW.main.answer(trace_from_text(TWO_STREAMS), KernelsParams())
    assert [(row.name, row.kind, row.count, row.total_ns) for row in result.rows] == [
        ("gemm", "kernel", 4, 80_000),
        ("ncclDevKernel_AllReduce", "communication", 1, 10_000),
        ("add", "kernel", 1, 5_000),
    ]
    gemm = result.rows[0]
    assert (gemm.mean_ns, gemm.min_ns, gemm.max_ns) == (20_000.0, 10_000, 30_000)
    assert gemm.share == pytest.approx(80 / 95)
    assert sum(row.share for row in result.rows) == pytest.approx(1)


def test_busy_is_a_union_per_device() -> None:
    result = VIEW.main.answer(trace_from_text(TWO_STREAMS), KernelsParams())
    assert (result.count, result.total_ns, result.busy_ns) == (6, 95_000, (10 + 50 + 10) * 1000)


@pytest.mark.parametrize(("kind", "names"), [("copy", ["Memcpy HtoD"]), ("set", ["Memset"])])
def test_copies_and_sets_are_asked_for_by_kind(kind: str, names: list[str]) -> None:
    result = VIEW.main.answer(trace_from_text(TWO_STREAMS), VIEW.main.params_from({"kind": kind}))
    assert [(row.name, row.kind) for row in result.rows] == [(names[0], kind)]


def test_all_kinds_add_up_to_the_device_time() -> None:
    trace = trace_from_text(TWO_STREAMS)
    result = VIEW.main.answer(trace, KernelsParams(kind="all", group_by="launch"))
    on_device = np.isin(trace.events.kind, DEVICE_KINDS)
    assert (
        sum(row.total_ns for row in result.rows)
        == (trace.events.end_ns - trace.events.start_ns)[on_device].sum()
        == result.total_ns
    )
    assert sum(row.count for row in result.rows) == on_device.sum()


def test_launches_are_told_apart_by_operator() -> None:
    result = VIEW.main.answer(trace_from_text(TWO_STREAMS), KernelsParams(group_by="launch"))
    gemms = {row.operator: (row.count, row.total_ns) for row in result.rows if row.name == "gemm"}
    assert gemms == {"aten::mm": (2, 40_000), "aten::add": (1, 30_000), None: (1, 10_000)}


def test_launches_are_told_apart_by_shape() -> None:
    text = """
        thread 1 | aten::mm 0-10
        stream 7 | gemm 10-20 <- aten::mm | gemm 20-40 <- aten::mm | gemm 40-70 <- aten::mm | other 70-71
    """
    grids, blocks = [[128, 1, 1], [64, 2, 1], [128, 1, 1]], [[256, 1, 1]] * 3
    trace = with_work(trace_from_text(text), "gemm", grid=grids, block=blocks, registers=[32] * 3, shared_bytes=[0] * 3)
    rows = VIEW.main.answer(trace, KernelsParams(group_by="launch")).rows
    assert [(row.grid, row.block, row.registers, row.shared_bytes, row.total_ns) for row in rows] == [
        ((128, 1, 1), (256, 1, 1), 32, 0, 40_000),
        ((64, 2, 1), (256, 1, 1), 32, 0, 20_000),
        (None, None, None, None, 1_000),
    ]


def test_steps_do_not_split_a_launch() -> None:
    rows = VIEW.main.answer(
        trace_from_text("""
            thread 1 | ProfilerStep#1 0-10 | ProfilerStep#2 10-20
            stream 7 | triton 1-2 <- ProfilerStep#1 | triton 11-12 <- ProfilerStep#2
        """),
        KernelsParams(group_by="launch"),
    ).rows
    assert [(row.operator, row.count) for row in rows] == [("ProfilerStep*", 2)]


def test_occupancy_is_weighted_by_duration_and_skips_what_is_not_recorded() -> None:
    text = "stream 7 | gemm 0-10 | gemm 10-40 | gemm 40-90"
    nan = float("nan")
    trace = with_work(trace_from_text(text), "gemm", occupancy_percent=[100.0, 20.0, nan], blocks_per_sm=[nan, nan, nan])
    (row,) = VIEW.main.answer(trace, KernelsParams()).rows
    assert row.occupancy_percent == pytest.approx((10 * 100 + 30 * 20) / 40)
    assert row.blocks_per_sm is None


def test_bytes_of_copies_are_summed() -> None:
    trace = with_work(trace_from_text("stream 7 | Memcpy HtoD 0-10 | Memcpy HtoD 10-40"), "Memcpy HtoD", bytes=[1000, 24])
    (row,) = VIEW.main.answer(trace, KernelsParams(kind="copy")).rows
    assert (row.bytes, row.grid) == (1024, None)


def test_a_host_only_trace_says_what_is_missing() -> None:
    trace = trace_from_text("thread 1 | aten::mm 0-10")
    assert "ProfilerActivity" in (VIEW.main.missing(trace) or "")
    result = VIEW.main.answer(trace, KernelsParams(group_by="launch"))
    assert (result.rows, result.total_ns, result.busy_ns) == ([], 0, 0)


def test_text_and_csv_have_every_row() -> None:
    result = VIEW.main.answer(trace_from_text(TWO_STREAMS), KernelsParams(kind="all", group_by="launch"))
    assert len(VIEW.main.text(result).splitlines()) == 2 + len(result.rows) + 2
    assert "not attributed" in VIEW.main.text(result)
    table = VIEW.main.table(result)
    assert len(table.rows) == len(result.rows)
    assert {len(row) for row in table.rows} == {len(table.columns)}
