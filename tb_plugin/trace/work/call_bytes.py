"""How many bytes a call moves at least: its tensor inputs, each read once, and its outputs, which follow from the inputs.

    aten::bmm       [[16,512,64],[16,64,512]]  bf16     1 MiB + 1 MiB in, 8 MiB out
    aten::_softmax  [[16,512,512]]             bf16     8 MiB in, 8 MiB out
    aten::copy_     [[512,512],[512,512]] float, bf16   0.5 MiB in (what is overwritten is not read), 1 MiB out

Outputs are in no file. Where shape or type of one does not follow (what is indexed, what a missing argument decides), the call
is not known, never guessed. Inputs count whole: expanded ones hold less.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tb_plugin.trace.json_text import is_shape
from tb_plugin.trace.work.arguments import UNFIT, Arguments, Tensor, Unknown, arguments
from tb_plugin.trace.work.written import RULES

if TYPE_CHECKING:
    from collections.abc import Sequence


class Moved(NamedTuple):
    """Bytes of one call."""

    read: int
    written: int

    @property
    def all(self) -> int:
        return self.read + self.written


def call_bytes(name: str, shapes: Sequence[Any], types: Sequence[str], texts: Sequence[str], item_bytes: int = 0) -> Moved | None:
    """Of a call of the operator `name`, without overload; None where not known.

    `shapes`, `types`, `texts`: "Input Dims", "Input type" and "Concrete Inputs". `item_bytes`: of an element of a list of
    tensors, which has no type in the file; 0: not known.
    """
    rule = RULES.get(name, _unknown)
    if name == "aten::cat":
        return _joined(shapes[0] if shapes else [], item_bytes)
    if name in LISTS_WRITTEN:
        return _listed(shapes, item_bytes, LISTS_WRITTEN[name])
    try:
        call = arguments(shapes, types, texts)
        if name in ROWS_READ:
            (written,) = rule(call)
            return Moved(written.bytes + call.tensor(ROWS_READ[name]).bytes, written.bytes)
        if call.tensors[OUT_PLACE.get(name, len(call.tensors)) :] not in ([], [None]):
            *read, last = call.given()  # an out=, which is written
            return Moved(_bytes_of(read), last.bytes)
        read = [each for place, each in enumerate(call.tensors) if each is not None and place != _NOT_READ.get(name)]
        return Moved(_bytes_of(read), _bytes_of(rule(call)))
    except UNFIT:
        return None


def _bytes_of(tensors: Sequence[Tensor]) -> int:
    return sum(each.bytes for each in tensors)


def _joined(shapes: Any, item_bytes: int) -> Moved | None:
    """All of a list is read, and written once."""
    if not item_bytes or not shapes or not all(isinstance(shape, list) for shape in shapes):
        return None
    if not all(type(n) is int for shape in shapes for n in shape):
        return None
    n_bytes = item_bytes * sum(prod(shape) for shape in shapes)
    return Moved(n_bytes, n_bytes)


def _listed(shapes: Sequence[Any], item_bytes: int, n_written: int) -> Moved | None:
    """Each list of tensors is read, and so many as large as the first are written."""
    lists = [each for each in shapes if isinstance(each, list) and each and all(map(is_shape, each))]
    if not item_bytes or not lists or shapes[0] is not lists[0]:
        return None
    n_read = sum(prod(shape) for each in lists for shape in each)
    return Moved(item_bytes * n_read, item_bytes * n_written * sum(map(prod, lists[0])))


def _unknown(_call: Arguments) -> list[Tensor]:
    raise Unknown


_NOT_READ: Final = {"aten::copy_": 0, "aten::fill_": 0, "aten::zero_": 0, "aten::max_pool2d_with_indices_backward": 1}
"""The argument that is overwritten unseen, or there for its shape."""

_N_ARGUMENTS: Final = {
    1: "relu neg abs square exp log log2 log1p sqrt rsqrt reciprocal sin cos tan tanh sigmoid erf silu hardswish hardsigmoid "
    "mish logical_not isnan",
    2: "mul div maximum minimum fmod remainder clamp_min clamp_max pow gelu leaky_relu tanh_backward sigmoid_backward "
    "silu_backward hardswish_backward eq ne lt le gt ge logical_and logical_or logical_xor clone mv mm bmm",
    3: "add sub rsub clamp lerp hardtanh softplus threshold_backward gelu_backward native_dropout_backward where masked_fill "
    "linear _softmax _log_softmax amax amin argmax argmin",
    4: "addcmul elu addcdiv leaky_relu_backward hardtanh_backward softplus_backward _softmax_backward_data "
    "_log_softmax_backward_data sum mean",
    5: "addmm addmv baddbmm",
    6: "elu_backward _addmm_activation",
}
OUT_PLACE: Final = {f"aten::{name}": place for place, names in _N_ARGUMENTS.items() for name in names.split()}
"""Where an out= stands: behind all arguments."""

_FOREACH: Final = "add_ sub_ mul_ div_ sqrt sqrt_ neg addcmul_ addcdiv_ lerp_ add mul div"
ROWS_READ: Final = {"aten::embedding": 1, "aten::index_select": 2, "aten::gather": 2}
"""These read rows of a table as often as they write one, and the argument that says which."""

LISTS_WRITTEN: Final = {"aten::_fused_adam_": 3, "aten::_fused_adamw_": 3, "aten::_fused_sgd_": 2} | dict.fromkeys(
    (f"aten::_foreach_{name}" for name in _FOREACH.split()), 1
)
"""How many of their lists of tensors these write: Adam parameters and both moments."""

MOST_BYTES: Final = frozenset(("aten::_grouped_mm", "aten::_scaled_grouped_mm", "aten::embedding_dense_backward"))
"""Which experts or rows are touched is in the values: all of them, at most."""

KNOWN: Final = frozenset({*RULES, *LISTS_WRITTEN})
"""Operators with a rule."""
