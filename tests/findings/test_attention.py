"""Attention of single operators is known by its shapes, products with odd rows by what they lose beside others."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tb_plugin.findings.checks import matmul_dims, unfused_attention
from tb_plugin.findings.facts import Facts
from tb_plugin.trace.model import Device, Trace
from tb_plugin.trace.work.attention_chains import Sizes, attention_chains, sizes_of
from tests.profiles import over, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

SHAPES = {
    "aten::baddbmm": "[[12,128,128],[12,128,64],[12,64,128]]",
    "aten::_softmax": "[[12,128,128]]",
    "aten::bmm": "[[12,128,128],[12,128,64]]",
}
BF16 = '["c10::BFloat16","c10::BFloat16","c10::BFloat16"]'


def chains(*starts_us: int, between: str = "aten::div") -> str:
    """Chains of 40 us: four operators of 10 us, each with a kernel beside it."""
    names = ("aten::baddbmm", between, "aten::_softmax", "aten::bmm")
    places = [(start + 10 * place, name) for start in starts_us for place, name in enumerate(names)]
    host = " | ".join(f"{name} {at}-{at + 10}" for at, name in places)
    device = " | ".join(f"kernel_{name[6:]} {at}-{at + 10} <- {name}" for at, name in places)
    return f"thread 1 | {host}\nstream 7 | {device}"


def made(text: str, shapes: dict[str, str], types: str = BF16, device: str = "") -> Trace:
    """The drawing with these "Input Dims" by operator."""
    trace = trace_from_text(text)
    strings = list(trace.strings)
    columns: dict[str, Any] = {"types_id": trace.events.types_id.copy(), "shapes_id": trace.events.shapes_id.copy()}
    for name, dims in shapes.items():
        if name in trace.strings:
            rows = trace.events.name_id == trace.strings.index(name)
            for column, said in (("types_id", types), ("shapes_id", dims)):
                columns[column][rows] = len(strings)
                strings.append(said)
    info = msgspec.structs.replace(trace.info, devices=(Device(index=0, name=device),) if device else ())
    return dataclasses.replace(trace, strings=tuple(strings), events=dataclasses.replace(trace.events, **columns), info=info)


def test_without_a_known_peak_all_but_the_products_can_be_saved() -> None:
    seen = unfused_attention.find(Facts(made(chains(0, 40, 80), SHAPES)))
    assert seen is not None
    assert seen.gain_ns == 3 * 20_000  # the division and the softmax
    assert "3 times" in seen.what
    assert "12 x 128 x 128" in seen.what
    assert len(seen.rows) == 9


def test_at_a_known_peak_the_least_time_of_the_same_attention_stays() -> None:
    seen = unfused_attention.find(Facts(made(chains(0, 40, 80), SHAPES, device="NVIDIA H100 80GB HBM3")))
    assert seen is not None
    read_and_written = 2 * 12 * 64 * (128 + 128) * 2  # bytes: queries, keys, values, result
    computed = 4 * 12 * 128 * 128 * 64
    least_ns = 3 * max(read_and_written / 3350, computed / 989_400)
    assert seen.gain_ns == 3 * 40_000 - round(least_ns)


@pytest.mark.parametrize(
    ("shapes", "between", "starts"),
    [
        (SHAPES, "aten::div", (0,)),  # once: no layer of a model
        (SHAPES, "aten::mm", (0, 40)),  # what the softmax is of is another product
        (SHAPES | {"aten::_softmax": "[[12,128,64]]"}, "aten::div", (0, 40)),  # over something else
        (SHAPES | {"aten::bmm": "[[12,64,128],[12,128,64]]"}, "aten::div", (0, 40)),
        (SHAPES | {"aten::baddbmm": "[[12,128,128],[12,128,512],[12,512,128]]"}, "aten::div", (0, 40)),  # no fused kernel
        ({"aten::bmm": SHAPES["aten::bmm"]}, "aten::div", (0, 40)),  # not recorded
    ],
)
def test_what_is_no_attention_is_silent(shapes: dict[str, str], between: str, starts: tuple[int, ...]) -> None:
    trace = made(chains(*starts, between=between), shapes | {"aten::mm": "[[4,4],[4,4]]"})
    assert unfused_attention.find(Facts(trace)) is None


def test_heads_may_be_an_axis_of_their_own_in_the_softmax() -> None:
    scores, result = ("aten::bmm", "[[12,128,64],[12,64,96]]"), ("aten::bmm", "[[12,128,96],[12,96,64]]")
    assert sizes_of(scores, ("aten::_softmax", "[[2,6,128,96],[],[]]"), result) == Sizes(12, 128, 96, 64)


@over(real("h100_owlv2"))
def test_of_a_vision_transformer_it_is_most_of_the_device_time(path: Path) -> None:
    facts = Facts(trace_of(path))
    found = attention_chains(facts.trace)
    assert found.sizes.count(Sizes(16, 5185, 5185, 64)) == 120
    seen = unfused_attention.find(facts)
    assert seen is not None
    assert seen.gain_ns == pytest.approx(479e6, rel=0.05)
    assert matmul_dims.find(facts) is None  # 5185 counts rows elsewhere, which costs nothing


@pytest.mark.slow
@over(real("h100_qwen", "mi300_qwen", "v100_resnet50_workers0_a", "mi300_vllm_decode_graph"))
def test_fused_attention_and_convolutions_are_silent(path: Path) -> None:
    assert unfused_attention.find(Facts(trace_of(path))) is None


def products(**kernels_us: int) -> str:
    """Operators one after the other, each with a kernel of so many us."""
    at, host, device = 0, [], []
    for name, duration in kernels_us.items():
        host.append(f"aten::{name} {at}-{at + duration}")
        device.append(f"gemm {at}-{at + duration} <- aten::{name}")
        at += duration
    return f"thread 1 | {' | '.join(host)}\nstream 7 | {' | '.join(device)}"


EVEN, ODD, ODD_COUNT = "[[128,64],[64,128]]", "[[128,63],[63,128]]", "[[127,64],[64,128]]"


@pytest.mark.parametrize(
    ("odd", "us", "gain_ns"),
    [
        (ODD, 40, 30_156),  # the same work at the rate of the other: 10 us x 63 / 64
        (ODD, 13, None),  # as good as the other: nothing to gain
        (ODD_COUNT, 40, None),  # 127 rows, each of 64
    ],
)
def test_odd_rows_lose_what_products_of_their_size_do_not(odd: str, us: int, gain_ns: int | None) -> None:
    trace = made(products(mm=10, bmm=us), {"aten::mm": EVEN, "aten::bmm": f"[[1,{odd[2:].replace('],[', '],[1,')}"})
    seen = matmul_dims.find(Facts(trace))
    assert (None if seen is None else seen.gain_ns) == gain_ns


def test_odd_rows_without_a_product_to_compare_with_are_said_without_a_gain() -> None:
    seen = matmul_dims.find(Facts(made(products(mm=40), {"aten::mm": ODD})))
    assert seen is not None
    assert (seen.gain_ns, seen.confidence) == (None, "maybe")


@pytest.mark.parametrize(
    ("shapes", "fires"),
    [
        ("[[5185,1024],[1024,1024]]", False),  # 5185 and 141 count rows, which lie apart anyhow
        ("[[141,512],[512,512]]", False),
        ("[[1024,5185],[5185,1024]]", True),
        ("[[1024,1024],[1024,5185]]", True),
    ],
)
def test_the_number_of_rows_may_be_odd_and_their_length_not(shapes: str, fires: bool) -> None:
    assert (matmul_dims.find(Facts(made(products(mm=40), {"aten::mm": shapes}))) is not None) == fires


@over(real("h100_bert_small"))
def test_one_odd_vocabulary_is_lost_in_a_step_that_waits_for_the_host(path: Path) -> None:
    assert matmul_dims.find(Facts(trace_of(path))) is None  # 30522 columns, below 1 % of the step
