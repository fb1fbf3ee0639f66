"""The work of a kernel that torch.compile made, by the operator of its name: that is given the tensors it reads and writes.

triton_poi_fused_add_gelu_3   each tensor once; 2 for each element of the largest, at most
triton_red_fused_sum_7        each tensor once; 1 for each element of the largest, at most
triton_tem_fused_mm_1         2 M K N, where it is given two matrices and their product
"""

from __future__ import annotations

import re
from math import isqrt, prod
from typing import TYPE_CHECKING, Any, Final

from tb_plugin.trace.work.arguments import Tensor, Unknown, arguments
from tb_plugin.trace.work.call_flops import KNOWN, NO_FLOPS

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAME: Final = re.compile(r"^triton_(?P<kind>poi|red|per|tem)_fused_+(?P<operators>.*?)(?:_\d+)?$")
_WORDS: Final = frozenset(name.removeprefix("aten::").strip("_") for name in KNOWN - NO_FLOPS)


def is_triton(name: str) -> bool:
    return _NAME.match(name) is not None


def triton_work(name: str, shapes: Sequence[Any], types: Sequence[str]) -> tuple[int | None, int | None, bool]:
    """(FLOPs, bytes, whether the FLOPs are only the most). None: not known."""
    found = _NAME.match(name)
    try:
        tensors = arguments(shapes, types, []).given()
    except Unknown:
        tensors = []
    if found is None or not tensors:
        return None, None, False
    n_bytes = sum(each.bytes for each in tensors)
    if found["kind"] == "tem":
        return _product(tensors), n_bytes, False
    largest = max(each.elements for each in tensors)
    return largest * (n_fused(found["operators"]) if found["kind"] == "poi" else 1), n_bytes, True


def n_fused(text: str) -> int:
    """How many operators `_to_copy_add_native_layer_norm` names: 3. At least 1."""
    parts, count, at = [part for part in text.split("_") if part], 0, 0
    while at < len(parts):
        longest = next((end for end in range(len(parts), at, -1) if "_".join(parts[at:end]) in _WORDS), None)
        count += longest is not None
        at = longest or at + 1
    return max(count, 1)


def _product(tensors: list[Tensor]) -> int | None:
    """2 M K N of [M,K], [K,N] and [M,N], or of as many of each: their elements multiplied are M² K² N²."""
    shapes = [each.shape for each in tensors]
    if len(shapes) != 3 or len({len(shape) for shape in shapes}) != 1 or len(shapes[0]) not in (2, 3):
        return None
    batch = shapes[0][0] if len(shapes[0]) == 3 else 1
    matrices = [shape[-2:] for shape in shapes]
    if len(shapes[0]) == 3 and any(shape[0] != batch for shape in shapes):
        return None
    squared = prod(map(prod, matrices))
    root = isqrt(squared)
    return 2 * batch * root if root * root == squared else None
