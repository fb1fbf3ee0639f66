"""FLOPs of calls as torch's FlopCounterMode counts them, forward and backward, on calls that torch records here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest

from tb_plugin.trace.names import without_overload
from tb_plugin.trace.work.amount import Amount
from tb_plugin.trace.work.attention_work import ATTENTION
from tb_plugin.trace.work.call_flops import KNOWN, PRODUCTS, call_flops
from tests.profiles import trace_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BF16, FLOATS = "c10::BFloat16", ("float", "float")


def _products(torch: Any) -> None:
    """Every family torch counts, forward and backward, in shapes of which no two sizes agree."""
    nn = torch.nn.functional

    def leaf(*shape: int) -> Any:
        return torch.ones(shape, requires_grad=True)

    (leaf(3, 5) @ leaf(5, 7)).sum().backward()
    torch.bmm(leaf(2, 3, 5), leaf(2, 5, 7)).sum().backward()
    torch.addmm(leaf(7), leaf(3, 5), leaf(5, 7)).sum().backward()
    torch.baddbmm(leaf(2, 3, 7), leaf(2, 3, 5), leaf(2, 5, 7)).sum().backward()
    nn.linear(leaf(2, 3, 5), leaf(7, 5), leaf(7)).sum().backward()
    for axes, convolve, turned in (
        (1, nn.conv1d, nn.conv_transpose1d),
        (2, nn.conv2d, nn.conv_transpose2d),
        (3, nn.conv3d, nn.conv_transpose3d),
    ):
        convolve(leaf(2, 3, *[9] * axes), leaf(4, 3, *[3] * axes), leaf(4), 2, 1, 2).sum().backward()
        convolve(torch.ones(2, 3, *[9] * axes), leaf(4, 3, *[3] * axes)).sum().backward()  # first layer: no dgrad
        turned(leaf(2, 3, *[5] * axes), leaf(3, 4, *[3] * axes), leaf(4), 2, 1, 1).sum().backward()
    with torch.no_grad():
        nn.conv2d(leaf(2, 6, 9, 9), leaf(4, 3, 3, 3), None, 1, 1, 1, 2)  # groups: torch's backward counts them twice over


def _attentions(torch: Any) -> None:
    """What runs on devices alone, on tensors without values. Of `_flash_attention_forward` torch takes tokens for heads."""
    aten = torch.ops.aten
    q, k, v = (torch.empty((2, 4, n, d), device="meta", dtype=torch.bfloat16) for n, d in ((7, 16), (9, 16), (9, 32)))
    seed = torch.empty((), device="meta", dtype=torch.int64)
    out, lse = torch.empty((2, 4, 7, 32), device="meta", dtype=torch.bfloat16), torch.empty((2, 4, 7), device="meta")
    aten._scaled_dot_product_flash_attention(q, k, k)
    aten._scaled_dot_product_efficient_attention(q, k, v, None, True)
    aten._scaled_dot_product_cudnn_attention(q, k, k, None, True)
    aten._scaled_dot_product_efficient_attention_backward(out, q, k, v, None, out, lse, seed, seed, 0.0, [True] * 3 + [False])
    same = torch.empty_like(q)
    aten._scaled_dot_product_flash_attention_backward(same, q, k, k, same, lse, None, None, 7, 9, 0.0, False, seed, seed)


@pytest.mark.torch
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(("run", "least"), [(_products, 6), (_attentions, 5)])
def test_flops_are_those_of_torchs_counter(run: Callable[[Any], None], least: int, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="torch counts and records")
    from torch.utils.flop_counter import FlopCounterMode

    counter = FlopCounterMode(display=False)
    with counter:
        run(torch)
    with torch.profiler.profile(record_shapes=True) as profiler:
        run(torch)
    expected = {f"aten::{name}".replace("aten::aten.", "aten::"): n for name, n in counter.get_flop_counts()["Global"].items()}
    path = tmp_path / "p.json"
    profiler.export_chrome_trace(str(path))
    trace = trace_of(path)
    events = trace.events
    texts = dict(trace.args.of_rows(events.order, np.arange(len(events)), "Concrete Inputs"))
    found: dict[str, int] = dict.fromkeys(expected, 0)
    for row in range(len(events)):
        name = without_overload(trace.text(events.name_id[row]))
        if name in found:
            shapes, types = (msgspec.json.decode(trace.text(ids[row])) for ids in (events.shapes_id, events.types_id))
            amount = call_flops(name, shapes, types, msgspec.json.decode(texts[row]))
            assert amount, (name, shapes, types, texts[row])
            assert not amount.is_most
            found[name] += amount.n
    assert found == expected
    assert len(found) >= least


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize(("n_q", "n_k"), [(5, 5), (5, 8), (8, 5), (1, 8)])
def test_causal_attention_counts_the_pairs_that_are_looked_at(n_q: int, n_k: int, causal: bool) -> None:
    """The last query sees the last key."""
    pairs = sum(1 for i in range(n_q) for j in range(n_k) if not causal or j - i <= n_k - n_q)
    shapes = [[2, n_q, 3, 4], [2, n_k, 1, 4], [2, n_k, 1, 6], *[[]] * 6]
    texts = ["", "", "", "", "", "5", "5", "0.0", str(causal)]
    types = [BF16] * 3 + ["", "", "Scalar", "Scalar", "Scalar", "Scalar"]
    found = call_flops("aten::_flash_attention_forward", shapes, types, texts)
    assert found == Amount(2 * 2 * 3 * pairs * (4 + 6))
    unknown = call_flops("aten::_flash_attention_forward", shapes, types, [])
    assert unknown == Amount(2 * 2 * 3 * n_q * n_k * (4 + 6), is_most=True)


def test_the_mask_of_efficient_attention_begins_with_the_first_key() -> None:
    shapes, types = [[1, 5, 1, 4], [1, 3, 1, 4], [1, 3, 1, 4], *[[]] * 7], [BF16] * 3 + [""] * 6 + ["Scalar"]
    pairs = sum(1 for i in range(5) for j in range(3) if j <= i)
    assert call_flops("aten::_efficient_attention_forward", shapes, types, [""] * 9 + ["1"]) == Amount(2 * pairs * 8)


def test_sequences_of_several_lengths_are_bounded_by_the_longest() -> None:
    shapes = [[30, 2, 8], [30, 2, 8], [30, 2, 8], [4], [4], [], [], [], []]
    types = [BF16] * 3 + ["int", "int", "Scalar", "Scalar", "Scalar", "Scalar"]
    found = call_flops("aten::_flash_attention_forward", shapes, types, ["", "", "", "", "", "12", "14", "0.0", "True"])
    assert found == Amount(2 * 2 * 30 * 14 * 16, is_most=True)


@pytest.mark.parametrize(
    ("name", "shapes", "types", "texts", "flops"),
    [
        ("aten::_scaled_mm", [[4, 8], [8, 2]], ["c10::Float8_e4m3fn"] * 2, [], 2 * 4 * 8 * 2),
        ("aten::_int_mm", [[4, 8], [8, 2]], ["signed char"] * 2, [], 2 * 4 * 8 * 2),
        (
            "aten::_weight_int4pack_mm",
            [[4, 64], [2, 2, 32, 4], [], [2, 16, 2]],
            [BF16, "int", "Scalar", BF16],
            [],
            2 * 4 * 64 * 16,
        ),
        ("aten::_grouped_mm", [[10, 4], [3, 4, 8], [3]], [BF16, BF16, "int"], [], 2 * 10 * 4 * 8),
        ("aten::_grouped_mm", [[4, 10], [10, 8], [3]], [BF16, BF16, "int"], [], 2 * 10 * 4 * 8),
        ("aten::_grouped_mm", [[3, 2, 4], [3, 4, 8]], [BF16, BF16], [], 2 * 3 * 2 * 4 * 8),
        ("aten::mv", [[4, 8], [8]], ["float"] * 2, [], 64),
        ("aten::native_layer_norm", [[4, 8], [], [8], [8], []], ["float", "", "float", "float", ""], [], 8 * 32),
        ("aten::_softmax", [[4, 8], [], []], ["float", "", ""], [], 5 * 32),
        ("aten::add", [[4, 8], [8], []], ["float", "float", "Scalar"], [], 32),
        ("aten::gelu_backward", [[4, 8], [4, 8], []], [BF16, BF16, ""], [], 32),
        ("aten::sum", [[4, 8], []], ["float", ""], [], 32),
        ("aten::cat", [[[4], [4]], []], ["TensorList", "Scalar"], [], 0),
        ("aten::copy_", [[4], [4]], ["float", BF16], [], 0),
        ("aten::_fused_adamw_", [[[2, 3], [4]], [[2, 3], [4]]], ["TensorList"] * 2, [], 18 * 10),
        ("aten::_foreach_add_", [[]], ["TensorList"], [], None),  # older files
        (
            "aten::cudnn_convolution_backward_input",
            [[], [2, 4, 5, 5], [4, 3, 3, 3]],
            ["", "float", "float"],
            [],
            2 * 2 * 25 * 108,
        ),
        ("aten::mm", [[4, 8], [7, 2]], ["float"] * 2, [], None),  # do not fit
        ("aten::mm", [[4, 8]], ["float"], [], None),
        ("aten::cudnn_convolution", [[1, 3, 8, 8], [4, 3, 3, 3]], ["float"] * 2, [], None),  # which stride?
        ("aten::convolution_backward", [[1, 4, 6, 6], [1, 3, 8, 8], [4, 3, 3, 3]], ["float"] * 3, [], None),
        ("aten::unheard_of", [[4]], ["float"], [], None),
    ],
)
def test_work_of_other_operators(name: str, shapes: list[Any], types: list[str], texts: list[str], flops: int | None) -> None:
    found = call_flops(name, shapes, types, texts)
    assert found == (None if flops is None else Amount(flops))


@pytest.mark.torch
@pytest.mark.filterwarnings("default")
def test_places_are_those_of_torchs_schemas() -> None:
    torch = pytest.importorskip("torch", reason="torch has the schemas")
    for name, operator in ATTENTION.items():
        packet = getattr(torch.ops.aten, name.removeprefix("aten::"))
        arguments = [argument.name for argument in getattr(packet, packet.overloads()[0])._schema.arguments]
        assert arguments[operator.query : operator.query + 3] == ["query", "key", "value"], name
        assert arguments[operator.causal] == ("custom_mask_type" if operator.has_number else "is_causal"), name
        if operator.lengths is not None:
            assert arguments[operator.lengths].startswith("cu"), name
            assert arguments[operator.lengths + 3].startswith("max_"), name
            assert arguments[operator.lengths + 3].endswith("k"), name


def test_every_product_has_a_rule() -> None:
    assert set(PRODUCTS) <= KNOWN
