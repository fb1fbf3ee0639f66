"""Kernels that only copy or cast are told with their time; copies from the host are another finding's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.findings.checks import redundant_copy
from tb_plugin.findings.facts import Facts
from tests.profiles import over, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

DRAWN = """
    thread 1 | ProfilerStep#1 0-100 | aten::contiguous 0-9 | aten::clone 1-8 | aten::copy_ 2-7 | aten::to 20-29 | aten::mm 30-35
    stream 7 | elementwise_kernel 5-15 <- aten::copy_ | elementwise_cast 25-30 <- aten::to | gemm 40-90 <- aten::mm
"""


def test_copies_and_casts_cost_their_kernels() -> None:
    seen = redundant_copy.find(Facts(trace_from_text(DRAWN)))
    assert seen is not None
    assert seen.gain_ns == 15_000
    assert "1 kernel of contiguous() and clone() took 10.0 us, 1 cast by to() 5.00 us" in seen.what


def test_copies_from_the_host_are_something_else() -> None:
    text = DRAWN.replace("aten::contiguous", "aten::view").replace("aten::clone", "aten::reshape")
    assert (
        redundant_copy.find(Facts(trace_from_text(text.replace("elementwise_cast", "Memcpy HtoD (Pageable -> Device)")))) is None
    )


@over(real("h100_qwen"))
def test_of_a_transformer(path: Path) -> None:
    seen = redundant_copy.find(Facts(trace_of(path)))
    assert seen is not None
    assert "96 kernels of contiguous() and clone() took 2.77 ms, 101 casts by to() 2.34 ms" in seen.what


@over(real("v100_ns_resolution", "mi300_vllm_decode_graph"))
def test_silent_where_there_are_few(path: Path) -> None:
    assert redundant_copy.find(Facts(trace_of(path))) is None
