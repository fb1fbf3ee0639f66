"""Operators that do the same under other names, here and there: what two profiles are matched by.

aten::cudnn_convolution              convolution        aten::miopen_convolution on AMD
aten::_scaled_dot_product_flash_attention   scaled_dot_product_attention
autograd::engine::evaluate_function: AddmmBackward0     addmm_backward     AddmmBackward in torch 1.9
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from tb_plugin.trace.work.operator_rules import plain_operator


class Alike(NamedTuple):
    """What fits the pattern in a plain name becomes `becomes`; `sample` is a name as files have it."""

    pattern: re.Pattern[str]
    becomes: str
    sample: str


ALIKE: Final[tuple[Alike, ...]] = (
    Alike(re.compile(r"^(?:cudnn|miopen|mkldnn|xpu|native|mps|npu|hpu|thnn)_(?=[a-z])"), "", "aten::miopen_batch_norm"),
    Alike(
        re.compile(r"^scaled_dot_product_(?:(?:fused|flash|efficient|cudnn)_)?attention(?:_for_cpu|_math)?$"),
        "scaled_dot_product_attention",
        "aten::_scaled_dot_product_efficient_attention",
    ),
    Alike(
        re.compile(r"^(?:flash|efficient|cudnn)_attention_forward$"),
        "scaled_dot_product_attention",
        "aten::_efficient_attention_forward",
    ),
    Alike(
        re.compile(r"^scaled_dot_product_(?:fused|flash|efficient|cudnn)_attention(?:_for_cpu)?_backward$"),
        "scaled_dot_product_attention_backward",
        "ScaledDotProductFlashAttentionBackward0",
    ),
    Alike(re.compile(r"(?<=\d)_d(?=with)"), "d_", "MaxPool2DWithIndicesBackward0"),
    Alike(re.compile(r"_overrideable(?=$|_)"), "", "aten::convolution_overrideable"),
)


@lru_cache(maxsize=1 << 16)
def alike_operator(name: str) -> str:
    """The name that operators of any vendor and version of torch share."""
    plain = plain_operator(name)
    for rule in ALIKE:
        plain = rule.pattern.sub(rule.becomes, plain)
    return plain or name
