"""Does a kernel use tensor or matrix cores, told by its name: yes, no, or unknown. And could an operator?

NVIDIA's libraries write the instruction into the name (h884 of sm70, s16816 of sm80, gmma of sm90, utcmma of sm100), AMD's
the MFMA shape (`MI16x16x1`). What is generated (Triton) or hand-written with a free name is unknown, never guessed. A
kernel that multiplies no matrices uses none.
"""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.names import judged
from tb_plugin.trace.taxonomy import MULTIPLIES, Category, category_of_kernel

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


_RULES: Final = (
    # What names say outright, of either vendor. A kernel built for tensor cores may still be its SIMT variant.
    (Use.NO, r"_simt_|_ffma_|(?:fp16|bf16)_sgemm", "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>"),
    (Use.YES, r"[hsci](?:884|1688|16816|16832|161616|8816)|_[hs]884", "volta_fp16_s884gemm_fp16_128x64_ldg8_f2f_nn"),
    (Use.YES, r"tensorop|_tensor\d+x\d+x\d+", "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_tensor16x8x8_execute_kernel"),
    (Use.YES, r"[hid]mma_|wgmma|gmma|utcmma|tcgen05|_umma", "sm100_fprop_wo_smem_bf16_utcmma_256x128"),
    (Use.YES, r"warpgroupsize\d", "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1"),
    (Use.YES, r"nvjet_", "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NTT"),
    (Use.YES, r"mfma|xdl|Xdl|gtcx\d?_", "igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt128x128x32_wt32x32x8"),
    (Use.YES, r"Cijk_\w*_MI\d+x\d+", "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x32x64_MI16x16x1_SN"),
    (Use.NO, r"Cijk_\w*_TT\d+_\d+", "Cijk_Ailk_Bljk_SB_MT64x64x16_SE_K1_TT4_4_USFGRO0_WG16_16_1"),
    # NVIDIA's attention kernels: half types only, or told by type and architecture.
    (Use.NO, r"flash_(?:bwd_dot_do_o|bwd_convert|fwd_splitkv_combine)", "void pytorch_flash::flash_bwd_dot_do_o_kernel<true>"),
    (Use.YES, r"flash_(?:fwd|bwd)_\w*kernel", "void pytorch_flash::flash_fwd_kernel<64, 128, 128, 4>"),
    (Use.YES, r"fmha_cutlass[FB]_b?f16_\w+_sm(?:7|8|9|1\d)\d", "fmha_cutlassF_bf16_aligned_64x64_rf_sm80"),
    (Use.YES, r"fmha_cutlass[FB]_f32_\w+_sm[89]\d", "fmha_cutlassB_f32_aligned_64x64_k64_sm80"),
    (Use.NO, r"fmha_cutlass[FB]_\w+_sm[57]\d", "fmha_cutlassF_f32_aligned_64x64_rf_sm75"),
    # NVIDIA's hand-written FP32 kernels of before and beside tensor cores.
    (Use.NO, r"(?:maxwell|volta|turing|ampere)_(?:s|h|c|gc)gemm", "ampere_sgemm_128x64_nn"),
    (Use.NO, r"scudnn_", "volta_scudnn_128x64_relu_interior_nn_v1"),
    (
        Use.NO,
        r"[Gg]emv|gemmk1_|dot_kernel|reduce_1Block|scal_kernel",
        "void gemv2T_kernel_val<int, int, float, float, float, float>",
    ),
    (
        Use.NO,
        r"(?:im|ex)plicit_convolve_sgemm|alg0_engine|dgrad_engine",
        "void implicit_convolve_sgemm<float, float, 1024, 5, 5>",
    ),
    (
        Use.NO,
        r"winograd_nonfused|fft2d_|generateWinogradTiles",
        "void cudnn::winograd_nonfused::winogradForwardData4x4<float, float>",
    ),
    (Use.NO, r"sgemm_largek|splitK_?[rR]educe|globalKernel", "void cublasLt::splitKreduce_kernel<32, 16, int, float>"),
    (
        Use.NO,
        r"compute\w*OffsetsKernel\w*|im2col|reduce_wgrad",
        "cask_cudnn::computeOffsetsKernel(cask_cudnn::ComputeOffsetsParams)",
    ),
)

MATRIX_RULES: Final = tuple(MatrixRule(use, re.compile(pattern), sample) for use, pattern, sample in _RULES)

_NEVER: Final = frozenset(Category) - {*MULTIPLIES, Category.FUSED, Category.OTHER}


@lru_cache(maxsize=1 << 16)
def matrix_core_use(name: str) -> Use:
    """Whether the kernel of this name uses matrix cores."""
    if category_of_kernel(name) in _NEVER:
        return Use.NO
    return next((rule.use for rule in MATRIX_RULES if rule.pattern.search(name)), Use.UNKNOWN)


def matrix_core_use_by_row(trace: Trace) -> npt.NDArray[np.uint8]:
    """The Use of every kernel row; NO for all other rows."""
    use = np.zeros(len(trace.events), np.uint8)
    rows = np.flatnonzero(trace.events.kind == Kind.KERNEL)
    use[rows] = judged(trace, rows, matrix_core_use, matrix_core_use(""))
    return use
