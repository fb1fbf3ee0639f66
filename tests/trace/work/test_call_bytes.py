"""What calls move, against torch's own tensors; a call whose outputs do not follow from what is recorded is not known."""

from __future__ import annotations

import random
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np
import pytest

from tb_plugin.trace.names import without_overload
from tb_plugin.trace.work.attention_work import ATTENTION
from tb_plugin.trace.work.call_bytes import LISTS_WRITTEN, OUT_PLACE, ROWS_READ, call_bytes
from tb_plugin.trace.work.call_flops import FLOPS, call_flops
from tb_plugin.trace.work.written import RULES
from tests.profiles import trace_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

BF16, HALF, FP8 = "c10::BFloat16", "c10::Half", "c10::Float8_e4m3fn"


@pytest.mark.parametrize(
    ("name", "shapes", "types", "texts", "expected"),
    [
        ("aten::mm", [[4, 8], [8, 2]], [BF16, BF16], [], 2 * (32 + 16 + 8)),
        ("aten::add", [[4, 8], [8], []], ["float", "float", "Scalar"], [], 4 * (32 + 8 + 32)),
        ("aten::copy_", [[4, 8], [8], []], ["float", BF16, "Scalar"], [], 2 * 8 + 4 * 32),
        ("aten::_softmax", [[4, 8], [], []], [BF16, "Scalar", "Scalar"], ["", "-1", "False"], 2 * 64),
        ("aten::_softmax", [[4, 8], [], []], [HALF, "Scalar", "Scalar"], ["", "-1", "True"], 2 * 32 + 4 * 32),
        ("aten::_softmax", [[4, 8], [], []], [BF16, "Scalar", "Scalar"], [], None),  # half to float?
        ("aten::clamp_min", [[4, 8], [], [4, 8]], ["float", "Int", "float"], [], 4 * 64),  # out= is not read
        ("aten::add", [[4, 8], [8], [], [4, 8]], ["float", "float", "Scalar", "float"], [], 4 * 72),
        ("aten::cudnn_batch_norm", [[2, 3, 4, 4], [3], [3], [3], [3]], ["float"] * 5, [], 4 * (2 * 96 + 12)),
        ("aten::sum", [[4, 8], [], [], []], ["float", "", "", ""], ["", "[1]", "False", ""], 4 * 36),
        ("aten::sum", [[4, 8], [], [], []], ["float", "", "", ""], ["", "[1]", "False", "7"], None),  # as doubles
        ("aten::sum", [[4, 8], []], ["float", ""], [], None),
        ("aten::mul", [[4], []], ["long int", "double"], [], None),  # a number makes it float, a tensor double
        ("aten::mul", [[4], []], ["long int", "Scalar"], [], None),
        ("aten::add", [[4], [3]], ["float", "float"], [], None),
        ("aten::embedding", [[40, 8], [3]], ["float", "long int"], [], 3 * 8 + 2 * 3 * 8 * 4),  # reads what is asked for
        ("aten::cudnn_convolution", [[1, 3, 8, 8], [4, 3, 3, 3]], ["float", "float"], [], None),
        ("aten::mm", [[4, 8]], ["float", "float"], [], None),
        ("aten::mm", [[4, 8], [8, 2]], ["float", "a type of tomorrow"], [], None),
        ("aten::mm", [], [], [], None),
    ],
)
def test_inputs_are_read_and_outputs_written_once(
    name: str, shapes: list[Any], types: list[str], texts: list[str], expected: int | None
) -> None:
    moved = call_bytes(name, shapes, types, texts)
    assert (None if moved is None else moved.all) == expected


@pytest.mark.parametrize(
    ("name", "shapes", "types", "written"),
    [
        ("aten::mm", [[4, 8], [8, 2]], [BF16, BF16], 2 * 8),
        ("aten::copy_", [[4, 8], [8], []], ["float", BF16, "Scalar"], 4 * 32),
        ("aten::add", [[4, 8], [8], [], [4, 8]], ["float", "float", "Scalar", "float"], 4 * 32),  # out=
    ],
)
def test_what_is_written_stands_apart(name: str, shapes: list[Any], types: list[str], written: int) -> None:
    moved = call_bytes(name, shapes, types, [])
    assert moved is not None
    assert moved.written == written


def test_a_list_of_tensors_is_known_where_an_element_is() -> None:
    shapes, types, texts = [[[2, 3], [4, 3]], []], ["TensorList", "Scalar"], ["", "0"]
    assert call_bytes("aten::cat", shapes, types, texts) is None
    assert call_bytes("aten::cat", shapes, types, texts, item_bytes=2) == (2 * (6 + 12), 2 * (6 + 12))
    assert call_bytes("aten::cat", [[], []], types, texts, item_bytes=2) is None  # older files


def _cases(torch: Any, seed: int) -> Iterator[tuple[str, Callable[[], Any], list[Any]]]:
    """(operator, a call of it, the tensors it reads), of random shapes and types."""
    sizes = np.random.default_rng(seed).integers(1, 9, 8).tolist()
    b, m, k, n = sizes[:4]
    element = [torch.float32, torch.float64, torch.bfloat16, torch.float16][seed % 4]
    new = partial(torch.ones, dtype=element)
    x, y, truth, whole = new(b, m, n), new(b, 1, n), torch.ones(b, 1, n, dtype=torch.bool), torch.ones(m, n, dtype=torch.int32)
    for name, given in {
        "mm": (new(m, k), new(k, n)),
        "bmm": (new(b, m, k), new(b, k, n)),
        "addmm": (new(n), new(m, k), new(k, n)),
        "baddbmm": (new(b, m, n), new(b, m, k), new(b, k, n)),
        "mv": (new(m, k), new(k)),
        "linear": (new(b, m, k), new(n, k), new(n)),
        "maximum": (new(b, m), new(m)),
        "where": (truth, x, new(n)),
        "addcmul": (x, new(m, 1), new(b, 1, 1)),
        "sigmoid_backward": (x, x),
        **dict.fromkeys(("neg", "relu", "exp", "rsqrt", "tanh", "gelu", "silu", "sigmoid", "clone"), (x,)),
        **dict.fromkeys(("sum", "max", "argmax"), (x,)),
    }.items():
        yield name, partial(getattr(torch.ops.aten, name), *given), [*given]
    for other in (y, torch.ones(n), torch.tensor(2.0, dtype=torch.float64), whole.new_ones(n)):
        yield "add", partial(torch.add, x, other), [x, other]
        yield "mul_", partial(x.to(torch.float64).mul_, other), [x.to(torch.float64), other]
    yield "add", partial(torch.add, whole, whole.to(torch.int64)), [whole, whole.to(torch.int64)]
    yield "div", partial(torch.div, x, 2.0), [x, torch.tensor(2.0, dtype=torch.float64)]  # a number is recorded as a double
    yield "lt", partial(torch.lt, x, y), [x, y]
    yield "relu_", x.clone().relu_, [x]
    yield "fill_", partial(x.clone().fill_, 3.0), []
    yield "zero_", x.clone().zero_, []
    yield "copy_", partial(x.clone().copy_, y), [y]
    yield "masked_fill", partial(x.masked_fill, truth, 0.0), [x, truth]
    yield "_softmax", partial(torch.softmax, x, -1), [x]
    yield "_log_softmax", partial(torch.log_softmax, x, 1), [x]
    yield "_softmax_backward_data", partial(torch.ops.aten._softmax_backward_data, x, x, -1, element), [x, x]
    for name, dim, keep in product(("sum", "mean", "amax"), ([0], [1, 2], [-1]), (True, False)):
        yield name, partial(getattr(torch, name), x, dim, keep), [x]
    yield "max", partial(torch.max, x, 1), [x]
    yield "argmax", partial(torch.argmax, x, -1, keepdim=True), [x]
    yield "any", partial(torch.any, truth), [truth]
    yield "native_dropout", partial(torch.ops.aten.native_dropout, x, 0.5, True), [x]
    if element in (torch.float32, torch.float64):  # devices keep statistics of halves in floats, the host does not
        yield from _norms(torch, x)
        yield from _convolutions(torch, new, sizes)
        yield from _attention(torch, new, sizes)
        image = new((b, m, 8, 9))
        yield "max_pool2d_with_indices", partial(torch.ops.aten.max_pool2d_with_indices, image, [3, 3], [2, 2], [1, 1]), [image]


def _attention(torch: Any, new: Callable[..., Any], sizes: list[int]) -> Iterator[tuple[str, Callable[[], Any], list[Any]]]:
    b, heads, n, head = sizes[:4]
    q, k = new((b, heads, n, head)), new((b, heads, n + 3, head))
    for causal in (True, False):
        call = partial(_first_of, torch.ops.aten._scaled_dot_product_flash_attention_for_cpu, q, k, k, 0.0, causal)
        yield "_scaled_dot_product_flash_attention_for_cpu", call, [q, k, k]


def _first_of(function: Callable[..., Any], *given: Any) -> Any:
    """Without the statistics beside the result."""
    return function(*given)[0]


def _norms(torch: Any, x: Any) -> Iterator[tuple[str, Callable[[], Any], list[Any]]]:
    aten, (b, m, n) = torch.ops.aten, x.shape
    weight, channels = x.new_ones(n), x.new_ones(m)
    yield "native_layer_norm", partial(aten.native_layer_norm, x, [n], weight, weight, 1e-5), [x, weight, weight]
    yield "native_group_norm", partial(aten.native_group_norm, x, channels, channels, b, m, n, 1, 1e-5), [x, channels, channels]
    for training in (True, False):
        given = [x, *(channels.clone() for _ in range(4))]
        yield "native_batch_norm", partial(aten.native_batch_norm, *given, training, 0.1, 1e-5), given
    _, mean, rstd = aten.native_layer_norm(x, [n], weight, weight, 1e-5)
    for mask in ([True, True, True], [True, False, False]):
        call = partial(aten.native_layer_norm_backward, x, x, [n], mean, rstd, weight, weight, mask)
        yield "native_layer_norm_backward", call, [x, x, mean, rstd, weight, weight]


def _convolutions(torch: Any, new: Callable[..., Any], sizes: list[int]) -> Iterator[tuple[str, Callable[[], Any], list[Any]]]:
    b, _, k, n = sizes[:4]
    stride, padding, dilation = (1 + size % 2 for size in sizes[4:7])
    for axes in (1, 2, 3):
        image, kernel, bias = new((b, 2 * k, *[sizes[7] + 6] * axes)), new((2 * n, k, *[3] * axes)), new(2 * n)
        call = partial(getattr(torch.nn.functional, f"conv{axes}d"), image, kernel, bias, stride, padding, dilation, 2)
        yield f"conv{axes}d", call, [image, kernel, bias]
        yield "convolution", call, [image, kernel, bias]
        turned = getattr(torch.nn.functional, f"conv_transpose{axes}d")
        kernel = new((2 * k, n, *[3] * axes))
        yield "convolution", partial(turned, image, kernel, None, stride, padding, stride - 1, 2, dilation), [image, kernel]


@pytest.mark.torch
@pytest.mark.filterwarnings("default")
def test_bytes_are_those_of_torchs_tensors(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="torch records the profile")
    cases = [case for seed in range(8) for case in _cases(torch, seed)]
    expected = []
    with torch.profiler.profile(record_shapes=True) as profiler, torch.no_grad():
        for number, (_, run, given) in enumerate(cases):
            with torch.profiler.record_function(f"case {number}"):
                made = run()
            made = made if isinstance(made, tuple) else (made,)
            expected.append(sum(each.nbytes for each in (*given, *made) if each is not None))
    path = tmp_path / "p.json"
    profiler.export_chrome_trace(str(path))
    trace = trace_of(path)
    events = trace.events
    texts = dict(trace.args.of_rows(events.order, np.arange(len(events)), "Concrete Inputs"))
    found: list[int | None] = [None] * len(cases)
    for row in range(len(events)):
        above = row
        while above >= 0 and not trace.text(events.name_id[above]).startswith("case "):
            above = events.nest_parent[above]
        name = without_overload(trace.text(events.name_id[row]))
        number = int(trace.text(events.name_id[above]).removeprefix("case ")) if above >= 0 else -1
        if number >= 0 and name == f"aten::{cases[number][0]}" and found[number] is None:
            shapes, types = (msgspec.json.decode(trace.text(ids[row])) for ids in (events.shapes_id, events.types_id))
            moved = call_bytes(name, shapes, types, msgspec.json.decode(texts[row]))
            found[number] = None if moved is None else moved.all
    wrong = [(cases[i][0], expected[i], found[i]) for i in range(len(cases)) if found[i] != expected[i]]
    assert wrong == []
    for name, place in OUT_PLACE.items():
        asked = getattr(torch.ops.aten, name.removeprefix("aten::"))
        assert place in {n for o in asked.overloads() for n, a in enumerate(getattr(asked, o)._schema.arguments) if a.is_out}
    tried = {f"aten::{name}" for name, _, _ in cases}
    assert tried <= set(RULES)
    assert len(tried) > 35


@pytest.mark.parametrize(
    ("name", "shapes", "types", "texts", "expected"),
    [
        # Rows are read and written; what lies between is not touched.
        ("aten::embedding", [[999, 8], [3, 2], [], []], [BF16, "long int", "Scalar", "Scalar"], [], 8 * 6 + 2 * 2 * 48),
        ("aten::index_select", [[5, 999, 8], [], [3]], [BF16, "Scalar", "long int"], ["", "-2", ""], 8 * 3 + 2 * 2 * 5 * 3 * 8),
        ("aten::index_select", [[5, 999, 8], [], [3]], [BF16, "Scalar", "long int"], [], None),
        ("aten::gather", [[99, 8], [], [3, 8]], ["float", "Scalar", "long int"], ["", "0", ""], 8 * 24 + 2 * 4 * 24),
        ("aten::_weight_int4pack_mm", [[4, 64], [2, 2, 32, 4], [], [2, 16, 2]], [BF16, "int", "Scalar", BF16], [], 2816),
        (
            "aten::_scaled_mm",
            [[4, 8], [8, 2], [], []],
            [FP8, FP8, "float", "float"],
            ["", "", "", "", "", "", "15"],
            72,
        ),
        ("aten::_grouped_mm", [[10, 4], [3, 4, 8], [3]], [BF16, BF16, "int"], [], 2 * (40 + 96 + 80) + 12),
        (
            "aten::_flash_attention_forward",
            [[2, 6, 4, 8], [2, 6, 1, 8], [2, 6, 1, 16]],
            [BF16] * 3,
            [],
            2 * (384 + 96 + 192 + 768),
        ),
        (
            "aten::max_pool2d_with_indices_backward",
            [[1, 3, 2, 2], [1, 3, 4, 4], [1, 3, 2, 2]],
            ["float", "float", "long int"],
            [],
            336,
        ),
        (
            "aten::embedding_dense_backward",
            [[6, 8], [6], []],
            ["float", "long int", "Scalar"],
            ["", "", "99"],
            192 + 48 + 99 * 32,
        ),
    ],
)
def test_what_is_packed_looked_up_or_attended_to(
    name: str, shapes: list[Any], types: list[str], texts: list[str], expected: int | None
) -> None:
    texts += [""] * (len(shapes) - len(texts)) if texts else []
    padded = max(len(texts), len(shapes))
    shapes, types = [*shapes, *[[]] * (padded - len(shapes))], [*types, *[""] * (padded - len(types))]
    moved = call_bytes(name, shapes, types, texts)
    assert (None if moved is None else moved.all) == expected


def test_an_optimizer_reads_every_list_and_writes_its_own() -> None:
    parameters = [[2, 3], [4]]
    adam = [parameters] * 4 + [[], [[], []]]
    assert call_bytes("aten::_fused_adamw_", adam, ["TensorList"] * 6, [], item_bytes=4) == (4 * 4 * 10 + 2 * 4, 3 * 4 * 10)
    assert call_bytes("aten::_fused_adamw_", adam, ["TensorList"] * 6, []) is None  # of what type?
    scaled = [parameters, []]
    assert call_bytes("aten::_foreach_mul_", scaled, ["TensorList", "Scalar"], [], item_bytes=2) == (20, 20)
    assert call_bytes("aten::_foreach_mul_", [[], []], ["TensorList", "Scalar"], [], item_bytes=2) is None  # older files


TENSOR_SHAPES: Final[tuple[Any, ...]] = ([], [0], [3], [2, 3], [4, 2, 3], [2, 3, 4, 5], [1, 2, 3, 4, 5])
ODD_SHAPES: Final[tuple[Any, ...]] = (*TENSOR_SHAPES, [-1, 2], [[2, 3]], [[]], "x", None, [True])
ODD_TEXTS: Final = ("", "[1, 1]", "[]", "[0]", "True", "-1", "2", "None", "1e300", "x", "[1", "[-3, 2]", "9" * 30)


@pytest.mark.parametrize("name", sorted({*RULES, *FLOPS, *ATTENTION, *ROWS_READ, *LISTS_WRITTEN}))
def test_arguments_that_no_schema_has_are_unknown(name: str) -> None:
    """A file may hold anything: rules take shapes apart as torch's schema has them."""
    lot = random.Random(name)
    for _ in range(40):
        n = lot.randrange(12)
        tensors: list[Any] = [lot.choice(TENSOR_SHAPES) for _ in range(n)]
        shapes: list[Any] = tensors if lot.random() < 0.7 else [lot.choice(ODD_SHAPES) for _ in range(n)]
        types = ["float"] * n if lot.random() < 0.7 else [lot.choice(("float", "", "Scalar", "TensorList")) for _ in range(n)]
        texts = [lot.choice(ODD_TEXTS) for _ in range(n)]
        moved, flops = call_bytes(name, shapes, types, texts, 4), call_flops(name, shapes, types, texts)
        assert moved is None or isinstance(moved.all, int)
        assert flops is None or isinstance(flops.n, int)
