"""Each pattern matches the drawing that shows it, and not the one that does it right."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

from tb_plugin.trace.model import Device, Live, Trace
from tb_plugin.trace.patterns import ALL
from tb_plugin.trace.patterns.call_tree import CallTree
from tb_plugin.trace.patterns.fp32_matmul import Fp32MatMul
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from tb_plugin.trace.patterns.pattern import Pattern

LOADER = "torch/utils/data/dataloader.py"
LOOP = " | ".join(f"aten::select {10 * i}-{10 * i + 4} | aten::fill_ {10 * i + 5}-{10 * i + 9}" for i in range(12))
DRAWN = {
    "ExtraCUDACopyPattern": (
        "x.py(1): f 0-9 | aten::zero_ 4-8 | x.py(2): to 11-40 | aten::to 12-39 | aten::_to_copy 13-38 | aten::copy_ 14-36",
        ("aten::zero_", "aten::exp_"),
        "aten::to",
    ),
    "ForLoopIndexingPattern": (LOOP, ("fill_ 55-59", "mul_ 55-59"), "aten::select"),
    "OptimizerSingleTensorPattern": (
        "torch/optim/adam.py(9): _single_tensor_adam 0-50",
        ("single", "multi"),
        "torch/optim/adam.py(9): _single_tensor_adam",
    ),
    "SynchronizedDataLoaderPattern": (
        f"{LOADER}(1): __iter__ 0-9 | {LOADER}(2): _get_iterator 1-8 | {LOADER}(3): __init__ 2-7",
        ("(3): __init__", "(3): check_worker_number_rationality"),
        f"{LOADER}(1): __iter__",
    ),
    "GradNotSetToNonePattern": (
        "torch/optim/optimizer.py(9): zero_grad 0-30 | aten::zero_ 5-10",
        ("aten::zero_ 5-10", "aten::zeros 4-12 | aten::zero_ 5-10"),
        "torch/optim/optimizer.py(9): zero_grad",
    ),
    "Conv2dBiasFollowedByBatchNorm2dPattern": (
        "nn.Module: Conv2d_0 0-10 | aten::conv2d 1-9 | nn.Module: BatchNorm2d_0 11-20",
        ("BatchNorm2d", "LayerNorm"),
        "aten::conv2d",
    ),
    "MatMulDimInFP16Pattern": ("aten::mm 0-5", ("aten::mm", "aten::mul"), "aten::mm"),
}
TYPES = {
    "aten::copy_": '["float","float"]',
    "aten::conv2d": '["float","float","float","ScalarList"]',
    "aten::mm": '["c10::Half","c10::Half"]',
}
SHAPES = {"aten::mm": "[[32,15],[15,64]]"}


def with_inputs(trace: Trace, types: dict[str, str], shapes: dict[str, str]) -> Trace:
    """The trace with these input types and shapes on the operators of these names."""
    strings = list(trace.strings)
    columns: dict[str, Any] = {"types_id": trace.events.types_id.copy(), "shapes_id": trace.events.shapes_id.copy()}
    for column, texts in (("types_id", types), ("shapes_id", shapes)):
        for name, text in texts.items():
            if name in trace.strings:
                strings.append(text)
                columns[column][trace.events.name_id == trace.strings.index(name)] = len(strings) - 1
    return dataclasses.replace(trace, strings=tuple(strings), events=dataclasses.replace(trace.events, **columns))


def matched(pattern: Pattern, text: str, types: dict[str, str] = TYPES, shapes: dict[str, str] = SHAPES) -> list[str]:
    trace = with_inputs(trace_from_text(f"thread 1 | {text}"), types, shapes)
    return [trace.text(int(trace.events.name_id[row])) for row in pattern.rows(CallTree(trace)).tolist()]


@pytest.mark.parametrize("pattern", [each for each in ALL if not isinstance(each, Fp32MatMul)], ids=lambda each: each.torch_name)
def test_a_pattern_matches_what_shows_it_and_no_more(pattern: Pattern) -> None:
    text, (wrong, right), name = DRAWN[pattern.torch_name]
    assert matched(pattern, text) == [name]
    assert matched(pattern, text.replace(wrong, right)) == []


@pytest.mark.parametrize(
    ("types", "shapes", "matches"),
    [
        ('["c10::Half","c10::Half"]', "[[32,15],[15,64]]", True),
        ('["c10::BFloat16","c10::BFloat16"]', "[[32,16],[16,63]]", True),
        ('["c10::Half","c10::Half"]', "[[32,16],[16,64]]", False),
        ('["float","float"]', "[[32,15],[15,64]]", False),
        ("", "", False),
    ],
)
def test_half_precision_wants_multiples_of_eight(types: str, shapes: str, matches: bool) -> None:
    pattern = next(each for each in ALL if each.torch_name == "MatMulDimInFP16Pattern")
    found = matched(pattern, "aten::mm 0-5", {"aten::mm": types}, {"aten::mm": shapes})
    assert found == (["aten::mm"] if matches else [])


def test_a_convolution_without_a_bias_is_right() -> None:
    pattern = next(each for each in ALL if each.torch_name.startswith("Conv2dBias"))
    text = DRAWN[pattern.torch_name][0]
    assert matched(pattern, text, {"aten::conv2d": '["float","float","","ScalarList"]'}) == []


def with_flag(allowed: int, capability: str) -> Trace:
    trace = trace_from_text("thread 1 | aten::mm 0-5 | aten::add 6-9")
    live = Live.from_columns({"row": np.arange(2), "allow_tf32": np.full(2, allowed)})
    devices = (Device(index=0, name="NVIDIA", compute_capability=capability),) if capability else ()
    return dataclasses.replace(trace, live=live, info=msgspec.structs.replace(trace.info, devices=devices))


@pytest.mark.parametrize(
    ("allowed", "capability", "n"), [(0, "8.0", 1), (1, "8.0", 0), (-1, "8.0", 0), (0, "7.0", 0), (0, "", 1)]
)
def test_a_float32_product_without_tf32_matches_where_the_device_has_it(allowed: int, capability: str, n: int) -> None:
    assert len(Fp32MatMul().rows(CallTree(with_flag(allowed, capability)))) == n


def test_a_file_without_the_flag_says_so() -> None:
    assert "tensorboard_trace_handler" in str(Fp32MatMul().lacks(trace_from_text("thread 1 | aten::mm 0-5")))
    assert Fp32MatMul().lacks(with_flag(1, "8.0")) is None
