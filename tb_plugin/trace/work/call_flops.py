"""How many floating point operations a call does, forward and backward: a product and a sum count two.

    mm, linear, addmm, bmm     2 M K N a matrix; biases are next to nothing and not counted, as in torch's FlopCounterMode
    convolution                2 B Cout (Cin / groups) kernel out; each gradient as much again, those that were asked for
    attention                  `attention_work`
    norms                      8 an element (RMS 5), backward 11;   softmax 5, backward 4
    elementwise, reductions    1 an element written, or read
    copies, indexing           0
    optimizers                 Adam 18 an element, SGD 4

`flops.py` is what torch's profiler says instead: products, `conv2d`, `add` and `mul` alone, nothing backward.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, Final

from tb_plugin.trace.json_text import is_shape
from tb_plugin.trace.work.amount import Amount
from tb_plugin.trace.work.arguments import UNFIT, Arguments, Unknown, arguments
from tb_plugin.trace.work.attention_work import ATTENTION, attention_flops
from tb_plugin.trace.work.call_bytes import LISTS_WRITTEN, ROWS_READ
from tb_plugin.trace.work.written import COPIES, ELEMENTWISE, REDUCTIONS, RULES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Rule = Callable[[Arguments], int]


def call_flops(name: str, shapes: Sequence[Any], types: Sequence[str], texts: Sequence[str]) -> Amount | None:
    """Of a call of the operator `name`, without overload; None where not known. Arguments as in `call_bytes`."""
    if name in PER_LISTED:
        listed = shapes[0] if shapes else []
        known = isinstance(listed, list) and bool(listed) and all(map(is_shape, listed))
        return Amount(PER_LISTED[name] * sum(prod(shape) for shape in listed)) if known else None
    if name in NO_FLOPS:
        return Amount(0)
    try:
        call = arguments(shapes, types, texts)
        if name in ATTENTION:
            return attention_flops(ATTENTION[name], call)
        return Amount(FLOPS[name](call)) if name in FLOPS else None
    except UNFIT:
        return None


def _product(left: int, right: int) -> Rule:
    """Of matrices, or batches of them."""

    def flops(call: Arguments) -> int:
        a, b = call.tensor(left).shape, call.tensor(right).shape
        if len(a) < 2 or len(a) != len(b) or a[-1] != b[-2] or a[:-2] != b[:-2]:
            raise Unknown
        return 2 * prod(a) * b[-1]

    return flops


def _vector_product(matrix: int) -> Rule:
    return lambda call: 2 * call.tensor(matrix).elements


def _linear(call: Arguments) -> int:
    """The weight is [out, in], or of one output [in]."""
    given, weight = call.tensor(0), call.tensor(1)
    if not given.shape or given.shape[-1] != weight.shape[-1]:
        raise Unknown
    return 2 * given.elements * weight.elements // weight.shape[-1]


def _int4_product(call: Arguments) -> int:
    """The weight is packed, [N / 8, K / ..., 32, ...]."""
    return 2 * call.tensor(0).elements * 8 * call.tensor(1).shape[0]


def _int8_product(call: Arguments) -> int:
    return 2 * call.tensor(0).elements * call.tensor(1).shape[0]


def _grouped_product(call: Arguments) -> int:
    """[M,K] by [E,K,N], each row by one of them; [M,K] by [K,N], split along K; or as many matrices of both."""
    left, right = call.tensor(0).shape, call.tensor(1).shape
    if len(left) not in (2, 3) or len(right) not in (2, 3):
        raise Unknown
    if len(left) == 3 and len(right) == 2:  # columns of the second are split
        return 2 * left[1] * left[2] * right[1]
    return 2 * prod(left) * right[-1]


def _convolution(call: Arguments, name: str) -> int:
    """Per place of the output, or of the input of a transposed one, the whole kernel of each pair of channels."""
    (written,) = RULES[name](call)
    transposed = _TRANSPOSED.get(name)
    places = call.tensor(0) if transposed is not None and call.value(transposed) else written
    return _per_place(call.tensor(0).shape[0], places.shape, call.tensor(1).shape)


def _convolution_gradients(call: Arguments) -> int:
    """convolution_backward(dy, x, w, bias sizes, stride, padding, dilation, transposed, output padding, groups, mask)."""
    dy, x, weight = call.tensor(0), call.tensor(1), call.tensor(2)
    wanted = call.value(10)
    if not isinstance(wanted, list) or len(wanted) != 3:
        raise Unknown
    each = _per_place(x.shape[0], (x if call.value(7) else dy).shape, weight.shape)
    return each * sum(map(bool, wanted[:2]))


def _cudnn_input_gradient(call: Arguments) -> int:
    """cudnn_convolution_backward_input(size, dy, w, ...), of torch until 1.10."""
    dy, weight = call.tensor(1).shape, call.tensor(2).shape
    return _per_place(dy[0], dy, weight)


def _per_place(batch: int, places: Sequence[int], weight: Sequence[int]) -> int:
    if len(places) != len(weight) or len(weight) < 3:
        raise Unknown
    return 2 * batch * prod(places[2:]) * prod(weight)


def _per_element(n: int, of: int = 0) -> Rule:
    return lambda call: n * call.tensor(of).elements


def _per_written(name: str) -> Rule:
    """One for each element of what is written; the result, not what is kept beside it."""
    return lambda call: RULES[name](call)[0].elements


_TRANSPOSED: Final = {"aten::convolution": 6, "aten::_convolution": 6}

_CONVOLUTIONS: Final = "convolution _convolution conv1d conv2d conv3d cudnn_convolution miopen_convolution mkldnn_convolution"


def _of_convolution(name: str) -> Rule:
    return lambda call: _convolution(call, name)


PRODUCTS: Final[dict[str, Rule]] = {
    "aten::mm": _product(0, 1),
    "aten::bmm": _product(0, 1),
    "aten::addmm": _product(1, 2),
    "aten::_addmm_activation": _product(1, 2),
    "aten::baddbmm": _product(1, 2),
    "aten::mv": _vector_product(0),
    "aten::addmv": _vector_product(1),
    "aten::dot": _vector_product(0),
    "aten::linear": _linear,
    "aten::_scaled_mm": _product(0, 1),
    "aten::_int_mm": _product(0, 1),
    "aten::_weight_int4pack_mm": _int4_product,
    "aten::_weight_int8pack_mm": _int8_product,
    "aten::_grouped_mm": _grouped_product,
    "aten::_scaled_grouped_mm": _grouped_product,
    **{f"aten::{name}": _of_convolution(f"aten::{name}") for name in _CONVOLUTIONS.split()},
    "aten::convolution_backward": _convolution_gradients,
    "aten::cudnn_convolution_backward_input": _cudnn_input_gradient,
}
"""What multiplies, but attention: model FLOPs are of these, and of attention."""

_NORMS: Final = "native_layer_norm native_group_norm native_batch_norm cudnn_batch_norm miopen_batch_norm"

FLOPS: Final[dict[str, Rule]] = {
    **{name: _per_written(name) for name in ELEMENTWISE},
    **{name: _per_element(1) for name in REDUCTIONS},
    **{f"aten::{name}": _per_element(8) for name in _NORMS.split()},
    **{f"aten::{name}_backward": _per_element(11) for name in _NORMS.split()},
    "aten::_fused_rms_norm": _per_element(5),
    "aten::_fused_rms_norm_backward": _per_element(11),
    "aten::_softmax": _per_element(5),
    "aten::_log_softmax": _per_element(5),
    "aten::_softmax_backward_data": _per_element(4),
    "aten::_log_softmax_backward_data": _per_element(4),
    "aten::embedding_dense_backward": _per_element(1),
    "aten::max_pool2d_with_indices": _per_element(1),
    "aten::max_pool2d_with_indices_backward": _per_element(1),
    **PRODUCTS,
}

NO_FLOPS: Final = frozenset({*COPIES, *ROWS_READ, "aten::masked_fill", "aten::cat"})
"""These compute nothing."""

PER_LISTED: Final = dict.fromkeys(LISTS_WRITTEN, 1) | {
    "aten::_fused_adam_": 18,
    "aten::_fused_adamw_": 18,
    "aten::_fused_sgd_": 4,
}
"""For each element of the first list of tensors."""

KNOWN: Final = frozenset({*FLOPS, *NO_FLOPS, *PER_LISTED, *ATTENTION})
"""Operators with a rule."""
