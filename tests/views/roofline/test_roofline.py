"""The roofline: work against what the device could do, on drawings, and the figures of real products."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.base.errors import UsageError
from tb_plugin.compute.intervals import union_length
from tb_plugin.trace.kinds import DEVICE_KINDS, is_kind
from tb_plugin.trace.model import Device
from tb_plugin.trace.work.taxonomy import collective_kernels
from tb_plugin.views.roofline import VIEW
from tb_plugin.views.roofline.result import Roofline, RooflineParams, RooflineRow
from tests.profiles import DEVICES, over, real, trace_of
from tests.trace.work.products import H100, MM_FLOPS, V100, mm, with_inputs
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace

BF16 = "c10::BFloat16"
MM_BYTES = 2 * (512 * 256 + 256 * 128 + 512 * 128)
ONE_PRODUCT = "thread 1 | aten::mm 0-15\nstream 7 | nvjet_a 5-15 <- aten::mm"


def ask(trace: Trace, **params: str) -> Roofline:
    return VIEW.main.answer(trace, RooflineParams(**params))


def only(trace: Trace, **params: str) -> RooflineRow:
    (row,) = ask(trace, **params).rows
    return row


def test_a_product_is_held_against_the_peak_of_its_type() -> None:
    result = ask(mm(ONE_PRODUCT, BF16, H100))
    (row,) = result.rows
    assert (row.name, row.shapes, row.is_call) == ("aten::mm", "[[512,256],[256,128]]", True)
    assert (row.flops, row.bytes, row.total_ns, row.rate_type) == (MM_FLOPS, MM_BYTES, 10_000, "bf16")
    assert row.flops_per_s == pytest.approx(MM_FLOPS / 10e-6)
    assert row.flops_per_byte == pytest.approx(MM_FLOPS / MM_BYTES)
    at_memory_ns, at_compute_ns = 1e9 * MM_BYTES / 3350e9, 1e9 * MM_FLOPS / 989.4e12
    assert at_memory_ns > at_compute_ns
    assert row.bound == "memory"
    assert row.lost_ns == round(10_000 - at_memory_ns)
    assert row.roof_share == pytest.approx(at_memory_ns / 10_000)
    assert result.coverage == 1.0
    assert [(roof.rate_type, roof.flops_per_s) for roof in result.roofs] == [("bf16", 989.4e12)]
    assert result.roofs[0].best_flops_per_s == row.flops_per_s
    assert not result.is_guess


def test_better_peaks_are_taken_where_they_are_given() -> None:
    trace = mm(ONE_PRODUCT, BF16, H100)
    row = only(trace, peak="bf16=10,bandwidth=3350")
    assert row.bound == "compute"
    assert row.roof_share == pytest.approx(MM_FLOPS / 10e12 / 10e-6)
    result = ask(trace, peak="bf16=1")
    assert result.rows[0].roof_share == pytest.approx(MM_FLOPS / 1e12 / 10e-6)  # over the roof is shown
    assert (result.rows[0].roof_share or 0) > 1
    assert result.rows[0].lost_ns == 0
    assert "given: bf16=1" in (result.peak or "")
    with pytest.raises(UsageError, match="peak"):
        ask(trace, peak="bf16=fast")


def test_an_unknown_device_has_work_and_no_roof_until_one_is_given() -> None:
    trace = mm(ONE_PRODUCT, BF16, Device(index=0, name="Unheard of"))
    result = ask(trace)
    assert (result.peak, result.bytes_per_s, result.rows[0].lost_ns) == (None, None, None)
    assert (result.rows[0].flops, result.coverage) == (MM_FLOPS, 1.0)
    assert only(trace, peak="bf16=100").lost_ns == round(10_000 - 1e9 * MM_FLOPS / 100e12)


def test_a_device_without_a_name_is_guessed_and_marked() -> None:
    nameless = Device(index=0, multiprocessors=304, memory_bytes=192 * 2**30, properties={"warpSize": 64})
    result = ask(mm(ONE_PRODUCT, BF16, nameless))
    assert result.is_guess
    assert (result.peak or "").startswith("MI300X")


def test_a_product_in_units_that_nobody_knows_has_no_roof() -> None:
    row = only(mm("thread 1 | aten::mm 0-15\nstream 7 | some_gemm 5-15 <- aten::mm", "float", H100))
    assert (row.lost_ns, row.rate_type, row.flops) == (None, None, MM_FLOPS)
    assert only(mm(ONE_PRODUCT.replace("nvjet_a", "volta_sgemm"), "float", V100)).rate_type == "fp32"


def test_the_time_is_that_of_all_kernels_of_the_call_and_its_work_counts_once() -> None:
    row = only(mm("thread 1 | aten::mm 0-15\nstream 7 | transpose 5-8 <- aten::mm | nvjet_a 8-20 <- aten::mm", BF16, H100))
    assert (row.count, row.total_ns, row.flops, row.category) == (2, 15_000, MM_FLOPS, "matmul")


def test_the_area_of_a_row_is_its_part_of_the_time_in_which_anything_runs() -> None:
    trace = trace_from_text("""
        thread 1 | aten::mm 0-2 | aten::add 3-5
        stream 7 | gemm 10-18 <- aten::mm
        stream 9 | add_kernel 14-20 <- aten::add
    """)
    rows = {row.name: (row.total_ns, row.wall_ns) for row in VIEW.main.answer(trace, RooflineParams()).rows}
    assert rows == {"gemm": (8000, 6000), "add_kernel": (6000, 4000)}


def test_collectives_are_left_out_and_unknown_work_is_a_row() -> None:
    text = f"{ONE_PRODUCT} | mystery 15-25\nstream 9 | ncclDevKernel_AllReduce 0-90"
    result = ask(mm(text, BF16, H100))
    assert result.total_ns == 20_000
    assert result.coverage == 0.5
    assert [(row.name, row.flops, row.bytes, row.lost_ns) for row in result.rows][1] == ("mystery", None, None, None)


def test_kernels_launched_before_have_the_work_of_those_like_them() -> None:
    """Without grids in the file, by neighbours: two on each side at least."""
    text = """
        thread 1 | aten::mm 100-101 | aten::relu 102-103
        stream 7 | a 10-15 | b 15-20 | nvjet_a 20-30 | c 30-35 | d 35-40 | nvjet_a 50-60
        stream 7 | a 110-115 | b 115-120 | nvjet_a 120-130 <- aten::mm | c 130-135 | d 135-140
    """
    result = ask(with_inputs(trace_from_text(text), "aten::mm", "[[512,256],[256,128]]", f'["{BF16}","{BF16}"]', H100))
    rows = {row.name: row for row in result.rows}
    assert (rows["aten::mm"].count, rows["aten::mm"].twin_ns, rows["aten::mm"].flops) == (2, 10_000, 2 * MM_FLOPS)
    assert rows["nvjet_a"].count == 1  # with other neighbours: it may be anybody's
    assert result.twin_ns == 10_000


def test_filters_hold() -> None:
    text = """
        thread 1 | ProfilerStep#1 0-50 | aten::mm 1-15
        thread 1 | ProfilerStep#2 50-99 | aten::mm 51-65
        stream 7 | nvjet_a 5-15 <- aten::mm | nvjet_a 55-75 <- aten::mm
    """
    trace = with_inputs(trace_from_text(text), "aten::mm", "[[512,256],[256,128]]", f'["{BF16}","{BF16}"]', H100)
    assert only(trace, steps="2").total_ns == 20_000
    assert only(trace).total_ns == 30_000


@over(DEVICES + real("h100_qwen", "a100_nccl", "mi300_resnet_ddp_checkpoint", "v100_resnet50_workers0_a"))
def test_rows_add_up_to_all_device_time_but_collectives(path: Path) -> None:
    trace = trace_of(path)
    events = trace.events
    counts = is_kind(events.kind, DEVICE_KINDS) & ~collective_kernels(trace)
    result = ask(trace)
    assert sum(row.total_ns for row in result.rows) == result.total_ns == int((events.end_ns - events.start_ns)[counts].sum())
    assert sum(row.count for row in result.rows) == result.count == int(counts.sum())
    device = trace.tracks.device[events.track]
    any_runs = sum(
        union_length(events.start_ns[mine], events.end_ns[mine])
        for d in set(device[counts].tolist())
        for mine in [counts & (device == d)]
    )
    assert sum(row.wall_ns for row in result.rows) == pytest.approx(any_runs, abs=len(result.rows))
    for row in result.rows:
        assert row.lost_ns is None or 0 <= row.lost_ns <= row.total_ns
        assert (row.flops is None and row.bytes is None) or row.is_call or row.bytes is not None
    lost = [row.lost_ns for row in result.rows]
    known = [ns for ns in lost if ns is not None]
    assert known == sorted(known, reverse=True)
    assert lost[: len(known)] == known


@pytest.mark.parametrize(
    ("name", "rates"),
    [("h100_qwen", (616.6, 682.2, 593.8)), ("mi300_qwen", (466.4, 521.3, 459.1))],
)
def test_rates_of_real_products_are_those_of_a_loop_over_the_file(traces: Path, name: str, rates: tuple[float, ...]) -> None:
    """Summed FLOPs over summed time of the mm kernels of these shapes, by a script of its own."""
    result = ask(trace_of(traces / f"{name}.json.gz"))
    shapes = ("[[8944, 1024], [1024, 2816]]", "[[8944, 2816], [2816, 1024]]", "[[8944, 1024], [1024, 1024]]")
    found = {row.shapes: row.flops_per_s for row in result.rows if row.name == "aten::mm"}
    assert tuple(round((found[shape] or 0) / 1e12, 1) for shape in shapes) == pytest.approx(rates, rel=1e-3)
    (attention,) = (row for row in result.rows if row.name == "aten::_flash_attention_forward")
    assert not attention.is_most
    if name == "h100_qwen":
        assert attention.flops_per_s == pytest.approx(90e12, rel=0.01)  # causal counted causal


@pytest.mark.parametrize("name", ["h100_qwen", "mi300_qwen", "h100_owlv2"])
def test_nearly_all_work_of_networks_is_known(traces: Path, name: str) -> None:
    assert (ask(trace_of(traces / f"{name}.json.gz")).coverage or 0) > 0.95


@over(real("mi300_sglang_decode", "mi300_vllm_decode_graph"))
def test_paged_attention_is_not_known_and_said_why(path: Path) -> None:
    trace = trace_of(path)
    result = ask(trace)
    paged = [row for row in result.rows if "paged_attention" in row.name or "unified_attention" in row.name]
    assert result.paged_ns == sum(row.total_ns for row in paged if row.flops is None) > 0
    assert "context lengths are data" in VIEW.main.text(result)
    assert "context lengths" not in VIEW.main.text(ask(trace, inside="^aten::"))
