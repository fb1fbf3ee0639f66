"""What an operator writes: shapes and types of its results, which are in no file but follow from what it is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.trace.work.arguments import Arguments, Shape, Tensor, Unknown, broadcast
from tb_plugin.trace.work.attention_work import ATTENTION, attention_written
from tb_plugin.trace.work.input_bytes import ELEMENT_BYTES
from tb_plugin.trace.work.promotion import is_float, promoted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def _product(left: int, right: int) -> Callable[[Arguments], list[Tensor]]:
    """Of matrices, or batches of them: the rows of one, the columns of the other."""

    def written(call: Arguments) -> list[Tensor]:
        a, b = call.tensor(left), call.tensor(right)
        if len(a.shape) < 2 or len(a.shape) != len(b.shape):
            raise Unknown
        return [Tensor((*a.shape[:-1], b.shape[-1]), a.element)]

    return written


def _vector_product(matrix: int) -> Callable[[Arguments], list[Tensor]]:
    return lambda call: [Tensor(call.tensor(matrix).shape[:-1], call.tensor(matrix).element)]


def _linear(call: Arguments) -> list[Tensor]:
    given, weight = call.tensor(0), call.tensor(1)
    return [Tensor((*given.shape[:-1], *weight.shape[:-1]), given.element)]


def _convolution(stride: int, padding: int, dilation: int, transposed: int | None = None) -> Callable[[Arguments], list[Tensor]]:
    """By the places of its arguments. A transposed one has its output padding behind that flag, and the groups behind both."""

    def written(call: Arguments) -> list[Tensor]:
        image, kernel = call.tensor(0), call.tensor(1)
        n_axes = len(kernel.shape) - 2
        if n_axes < 1 or len(image.shape) != n_axes + 2:
            raise Unknown
        size, window = image.shape[2:], kernel.shape[2:]
        step, edge, gap = (_per_axis(call.numbers(place), n_axes) for place in (stride, padding, dilation))
        axes = range(n_axes)
        if transposed is not None and call.value(transposed):
            extra, (groups, *_) = _per_axis(call.numbers(transposed + 1), n_axes), call.numbers(transposed + 2)
            out = [(size[i] - 1) * step[i] - 2 * edge[i] + gap[i] * (window[i] - 1) + extra[i] + 1 for i in axes]
            return [Tensor((image.shape[0], kernel.shape[1] * groups, *out), image.element)]
        if 0 in step:
            raise Unknown
        out = [(size[i] + 2 * edge[i] - gap[i] * (window[i] - 1) - 1) // step[i] + 1 for i in axes]
        return [Tensor((image.shape[0], kernel.shape[0], *out), image.element)]

    return written


def _per_axis(numbers: list[int], n_axes: int) -> list[int]:
    if len(numbers) not in (1, n_axes):
        raise Unknown
    return numbers * (n_axes // len(numbers))


def _gradients(of: Sequence[int], mask: int) -> Callable[[Arguments], list[Tensor]]:
    """Gradients like the tensors of these places, those that the argument `mask` asks for."""

    def written(call: Arguments) -> list[Tensor]:
        wanted = call.value(mask)
        if not isinstance(wanted, list) or len(wanted) < len(of):
            raise Unknown
        return [call.tensor(place) for place, is_wanted in zip(of, wanted, strict=False) if is_wanted]

    return written


def _typed_product(place: int) -> Callable[[Arguments], list[Tensor]]:
    """A product of eight bits whose type of result is this argument, else as the operands'."""

    def written(call: Arguments) -> list[Tensor]:
        (given,) = _product(0, 1)(call)
        asked = call.texts[place] if place < len(call.texts) else ""
        return [given] if not asked else [Tensor(given.shape, _scalar_type(call.value(place)))]

    return written


def _whole_product(call: Arguments) -> list[Tensor]:
    return [Tensor(each.shape, "int") for each in _product(0, 1)(call)]


def _packed_product(of_first: int) -> Callable[[Arguments], list[Tensor]]:
    """By a weight that is packed: so many outputs for each entry of its first axis."""
    return lambda call: [Tensor((*call.tensor(0).shape[:-1], of_first * call.tensor(1).shape[0]), call.tensor(0).element)]


def _grouped_product(call: Arguments) -> list[Tensor]:
    left, right = call.tensor(0), call.tensor(1)
    if len(left.shape) != 2 or len(right.shape) != 3:
        raise Unknown
    return [Tensor((left.shape[0], right.shape[2]), "c10::BFloat16")]


def _cudnn_input_gradient(call: Arguments) -> list[Tensor]:
    return [Tensor(tuple(call.numbers(0)), call.tensor(1).element)]


def _attention(name: str) -> Callable[[Arguments], list[Tensor]]:
    return lambda call: attention_written(ATTENTION[name], call)


def _rms_norm(call: Arguments) -> list[Tensor]:
    return _layer_norm(call)[:2]


def _rows(rows: int, of: int, axis: int | None = None) -> Callable[[Arguments], list[Tensor]]:
    """Rows of a table, one for each index; with `axis` the argument that says along which axis they lie."""

    def written(call: Arguments) -> list[Tensor]:
        table, index = call.tensor(of), call.tensor(rows)
        if axis is None:
            return [Tensor((*index.shape, *table.shape[1:]), table.element)]
        (at,) = call.numbers(axis)
        at %= max(len(table.shape), 1)
        return [Tensor((*table.shape[:at], index.elements, *table.shape[at + 1 :]), table.element)]

    return written


def _gathered(call: Arguments) -> list[Tensor]:
    return [Tensor(call.tensor(2).shape, call.tensor(0).element)]


def _table_gradient(call: Arguments) -> list[Tensor]:
    """embedding_dense_backward(dy, indices, rows of the table, ...)."""
    return [Tensor((*call.numbers(2), call.tensor(0).shape[-1]), call.tensor(0).element)]


def _pooled(call: Arguments) -> list[Tensor]:
    """max_pool2d_with_indices(x, kernel, stride, padding, dilation, ceil mode): values, and where they were."""
    given = call.tensor(0)
    window, step, edge, gap = (call.numbers(place) for place in range(1, 5))
    if call.value(5) or len(given.shape) < 2 or 0 in step:
        raise Unknown
    window, step, edge, gap = (_per_axis(each, 2) for each in (window, step or window, edge, gap))
    size = given.shape[-2:]
    out = [(size[i] + 2 * edge[i] - gap[i] * (window[i] - 1) - 1) // step[i] + 1 for i in (0, 1)]
    return [Tensor((*given.shape[:-2], *out), element) for element in (given.element, "long int")]


def _convolution_gradients(call: Arguments) -> list[Tensor]:
    wanted = call.value(10)
    bias = Tensor(call.tensor(0).shape[1:2], call.tensor(0).element)
    like = (call.tensor(1), call.tensor(2), bias)
    if not isinstance(wanted, list) or len(wanted) != len(like):
        raise Unknown
    return [tensor for tensor, is_wanted in zip(like, wanted, strict=True) if is_wanted]


def _softmax(call: Arguments) -> list[Tensor]:
    given = call.tensor(0)
    return [Tensor(given.shape, "float") if call.value(2) else given]


def _softmax_gradient(call: Arguments) -> list[Tensor]:
    return [Tensor(call.tensor(0).shape, _scalar_type(call.value(3)))]


def _layer_norm(call: Arguments) -> list[Tensor]:
    given, normalised = call.tensor(0), call.numbers(1)
    return [given, *[_statistic(given, given.shape[: len(given.shape) - len(normalised)])] * 2]


def _group_norm(call: Arguments) -> list[Tensor]:
    given, (groups, *_) = call.tensor(0), call.numbers(6)
    return [given, *[_statistic(given, (given.shape[0], groups))] * 2]


def _batch_norm(call: Arguments) -> list[Tensor]:
    given = call.tensor(0)
    is_training = call.value(5) if call.texts else False  # statistics are next to nothing
    return [given, *[_statistic(given, given.shape[1:2])] * 2] if is_training else [given]


def _batch_norm_gradients(call: Arguments) -> list[Tensor]:
    return [call.tensor(0), call.tensor(2), call.tensor(2)]


def _statistic(given: Tensor, shape: Shape) -> Tensor:
    """Mean or deviation: kept in floats where values have fewer bits."""
    return Tensor(shape, given.element if ELEMENT_BYTES[given.element] >= ELEMENT_BYTES["float"] else "float")


def _elementwise(call: Arguments) -> list[Tensor]:
    """What its operands are broadcast and promoted to. A number beside whole ones may be a fraction."""
    given = call.given()
    element = promoted([(each.element, len(each.shape)) for each in given])
    has_number = len(call.tensors) > 1 and call.tensors[1] is None
    if element is None or (has_number and not is_float(element)):
        raise Unknown
    return [Tensor(broadcast([each.shape for each in given]), element)]


def _to_float(call: Arguments) -> list[Tensor]:
    """Functions whose values are no whole numbers."""
    (written,) = _elementwise(call)
    if not is_float(written.element):
        raise Unknown
    return [written]


def _chosen(call: Arguments) -> list[Tensor]:
    """where: a condition, and what it chooses of."""
    (written,) = _elementwise(Arguments(call.tensors[1:], []))
    return [Tensor(broadcast([call.tensor(0).shape, written.shape]), written.element)]


def _compared(call: Arguments) -> list[Tensor]:
    return [Tensor(broadcast([each.shape for each in call.given()]), "bool")]


def _like_first(call: Arguments) -> list[Tensor]:
    """In place, or as the first argument is."""
    return [call.tensor(0)]


def _filled(call: Arguments) -> list[Tensor]:
    return [Tensor(broadcast([call.tensor(0).shape, call.tensor(1).shape]), call.tensor(0).element)]


def _dropout(call: Arguments) -> list[Tensor]:
    given = call.tensor(0)
    if not call.value(2):
        raise Unknown
    return [given, Tensor(given.shape, "bool")]


def _reduced(dtype: int | None = None, element: str = "", is_pair: bool = False) -> Callable[[Arguments], list[Tensor]]:
    """Over the dimensions of argument 1, or all.

    `dtype`: the place of the type that may be asked for, in the longest form. `element`: the type of all results. `is_pair`:
    places come with the values.
    """

    def written(call: Arguments) -> list[Tensor]:
        given, places = call.tensor(0), len(call.tensors)
        if any(call.tensors[1:]) or (places > 1 and len(call.texts) != places) or not (element or is_float(given.element)):
            raise Unknown
        if dtype is not None and places in (2, dtype + 1) and call.texts[-1]:
            raise Unknown
        whole = places == 1 or (places == 2 and dtype is not None) or call.texts[1] in ("", "[]")
        gone = set(range(len(given.shape))) if whole else {n % max(len(given.shape), 1) for n in call.numbers(1)}
        kept = tuple(size for axis, size in enumerate(given.shape) if axis not in gone)
        result = Tensor(kept, element or given.element)
        return [result, Tensor(kept, "long int")] if is_pair and not whole else [result]

    return written


def _extreme(call: Arguments) -> list[Tensor]:
    """Of two tensors, of all, or along one dimension with places."""
    return _elementwise(call) if len(call.given()) == 2 else _reduced(is_pair=True)(call)


_SCALAR_TYPES: Final = {5: "c10::Half", 6: "float", 7: "double", 15: "c10::BFloat16"}
"""c10::ScalarType's numbers, of floats."""


def _scalar_type(number: object) -> str:
    found = _SCALAR_TYPES.get(number) if isinstance(number, int) else None
    if found is None:
        raise Unknown
    return found


_ARITHMETIC: Final = "add sub rsub mul maximum minimum fmod remainder clamp clamp_min clamp_max relu neg abs square addcmul lerp"
_FUNCTIONS: Final = (
    "div pow exp log log2 log1p sqrt rsqrt reciprocal sin cos tan tanh sigmoid erf gelu silu elu leaky_relu hardtanh hardswish "
    "hardsigmoid softplus mish addcdiv threshold_backward tanh_backward sigmoid_backward gelu_backward silu_backward "
    "elu_backward leaky_relu_backward hardtanh_backward hardswish_backward softplus_backward native_dropout_backward"
)

_COMPARISONS: Final = "eq ne lt le gt ge logical_and logical_or logical_xor logical_not isnan"
_COPIES: Final = "clone contiguous copy_ fill_ zero_ masked_fill_"
_REDUCTIONS: Final = "sum mean amax amin max min argmax argmin all any"

ELEMENTWISE: Final = frozenset(
    {f"aten::{name}" for name in f"{_ARITHMETIC} {_FUNCTIONS} {_COMPARISONS} where native_dropout".split()}
    | {f"aten::{name}_" for name in f"{_ARITHMETIC} {_FUNCTIONS}".split()}
)
COPIES: Final = frozenset(f"aten::{name}" for name in _COPIES.split())
REDUCTIONS: Final = frozenset(f"aten::{name}" for name in _REDUCTIONS.split())

RULES: Final[dict[str, Callable[[Arguments], list[Tensor]]]] = {
    **{f"aten::{name}": _elementwise for name in _ARITHMETIC.split()},
    **{f"aten::{name}": _to_float for name in _FUNCTIONS.split()},
    **{f"aten::{name}": _compared for name in _COMPARISONS.split()},
    **{f"aten::{name}_": _like_first for name in f"{_ARITHMETIC} {_FUNCTIONS}".split()},
    **{f"aten::{name}": _like_first for name in _COPIES.split()},
    "aten::where": _chosen,
    "aten::masked_fill": _filled,
    "aten::native_dropout": _dropout,
    "aten::cat": _like_first,  # its tensors are a list: `_joined`
    "aten::mm": _product(0, 1),
    "aten::bmm": _product(0, 1),
    "aten::addmm": _product(1, 2),
    "aten::_addmm_activation": _product(1, 2),
    "aten::baddbmm": _product(1, 2),
    "aten::mv": _vector_product(0),
    "aten::addmv": _vector_product(1),
    "aten::linear": _linear,
    "aten::_scaled_mm": _typed_product(6),
    "aten::_int_mm": _whole_product,
    "aten::_weight_int4pack_mm": _packed_product(8),
    "aten::_weight_int8pack_mm": _packed_product(1),
    "aten::_grouped_mm": _grouped_product,
    "aten::_scaled_grouped_mm": _grouped_product,
    **{name: _attention(name) for name in ATTENTION},
    "aten::convolution": _convolution(3, 4, 5, transposed=6),
    "aten::_convolution": _convolution(3, 4, 5, transposed=6),
    "aten::conv1d": _convolution(3, 4, 5),
    "aten::conv2d": _convolution(3, 4, 5),
    "aten::conv3d": _convolution(3, 4, 5),
    "aten::cudnn_convolution": _convolution(3, 2, 4),
    "aten::miopen_convolution": _convolution(4, 3, 5),
    "aten::mkldnn_convolution": _convolution(4, 3, 5),
    "aten::convolution_backward": _convolution_gradients,
    "aten::cudnn_convolution_backward_input": _cudnn_input_gradient,
    "aten::_softmax": _softmax,
    "aten::_log_softmax": _softmax,
    "aten::_softmax_backward_data": _softmax_gradient,
    "aten::_log_softmax_backward_data": _softmax_gradient,
    "aten::native_layer_norm": _layer_norm,
    "aten::native_layer_norm_backward": _gradients((1, 5, 6), mask=7),
    "aten::native_group_norm": _group_norm,
    "aten::native_group_norm_backward": _gradients((1, 4, 4), mask=9),
    "aten::_fused_rms_norm": _rms_norm,
    "aten::_fused_rms_norm_backward": _gradients((1, 4), mask=5),
    "aten::native_batch_norm_backward": _gradients((1, 2, 2), mask=9),
    "aten::cudnn_batch_norm_backward": _batch_norm_gradients,
    "aten::miopen_batch_norm_backward": _batch_norm_gradients,
    "aten::native_batch_norm": _batch_norm,
    "aten::cudnn_batch_norm": _batch_norm,
    "aten::miopen_batch_norm": _batch_norm,
    "aten::embedding": _rows(1, of=0),
    "aten::index_select": _rows(2, of=0, axis=1),
    "aten::gather": _gathered,
    "aten::embedding_dense_backward": _table_gradient,
    "aten::max_pool2d_with_indices": _pooled,
    "aten::max_pool2d_with_indices_backward": lambda call: [call.tensor(1)],
    "aten::sum": _reduced(dtype=3),
    "aten::mean": _reduced(dtype=3),
    "aten::amax": _reduced(),
    "aten::amin": _reduced(),
    "aten::max": _extreme,
    "aten::min": _extreme,
    "aten::argmax": _reduced(element="long int"),
    "aten::argmin": _reduced(element="long int"),
    "aten::all": _reduced(element="bool"),
    "aten::any": _reduced(element="bool"),
}
"""What an operator writes, by its name without overload."""
