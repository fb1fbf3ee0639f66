"""Large products far below the peak are told; small ones, those that memory limits and those that are fast are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.findings.checks import amd_matmul, slow_matmul
from tb_plugin.findings.facts import Facts
from tb_plugin.trace.model import Device
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
    assert seen.less is None  # nothing in the file is like it


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
    facts = run(400, device=MI300X)
    seen = amd_matmul.find(facts)
    assert seen is not None
    assert "TunableOp" in seen.title
    assert slow_matmul.find(facts) is None
    assert amd_matmul.find(run(400)) is None


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
