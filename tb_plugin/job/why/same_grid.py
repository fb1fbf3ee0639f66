"""Kernels of one name, grid and block that had more input on one rank than on its peers: they take longer, and are not slower.

    grid [132, 1, 1]    rank 0  [4096, 512] [512, 512]       a persistent kernel has as many blocks as the device has room for,
                        peers   [2048, 512] [512, 512]       whatever its input; others have a block for each tile of it

Where shapes of the inputs are not recorded, kernels that are persistent by their names do not tell which of both it is. But what
has a block for each tile does, where it runs on other grids:

    layer_norm          rank 0  [1372, 1, 1]         1.3 times as many blocks, as often: 1.3 times as much input, and so much of
                        peers   [1056, 1, 1]         what the persistent kernels take longer comes of that

So do the rows that all-to-alls brought to it and to its peers, where experts compute on these (`received_rows.py`).
"""

from __future__ import annotations

import math
import re
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.job.why.other_shapes import shapes_in, size_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.job.why.more_work import OnlyTheirs, Shapes

_PERSISTENT: Final = re.compile(r"persistent|varlen|stream_?k|nvjet|fmha|flash|device_kernel<|sm90_xmma|cutlass3x", re.IGNORECASE)
"""Samples: `matmul_kernel_persistent` of Triton's tutorial; `nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NTT`,
`sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64` and `cutlass3x_sm90_tensorop_s64x128x16gemm_bf16` of cuBLAS;
`void cutlass::device_kernel<flash::FlashAttnFwdSm90<...>>`, `flash_fwd_splitkv_kernel`, `fmha_cutlassF_bf16_aligned_64x64`
of attention, whose sequences may differ in length at one grid.
"""

_ATTENTION: Final = re.compile(r"flash|fmha|varlen|attention|attn", re.IGNORECASE)
_AS_OFTEN: Final = 0.02
_HARDLY_ANY: Final = 0.01


def may_be_larger(name: str, inputs: str) -> bool:
    """Whether nothing recorded says that a kernel of the same grid had the same input."""
    return _PERSISTENT.search(name) is not None and not _sizes(inputs)


def larger_by(own: str, others: Sequence[str]) -> tuple[float, str]:
    """How many times as many elements the input has that differs most from that of most others, and what these ran on; 1.0 where
    none differs or shapes are not kept.
    """
    times = sorted((_times(own, other), other) for other in others)
    return times[len(times) // 2] if times else (1.0, "")


def explains(times: float, factor: float) -> bool:
    """Whether so much more input may make it take so many times as long: half of that, and attention goes by its square."""
    return times * times - 1 >= (factor - 1) / 2 > 0


def times_in_other_shapes(of: Shapes, less: OnlyTheirs) -> float:
    """How many times as much input a rank has in kernels that run as often as the peers', by name, all on shapes that no peer
    has: the mean, by the peers' time. NaN where these are hardly any of what it runs, or nothing is kept of them.
    """
    times, weight = list[float](), list[float]()
    for name, theirs in less.other.items():
        its = [at for at, each in enumerate(of.name) if each == name and not of.is_shared[at]]
        n_ran, size = float(of.n_ran[its].sum()), sum(float(of.n_ran[at]) * size_of(of.inputs[at]) for at in its)
        if abs(n_ran - theirs.n_ran) <= _AS_OFTEN * theirs.n_ran and math.isfinite(size / theirs.size):
            times.append(size / theirs.size)
            weight.append(theirs.total)
    return float(np.average(times, weights=weight)) if sum(weight) > _HARDLY_ANY * float(of.total.sum()) else math.nan


def may_come_of(name: str, times: float, factor: float) -> bool:
    """Whether a persistent kernel may take so many times as long as others of that rank have more input: half of that, and only
    attention goes by its square.
    """
    return explains(times, factor) if _ATTENTION.search(name) else times - 1 >= (factor - 1) / 2 > 0


def may_come_of_rows(name: str, times: float, factor: float) -> bool:
    """The same of what all-to-alls brought to it: experts compute on these, attention does not."""
    return _ATTENTION.search(name) is None and may_come_of(name, times, factor)


def _times(own: str, other: str) -> float:
    pairs = zip_longest(_sizes(own), _sizes(other), fillvalue=1)
    return max((mine / theirs for mine, theirs in pairs if mine and theirs), default=1.0, key=lambda each: abs(math.log(each)))


def _sizes(inputs: str) -> list[int]:
    """Elements of each; nothing of a grid."""
    return [math.prod(map(int, re.findall(r"\d+", shape))) for shape in shapes_in(inputs) if shape.startswith("[")]
