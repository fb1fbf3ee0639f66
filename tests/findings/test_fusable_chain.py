"""Kernels that only hand memory to the next one are told, with what of it one kernel would save; other work ends a chain."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tb_plugin.findings.checks import fusable_chain
from tb_plugin.findings.facts import Facts
from tb_plugin.findings.source import main_source
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.modules.call_sites import is_user_frame, split_frame
from tests.profiles import over, real, trace_of
from tests.trace_text import trace_from_text, with_inputs

if TYPE_CHECKING:
    from pathlib import Path

ONE = ("[[64,32]]", '["float"]')
TWO = ("[[64,32],[64,32]]", '["float","float"]')
GELU = {"aten::mul": TWO, "aten::sigmoid": ONE, "aten::div": TWO}


def run(*operators: str, inputs: dict[str, tuple[str, str]] = GELU) -> Facts:
    """These operators one after the other, each with a kernel of 10 us."""
    host = " | ".join(f"{name} {10 * at}-{10 * at + 9}" for at, name in enumerate(operators))
    kernels = ["gemm" if name == "aten::mm" else "elementwise_kernel" for name in operators]
    work = [f"{kernel} {10 * at + 5}-{10 * at + 15} <- {operators[at]}" for at, kernel in enumerate(kernels)]
    device = " | ".join(work)
    text = f"thread 1 | ProfilerStep#1 0-{10 * len(operators) + 10} | {host}\nstream 7 | {device}"
    return Facts(with_inputs(trace_from_text(text), {name: each for name, each in inputs.items() if name in operators}))


def test_what_is_handed_on_is_saved_of_the_time() -> None:
    seen = fusable_chain.find(run("aten::mul", "aten::sigmoid", "aten::div", "aten::mm"))
    assert seen is not None
    # Moved: 3 + 2 + 3 tensors; handed on: two, each written and read.
    assert seen.gain_ns == round(30_000 * 4 / 8)
    assert "QuickGELU 30.0 us" in seen.what


def test_without_sizes_all_but_the_longest_kernel_of_a_chain_could_be_saved() -> None:
    seen = fusable_chain.find(run("aten::mul", "aten::sigmoid", "aten::mul", inputs={}))
    assert seen is not None
    assert (seen.gain_ns, seen.confidence) == (20_000, "maybe")
    assert "30.0 us" in seen.what


@pytest.mark.parametrize(
    ("operators", "inputs"),
    [
        (("aten::mul", "aten::sigmoid", "aten::mm", "aten::mul"), GELU),  # a product between
        (("aten::mul", "aten::sigmoid", "aten::mul"), GELU | {"aten::sigmoid": ("[[8,8]]", '["float"]')}),  # of something else
        (("aten::_foreach_mul_", "aten::_foreach_add_", "aten::_foreach_add_"), {}),  # one kernel already
        (("aten::fill_", "aten::fill_", "aten::fill_"), {}),  # reads nothing
        (("triton_poi_fused_mul_0", "triton_poi_fused_mul_1", "triton_poi_fused_mul_2"), {}),  # compiled
    ],
)
def test_silent(operators: tuple[str, ...], inputs: dict[str, tuple[str, str]]) -> None:
    assert fusable_chain.find(run(*operators, inputs=inputs)) is None


def test_updates_of_parameters_are_the_optimizers() -> None:
    text = "thread 1 | ProfilerStep#1 0-100 | Optimizer.step#SGD.step 1-90 | aten::add_ 2-5 | aten::mul_ 10-15 | aten::sub_ 20-25"
    kernels = (
        "stream 7 | elementwise_a 5-15 <- aten::add_ | elementwise_b 15-30 <- aten::mul_ | elementwise_c 30-45 <- aten::sub_"
    )
    assert fusable_chain.find(Facts(trace_from_text(f"{text}\n{kernels}"))) is None


KNOWN = {"h100_qwen": (17.4, "rotary embedding 9.06 ms, RMSNorm 8.2"), "mi300_qwen": (12.1, "RMSNorm 6.3")}


@over(real(*KNOWN))
def test_of_a_transformer_these_are_rotary_and_norms(path: Path) -> None:
    seen = fusable_chain.find(Facts(trace_of(path)))
    assert seen is not None
    time_ms, named = KNOWN[path.name.split(".")[0]]
    assert seen.evidence[1].value / 1e6 == pytest.approx(time_ms, rel=0.05)
    assert seen.what.startswith("74 times")
    assert named in seen.what
    assert "49 times RMSNorm in Qwen2RMSNorm" in [each.text for each in seen.evidence]
    assert seen.gain_ns is not None
    assert 0.5 < seen.gain_ns / seen.evidence[1].value < 0.9  # 30 GB moved, 6 to 7 of it needed


@over(real("v100_ns_resolution"))
def test_without_shapes_batch_norm_is_named_all_the_same(path: Path) -> None:
    seen = fusable_chain.find(Facts(trace_of(path)))
    assert seen is not None
    assert seen.gain_ns is not None
    assert 0.4 < seen.gain_ns / seen.evidence[1].value < 0.5
    assert seen.evidence[1].value / 1e6 == pytest.approx(150, rel=0.02)
    assert "batch norm" in seen.what


@over(real("a100_rank0_queue", "mi300_vllm_decode_graph", "mtia_inference"))
def test_silent_where_there_are_none(path: Path) -> None:
    assert fusable_chain.find(Facts(trace_of(path))) is None


def test_the_line_is_that_of_most_of_the_time_and_not_of_most_calls() -> None:
    short = " | ".join(f"aten::mul {at}-{at + 2}" for at in range(2, 82, 4))
    text = f"thread 1 | ProfilerStep#1 0-300 | model.py(61): rotate 1-90 | {short} | model.py(218): norm 100-200"
    text += " | aten::pow 102-104 | aten::mean 112-114 | aten::rsqrt 122-124"
    work = " | ".join(f"elementwise_kernel {at}-{at + 2} <- aten::mul" for at in range(84, 124, 2))
    work += " | elementwise_a 130-170 <- aten::pow | elementwise_b 170-210 <- aten::mean | elementwise_c 210-250 <- aten::rsqrt"
    facts = Facts(trace_from_text(f"{text}\nstream 7 | {work}"))
    seen = fusable_chain.find(facts)
    assert seen is not None
    assert len(seen.rows) == 23
    source = main_source(facts, seen)
    assert source is not None
    assert (source.place, source.function) == ("model.py:218", "norm")


LINES = {"h100_qwen": "modeling_qwen2.py:218", "mi300_qwen": "modeling_qwen2.py:218"}


@over(real(*LINES))
def test_of_a_transformer_it_leads_to_the_norm(path: Path) -> None:
    """As a climb of one event after the other has it."""
    facts = Facts(trace_of(path))
    seen = fusable_chain.find(facts)
    assert seen is not None
    assert seen.weight is not None
    trace, by_line = facts.trace, Counter[str]()
    for row, weight in zip(seen.rows.tolist(), seen.weight.tolist(), strict=True):
        at = int(trace.events.launch[row])
        while not (trace.events.kind[at] == Kind.PYTHON and is_user_frame(facts.name(at))):
            at = int(trace.events.parent[at])
        by_line["{}:{}".format(*split_frame(facts.name(at)))] += weight
    source = main_source(facts, seen)
    assert source is not None
    assert source.place == by_line.most_common(1)[0][0]
    assert source.place.endswith(LINES[path.name.split(".")[0]])
