"""Decoding few tokens a step with products that take most of the time is told; prompts and large batches are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.findings.checks import decode_bound
from tb_plugin.findings.facts import Facts
from tests.profiles import over, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

SGLANG, VLLM = "step[DECODE bs=32]", "execute_32_context_0(sq0sk0)_generation_32(sq32sk55086)"


def run(step: str, product_us: int = 60) -> Facts:
    return Facts(
        trace_from_text(f"""
            thread 1 | <{step}> 0-100 | aten::mm 1-5 | aten::add 6-9
            stream 7 | gemm 10-{10 + product_us} <- aten::mm | elementwise_kernel 71-91 <- aten::add
        """)
    )


@pytest.mark.parametrize("step", [SGLANG, VLLM])
def test_few_tokens_a_step(step: str) -> None:
    seen = decode_bound.find(run(step))
    assert seen is not None
    assert seen.gain_ns is None
    assert "32 tokens" in seen.what
    assert "60.0 us (75.0 %)" in seen.what


@pytest.mark.parametrize(
    ("step", "product_us"),
    [
        ("step[EXTEND bs=32]", 60),
        ("step[DECODE bs=256]", 60),
        ("execute_32_context_1(sq8sk8)_generation_31(sq31sk55086)", 60),  # with a prompt
        (SGLANG, 4),  # other work takes the time
    ],
)
def test_silent(step: str, product_us: int) -> None:
    assert decode_bound.find(run(step, product_us)) is None


NAMED = {"mi300_sglang_decode": "5.78 ms", "mi300_vllm_decode_graph": "8.40 ms"}


@over(real(*NAMED))
def test_of_servers(path: Path) -> None:
    seen = decode_bound.find(Facts(trace_of(path)))
    assert seen is not None
    assert seen.what.startswith("1 decode step of at most 32 tokens")
    assert NAMED[path.name.split(".")[0]] in seen.what


@over(real("h100_qwen", "h100_bert_small"))
def test_silent_elsewhere(path: Path) -> None:
    assert decode_bound.find(Facts(trace_of(path))) is None
