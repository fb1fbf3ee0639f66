"""The work of fused attention: two products forward, five backward (the scores are made once more), as torch counts them.

    Q [B,Hq,Nq,D]  K [B,Hkv,Nk,D]  V [B,Hkv,Nk,Dv]
    forward    2 B Hq pairs (D + Dv)            backward   2 B Hq pairs (3 D + 2 Dv)

`pairs` of queries and keys: Nq Nk, or causal those that are looked at, Nq (Nq + 1) / 2 where Nq = Nk. Whether it is causal
may not be recorded: then all pairs, at most. Sequences of several lengths in one tensor ([tokens,H,D]) have their lengths in
the tensors' values, which are in no file: tokens times the longest, at most.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from tb_plugin.trace.work.amount import Amount
from tb_plugin.trace.work.arguments import Arguments, Tensor, Unknown

PAGED: Final = re.compile(r"paged_attention|unified_attention|WithPagedKVCache|decode_attention", re.IGNORECASE)
"""Kernels of inference servers whose work is that of the requests' context lengths: values of a tensor, which are in no file.
Samples: `paged_attention_ll4mi_QKV_mfma16_kernel`, `kernel_unified_attention_3d`, `BatchDecodeWithPagedKVCacheKernel`.
"""


class Operator(NamedTuple):
    """Places of its arguments. `query`: of Q; K and V follow. `causal`: a flag, or the number of a mask where `has_number`.

    `lengths`: of the tensor that is there where sequences have several lengths, and two behind it the longest of each.
    `is_by_token`: [B,N,H,D], else [B,H,N,D]. `gradients`: backward.
    """

    query: int
    causal: int
    lengths: int | None = None
    is_by_token: bool = False
    has_number: bool = False
    is_backward: bool = False


_FORWARD: Final = {
    "_flash_attention_forward": Operator(0, 8, lengths=3, is_by_token=True),
    "_efficient_attention_forward": Operator(0, 9, lengths=4, is_by_token=True, has_number=True),
    "_cudnn_attention_forward": Operator(0, 10, lengths=4),
    "_scaled_dot_product_flash_attention": Operator(0, 4),
    "_scaled_dot_product_flash_attention_for_cpu": Operator(0, 4),
    "_scaled_dot_product_efficient_attention": Operator(0, 6),
    "_scaled_dot_product_cudnn_attention": Operator(0, 6),
    "_scaled_dot_product_fused_attention_overrideable": Operator(0, 5),
}
_BACKWARD: Final = {
    "_flash_attention_backward": Operator(1, 11, lengths=6, is_by_token=True, is_backward=True),
    "_efficient_attention_backward": Operator(1, 14, lengths=6, is_by_token=True, has_number=True, is_backward=True),
    "_cudnn_attention_backward": Operator(1, 14, lengths=9, is_backward=True),
    "_scaled_dot_product_flash_attention_backward": Operator(1, 11, lengths=6, is_backward=True),
    "_scaled_dot_product_flash_attention_for_cpu_backward": Operator(1, 7, is_backward=True),
    "_scaled_dot_product_efficient_attention_backward": Operator(1, 11, is_backward=True),
    "_scaled_dot_product_cudnn_attention_backward": Operator(1, 14, lengths=9, is_backward=True),
    "_scaled_dot_product_fused_attention_overrideable_backward": Operator(1, 13, lengths=8, is_backward=True),
}
ATTENTION: Final = {f"aten::{name}": operator for name, operator in (_FORWARD | _BACKWARD).items()}
"""By the operator's name, with the places of torch's schemas."""

_TOP_LEFT: Final = 1
"""Of the numbers of memory efficient attention's masks: the first query sees the first key; 2: the last sees the last."""


def attention_flops(operator: Operator, call: Arguments) -> Amount:
    """Both products, or all five. Raises Unknown."""
    q, k, v = (call.tensor(operator.query + place).shape for place in range(3))
    has_lengths = operator.lengths is not None and operator.lengths < len(call.tensors) and call.tensors[operator.lengths]
    if has_lengths and len(q) == 4 and q[0] == 1:
        q, k, v = q[1:], k[1:], v[1:]
    if has_lengths and operator.lengths is not None and len(q) == len(k) == 3:
        (longest,) = call.numbers(operator.lengths + 3)
        return Amount(_products(operator, q[1] * q[0] * longest, q[2], v[2]), is_most=True)
    if not len(q) == len(k) == len(v) == 4 or has_lengths:
        raise Unknown
    sequence, heads = (1, 2) if operator.is_by_token else (2, 1)
    n_q, n_k = q[sequence], k[sequence]
    pairs, is_most = _pairs(operator, call, n_q, n_k)
    return Amount(_products(operator, q[0] * q[heads] * pairs, q[3], v[3]), is_most)


def attention_written(operator: Operator, call: Arguments) -> list[Tensor]:
    """The result, or the gradients of Q, K and V; without statistics, which are small. Raises Unknown."""
    q, k, v = (call.tensor(operator.query + place) for place in range(3))
    return [q, k, v] if operator.is_backward else [Tensor((*q.shape[:-1], v.shape[-1]), q.element)]


def _products(operator: Operator, pairs: int, head: int, value_head: int) -> int:
    return 2 * pairs * (3 * head + 2 * value_head if operator.is_backward else head + value_head)


def _pairs(operator: Operator, call: Arguments, n_q: int, n_k: int) -> tuple[int, bool]:
    """(pairs that are looked at, whether these are only the most)."""
    try:
        causal = int(call.value(operator.causal))
    except (Unknown, TypeError, ValueError):
        return n_q * n_k, True
    if not causal:
        return n_q * n_k, False
    if operator.has_number and causal == _TOP_LEFT:
        seen = min(n_q, n_k)
        return seen * (seen + 1) // 2 + (n_q - seen) * n_k, False
    seen = min(n_q, n_k)
    return seen * (n_k - seen) + seen * (seen + 1) // 2, False
