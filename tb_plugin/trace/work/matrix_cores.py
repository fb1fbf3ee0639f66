"""Does a kernel use tensor or matrix cores, told by its name: yes, no, or unknown. And could an operator?

Vendors' libraries write the instruction into the name (NVIDIA's `s16816` of sm80) or its shape (AMD's `MI16x16x1`). What is
generated (Triton) or hand-written with a free name is unknown, never guessed, with two exceptions: eight and four bit floats
are multiplied by matrix cores alone, and Triton's attention is made of `tl.dot` on them. A kernel that multiplies no matrices
uses none.
"""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tb_plugin.trace import vendors
from tb_plugin.trace.kinds import Kind, is_kind
from tb_plugin.trace.names import judged
from tb_plugin.trace.vendors.vendor import MatrixWord
from tb_plugin.trace.work.taxonomy import MULTIPLIES, Category, category_by_row, category_of_kernel

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


class Use(IntEnum):
    """UNKNOWN: the name does not tell."""

    NO = 0
    YES = 1
    UNKNOWN = 2


class MatrixRule(NamedTuple):
    """The first rule whose pattern is found decides. `sample`: a name it was written for, shortened."""

    use: Use
    pattern: re.Pattern[str]
    sample: str


_OF_NOBODY: Final = (
    MatrixWord(False, r"conv_depthwise", "void at::native::conv_depthwise2d_forward_kernel<3, float, int>"),
    # Parts of attention that multiply nothing, and vLLM's first kernels, which multiply in vectors.
    MatrixWord(False, r"bwd_preprocess|^reduce_segments$|paged_attention\w*_reduce|kernel_stage2", "bwd_preprocess"),
    MatrixWord(False, r"paged_attention_v\d", "void vllm::paged_attention_v2_kernel<unsigned short, unsigned short, 128>"),
    MatrixWord(True, r"attn_(?:fwd|bwd)|bwd_kernel_d[kq]|fwd_grouped_kernel_stage1", "attn_fwd"),
    MatrixWord(True, r"kernel_unified_attention|^triton_tem\w*_flex_attention", "kernel_unified_attention_3d"),
    MatrixWord(True, r"BatchPrefillWith|SinglePrefillWith", "void flashinfer::BatchPrefillWithPagedKVCacheKernel<>"),
    MatrixWord(True, r"[Mm]arlin", "void marlin::Marlin<nv_bfloat16>"),
)
"""No vendor's."""

_FEW_BITS: Final = re.compile(r"e4m3|e5m2|e2m1|fp8|fp4|float8|float4", re.IGNORECASE)
"""In names of products and convolutions. Attention may keep what it reads in eight bits and multiply in more. Sample:
`bmm_E4m3_E4m3E4m3_Fp32_t128x8x128u2_s6_et64x8_schedS`."""

MATRIX_RULES: Final = tuple(
    MatrixRule(Use(uses_cores), re.compile(pattern), sample)
    for uses_cores, pattern, sample in (
        *(rule for vendor in vendors.ALL for rule in vendor.matrix_stated),
        *(rule for vendor in vendors.ALL for rule in vendor.matrix_known),
        *_OF_NOBODY,
    )
)

_NEVER: Final = frozenset(Category) - {*MULTIPLIES, Category.FUSED, Category.OTHER}


@lru_cache(maxsize=1 << 16)
def matrix_core_use(name: str) -> Use:
    """Whether the kernel of this name uses matrix cores."""
    category = category_of_kernel(name)
    if category in _NEVER:
        return Use.NO
    few_bits = category in (Category.MATMUL, Category.CONVOLUTION) and _FEW_BITS.search(name)
    return next((rule.use for rule in MATRIX_RULES if rule.pattern.search(name)), Use.YES if few_bits else Use.UNKNOWN)


def matrix_core_use_by_row(trace: Trace) -> npt.NDArray[np.uint8]:
    """The Use of every kernel row; NO for all other rows, and where an operator tells that nothing is multiplied."""
    use = np.zeros(len(trace.events), np.uint8)
    rows = np.flatnonzero((trace.events.kind == Kind.KERNEL) & ~is_kind(category_by_row(trace), _NEVER))
    use[rows] = judged(trace, rows, matrix_core_use, matrix_core_use(""))
    return use
