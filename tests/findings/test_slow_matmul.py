"""Large products far below the peak are told; small ones, those that memory limits and those that are fast are not."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.findings.checks import amd_matmul, few_blocks, slow_matmul
from tb_plugin.findings.facts import Facts
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.model import Device, Work
from tb_plugin.trace.work.device_peaks import with_peak
from tests.profiles import over, real, trace_of
from tests.trace_text import trace_from_text, with_inputs

if TYPE_CHECKING:
    from pathlib import Path

H100 = Device(index=0, name="NVIDIA H100 80GB HBM3", compute_capability="9.0")
MI300X = Device(index=0, name="AMD Instinct MI300X", compute_capability="9.4")
LARGE, AT_PEAK_NS = "[[4096,4096],[4096,4096]]", 2 * 4096**3 / 989.4e3
BF16 = '["c10::BFloat16","c10::BFloat16"]'


def run(kernel_us: int, shapes: str = LARGE, others: str = "", device: Device = H100) -> Facts:
    trace = trace_from_text(f"""
        thread 1 | ProfilerStep#1 0-2000 | aten::mm 0-9 | aten::bmm 10-19 | aten::add 20-29
        stream 7 | gemm 30-{30 + kernel_us} <- aten::mm
        {others}
    """)
    inputs = {"aten::mm": (shapes, BF16), "aten::bmm": ("[[1,4096,4096],[1,4096,4096]]", BF16)}
    return Facts(with_inputs(trace, inputs, device))


def test_a_large_product_could_reach_most_of_the_peak() -> None:
    seen = slow_matmul.find(run(400))
    assert seen is not None
    assert seen.gain_ns == pytest.approx(400_000 - AT_PEAK_NS / 0.8, abs=1)
    assert seen.less is not None  # nothing in the file is like it: held to what such products reach
    assert np.asarray(seen.less.work_factor).tolist() == [pytest.approx(AT_PEAK_NS / 0.6 / 400_000)]
    assert "60 to 77 %" in (seen.estimate_how or "")


def with_blocks(facts: Facts, blocks_per_sm: float) -> Facts:
    events = facts.trace.events
    rows = np.flatnonzero(events.kind == Kind.KERNEL)
    work = Work.from_columns({"row": rows, "blocks_per_sm": np.full(len(rows), blocks_per_sm)})
    return Facts(dataclasses.replace(facts.trace, work=work))


def test_just_under_a_wave_what_few_blocks_does_not_explain_is_lost() -> None:
    facts = with_blocks(run(600), 0.8)
    seen, empty = slow_matmul.find(facts), few_blocks.find(facts)
    assert seen is not None
    assert empty is not None
    assert seen.gain_ns is not None
    assert empty.gain_ns == pytest.approx(120_000, abs=1)
    assert seen.gain_ns + (empty.gain_ns or 0) == pytest.approx(600_000 - AT_PEAK_NS / 0.8, abs=2)  # once, not twice
    assert seen.less is not None
    assert np.asarray(seen.less.work_factor).tolist() == [pytest.approx(1 - (480_000 - AT_PEAK_NS / 0.6) / 600_000)]
    assert slow_matmul.find(with_blocks(run(600), 0.49)) is None  # most of the device is empty: a larger grid first
    assert slow_matmul.find(with_blocks(run(400), 0.85)) is None  # 35 % of the peak, 41 % of what its blocks could


def test_where_all_products_are_slow_the_reasons_are_named_that_are_not_ruled_out() -> None:
    whole = Device(index=0, name=H100.name, multiprocessors=132)
    seen, of_whole = slow_matmul.find(run(900)), slow_matmul.find(run(900, device=whole))
    assert seen is not None
    assert of_whole is not None
    assert "clock" in seen.title
    assert "MIG" in seen.title
    assert "tensor cores" in seen.title  # a kernel named gemm says nothing of them
    assert "MIG" not in of_whole.title
    fast = slow_matmul.find(run(900, others="stream 7 | gemm_b 1000-1200 <- aten::bmm"))
    assert fast is not None
    assert "sizes" in fast.title


@over(real("h100_qwen"))
def test_a_real_transformer_that_runs_at_a_third_of_what_its_device_can(path: Path) -> None:
    """As if it were one with three times the peak. By hand, from 3 % of the busy time on: ms, part of that
    peak, blocks per multiprocessor.
    """
    by_hand = ((4.016, 0.2077, 1.0), (2.266, 0.2008, 0.91), (1.815, 0.2298, 0.91))
    seen = slow_matmul.find(Facts(with_peak(trace_of(path), f"bf16={3 * 989.4},bandwidth={3 * 3350}")))
    assert seen is not None
    assert seen.gain_ns == pytest.approx(1e6 * sum(ms * (blocks - share / 0.8) for ms, share, blocks in by_hand), rel=0.01)
    assert seen.less is not None
    trace = trace_of(path)
    time_ns = (trace.events.end_ns - trace.events.start_ns)[seen.rows]
    saved_ns = float((time_ns * (1 - np.asarray(seen.less.work_factor))).sum())
    assert saved_ns == pytest.approx(1e6 * sum(ms * (blocks - share / 0.6) for ms, share, blocks in by_hand), rel=0.01)
    assert seen.title == "Find out why all large matrix products are slow: a limit of clock or power"  # 132 units, tensor cores


def test_what_another_product_reaches_is_expected() -> None:
    seen = slow_matmul.find(run(400, others="stream 7 | gemm_b 500-700 <- aten::bmm"))
    assert seen is not None
    assert seen.less is not None
    assert np.asarray(seen.less.work_factor).tolist() == [pytest.approx(0.5)]


@pytest.mark.parametrize(
    ("kernel_us", "shapes", "others"),
    [
        (300, LARGE, ""),  # 47 % of the peak
        (400, "[[4096,64],[64,4096]]", ""),  # memory limits it
        (400, LARGE, "stream 7 | elementwise_kernel 500-14000 <- aten::add"),  # next to nothing of the busy time
    ],
)
def test_silent(kernel_us: int, shapes: str, others: str) -> None:
    facts = run(kernel_us, shapes, others)
    assert slow_matmul.find(facts) is None


def test_of_amd_the_libraries_are_tuned() -> None:
    facts = run(300, device=MI300X)
    seen = amd_matmul.find(facts)
    assert seen is not None
    assert "TunableOp" in seen.title
    assert slow_matmul.find(facts) is None
    assert amd_matmul.find(run(400)) is None
    slower = amd_matmul.find(run(900, device=MI300X))
    assert slower is not None
    assert "partition" in slower.title


@over(real("mi300_qwen"))
def test_of_a_real_transformer(path: Path) -> None:
    facts = Facts(trace_of(path))
    assert slow_matmul.find(facts) is None
    seen = amd_matmul.find(facts)
    assert seen is not None
    assert [round(each.value, 2) for each in seen.evidence[2:]] == [0.36, 0.35, 0.40]


@over(real("h100_qwen", "h100_owlv2", "h100_bert_small", "a100_rank0_queue"))
def test_silent_where_products_are_as_fast_as_they_get(path: Path) -> None:
    assert slow_matmul.find(Facts(trace_of(path))) is None
