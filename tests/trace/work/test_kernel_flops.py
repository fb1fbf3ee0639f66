"""FLOPs and bytes of kernels, peaks of devices, and which operators could use matrix cores."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.model import Device
from tb_plugin.trace.work.device_peaks import DEVICE_PEAKS, device_at
from tb_plugin.trace.work.flops import flops_by_row
from tb_plugin.trace.work.kernel_bytes import kernel_bytes
from tb_plugin.trace.work.kernel_flops import kernel_flops
from tb_plugin.trace.work.main_kernels import LEAST_SHARE
from tb_plugin.trace.work.matrix_cores import Use
from tb_plugin.trace.work.matrix_operators import eligible_by_row, eligible_operator, matrix_types
from tb_plugin.trace.work.taxonomy import Category, category_by_row
from tb_plugin.views.kernels import VIEW
from tb_plugin.views.kernels.result import KernelsParams
from tests.profiles import GPUS, over, real, trace_of
from tests.trace.work.products import H100, MI300, MM_FLOPS, V100, mm, with_inputs
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.base.units import Int32Array
    from tb_plugin.trace.model import Trace


class OneArgument:
    """Every event has this argument."""

    def __init__(self, text: bytes) -> None:
        self.text = text

    def places(self, orders: Int32Array, _rows: object, keys: tuple[str, str]) -> tuple[Int32Array, list[tuple[bytes, bytes]]]:
        said = (self.text, b"") if keys[0] == "Concrete Inputs" else (b"", b"")
        return np.ones(len(orders), np.int32), [(b"", b""), said]


def known(trace: Trace) -> dict[str, tuple[int, float]]:
    found = kernel_flops(trace)
    names = [trace.text(n) for n in trace.events.name_id[found.row].tolist()]
    return dict(zip(names, zip(found.flops.tolist(), found.at_peak_ns.tolist(), strict=True), strict=True))


def test_the_one_multiplying_kernel_of_a_call_has_its_flops() -> None:
    trace = mm(
        "thread 1 | aten::linear 0-20 | aten::mm 1-15\nstream 7 | nvjet_a 5-15 <- aten::mm | other 15-99 <- aten::mm",
        "c10::BFloat16",
        H100,
    )
    ((kernel, (flops, at_peak_ns)),) = known(trace).items()
    assert (kernel, flops) == ("nvjet_a", MM_FLOPS)
    assert at_peak_ns == pytest.approx(1e9 * MM_FLOPS / 989.4e12)


@pytest.mark.parametrize(("other_us", "is_known"), [(2, True), (5, False)])
def test_a_call_of_several_multiplying_kernels_tells_only_if_one_dominates(other_us: int, is_known: bool) -> None:
    trace = mm(
        f"thread 1 | aten::mm 0-15\nstream 7 | sgemm_main 20-30 <- aten::mm | splitKreduce_kernel 30-{30 + other_us} <- aten::mm",
        "float",
        H100,
    )
    assert (10 / (10 + other_us) >= LEAST_SHARE) is is_known
    assert set(known(trace)) == ({"sgemm_main"} if is_known else set())


@pytest.mark.parametrize(
    ("kernel", "element", "device", "peak"),
    [
        ("cutlass_80_tensorop_s1688gemm_128x128", "float", H100, 494.7e12),  # TF32
        ("ampere_sgemm_128x64_nn", "float", H100, 66.9e12),
        ("some_gemm", "float", H100, None),  # who knows which units
        ("volta_sgemm_64x64_nn", "float", V100, 15.7e12),
        ("Cijk_Alik_Bljk_SB_MT64x64x16_MI16x16x1_SN", "float", MI300, 163.4e12),
        ("Cijk_Alik_Bljk_HB_MT64x64x16_MI16x16x1_SN", "c10::Half", MI300, 1307.4e12),
        ("volta_gemm", "c10::BFloat16", V100, None),  # sm70 has no such units
        ("some_gemm", "c10::Half", Device(index=0, name="Unheard of"), None),
    ],
)
def test_the_peak_is_that_of_the_units_used(kernel: str, element: str, device: Device, peak: float | None) -> None:
    flops, at_peak_ns = known(mm(f"thread 1 | aten::mm 0-15\nstream 7 | {kernel} 5-15 <- aten::mm", element, device))[kernel]
    assert flops == MM_FLOPS
    assert at_peak_ns == pytest.approx(np.nan if peak is None else 1e9 * MM_FLOPS / peak, nan_ok=True)


def test_the_other_roof_is_reading_the_inputs_and_writing_the_output_once() -> None:
    trace = mm("thread 1 | aten::mm 0-15\nstream 7 | nvjet_a 5-15 <- aten::mm", "c10::BFloat16", H100)
    found = kernel_bytes(trace)
    n_bytes = 2 * (512 * 256 + 256 * 128 + 512 * 128)
    assert found.bytes.tolist() == [n_bytes]
    assert found.at_bandwidth_ns.tolist() == pytest.approx([1e9 * n_bytes / 3350e9])
    (row,) = VIEW.main.answer(trace, KernelsParams()).rows
    assert row.flops == MM_FLOPS
    assert row.flops_per_s == pytest.approx(MM_FLOPS / 10e-6)
    assert row.flops_per_byte == pytest.approx(MM_FLOPS / n_bytes)
    assert row.peak_share == pytest.approx(MM_FLOPS / 10e-6 / 989.4e12)
    assert row.bandwidth_share == pytest.approx(found.at_bandwidth_ns[0] / 10_000)


def test_what_a_call_moves_is_its_longest_kernels() -> None:
    trace = with_inputs(
        trace_from_text("""
            thread 1 | aten::softmax 0-20 | aten::_softmax_backward_data 20-40
            thread 1 | aten::_softmax 1-15
            stream 7 | cunn_SoftMaxForward 5-15 <- aten::_softmax | small 15-16 <- aten::_softmax
            stream 7 | cunn_SoftMaxBackward 30-40 <- aten::_softmax_backward_data
        """),
        "aten::_softmax",
        "[[8,64],[],[]]",
        '["float","Scalar","Scalar"]',
        H100,
    )
    assert len(kernel_bytes(trace).row) == 0  # in halves or floats: the argument is not recorded
    args = dataclasses.replace(trace, args=OneArgument(b'["","-1","False"]'))  # type: ignore[arg-type]
    found = kernel_bytes(args)
    assert [trace.text(trace.events.name_id[row]) for row in found.row.tolist()] == ["cunn_SoftMaxForward"]
    assert found.bytes.tolist() == [2 * 4 * 8 * 64]


def test_layouts_that_a_product_changes_do_not_move_its_bytes() -> None:
    trace = mm(
        "thread 1 | aten::mm 0-15\nstream 7 | nvjet_a 5-15 <- aten::mm | batched_transpose_16x32 15-99 <- aten::mm",
        "c10::BFloat16",
        H100,
    )
    assert [trace.text(trace.events.name_id[row]) for row in kernel_bytes(trace).row.tolist()] == ["nvjet_a"]


def test_products_of_unfused_attention_wait_for_memory(traces: Path) -> None:
    """881 MB in 1.08 ms is 24 % of an H100's 3350 GB/s: 860 MB of them are the output, 5185 by 5185 by 16."""
    trace = trace_of(traces / "h100_owlv2.json.gz")
    rows = {row.name: row for row in VIEW.main.answer(trace, KernelsParams()).rows}
    (product,) = (row for name, row in rows.items() if name.startswith("void cutlass::Kernel2") and "256x128_tn_align1" in name)
    assert product.bandwidth_share == pytest.approx(0.24, abs=0.005)
    (softmax,) = (row for name, row in rows.items() if "cunn_SoftMaxForward<8" in name)
    assert softmax.bandwidth_share == pytest.approx(0.235, abs=0.001)


def test_without_shapes_nothing_is_known() -> None:
    assert len(kernel_flops(trace_from_text("thread 1 | aten::mm 0-15\nstream 7 | gemm 5-15 <- aten::mm")).row) == 0


def test_no_column_of_the_peaks_slipped() -> None:
    for peak in DEVICE_PEAKS:
        known = [each for each in (peak.fp8, peak.fp16, peak.tf32, peak.fp32, peak.fp64) if each is not None]
        assert known == sorted(known, reverse=True), peak.title
        assert 0.2e12 <= peak.bytes_per_s <= 8e12
        assert peak.fp4 is None or peak.fp8 is None or peak.fp4 > peak.fp8


def test_amd_counts_the_hosts_agents_too() -> None:
    trace = with_inputs(trace_from_text("thread 1 | a 0-1"), "a", "[]", "[]", MI300)
    assert device_at(trace, 2) == MI300
    assert device_at(dataclasses.replace(trace, info=msgspec.structs.replace(trace.info, devices=(MI300, V100))), 2) is None


@pytest.mark.parametrize(
    ("name", "types", "device", "use"),
    [
        ("aten::mm", '["c10::BFloat16","c10::BFloat16"]', H100, Use.YES),
        ("aten::mm", '["c10::BFloat16","c10::BFloat16"]', V100, Use.NO),
        ("aten::mm", '["float","float"]', V100, Use.NO),
        ("aten::mm", '["float","float"]', H100, Use.YES),
        ("aten::mm", '["double","double"]', MI300, Use.YES),
        ("aten::mm", '["long int","long int"]', H100, Use.UNKNOWN),
        ("aten::mm", "", H100, Use.UNKNOWN),
        ("aten::mm", '["float","float"]', None, Use.UNKNOWN),
        ("ConvolutionBackward0", '["c10::Half"]', V100, Use.YES),
        ("aten::add", '["c10::Half"]', H100, Use.NO),
    ],
)
def test_eligible_is_what_multiplies_in_a_type_the_cores_take(name: str, types: str, device: Device | None, use: Use) -> None:
    assert eligible_operator(name, types, matrix_types(device)) is use


def test_eligible_rows_are_operators() -> None:
    trace = mm("thread 1 | aten::mm 0-15\nstream 7 | gemm 5-15 <- aten::mm", "c10::Half", H100)
    rows = np.flatnonzero(eligible_by_row(trace) == Use.YES)
    assert [trace.text(n) for n in trace.events.name_id[rows].tolist()] == ["aten::mm"]


def naive(trace: Trace) -> dict[int, int]:
    """FLOPs by kernel row, by a loop over kernels."""
    events, flops = trace.events, flops_by_row(trace).tolist()
    kind, owner, parent = events.kind.tolist(), events.owner.tolist(), events.nest_parent.tolist()
    duration = (events.end_ns - events.start_ns).tolist()
    multiplies = np.isin(category_by_row(trace), (Category.MATMUL, Category.CONVOLUTION)).tolist()
    of_call: dict[int, list[int]] = {}
    for row in range(len(events)):
        if kind[row] == Kind.KERNEL and multiplies[row]:
            call = owner[row]
            while call >= 0 and not (flops[call] > 0 and kind[call] == Kind.OPERATOR and multiplies[call]):
                call = parent[call]
            if call >= 0:
                of_call.setdefault(call, []).append(row)
    found = {}
    for call, rows in of_call.items():
        longest = max(rows, key=duration.__getitem__)
        if duration[longest] >= LEAST_SHARE * sum(duration[row] for row in rows):
            found[longest] = flops[call]
    return found


@over(GPUS + real("h100_qwen", "mi300_resnet_ddp_checkpoint", "a100_rank0_queue"))
def test_as_a_naive_loop_finds_and_below_the_peak(path: Path) -> None:
    trace = trace_of(path)
    found = kernel_flops(trace)
    assert dict(zip(found.row.tolist(), found.flops.tolist(), strict=True)) == naive(trace)
    duration = (trace.events.end_ns - trace.events.start_ns)[found.row]
    assert len(found.row) > 0
    assert (found.at_peak_ns[~np.isnan(found.at_peak_ns)] < duration[~np.isnan(found.at_peak_ns)]).all()
