"""All patterns, in the order of torch's report. Adding one: a class in a file here, a line below, a test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.trace.patterns.conv_bias import ConvBias
from tb_plugin.trace.patterns.extra_copy import ExtraCopy
from tb_plugin.trace.patterns.fp32_matmul import Fp32MatMul
from tb_plugin.trace.patterns.loop_indexing import LoopIndexing
from tb_plugin.trace.patterns.matmul_dims import MatMulDims
from tb_plugin.trace.patterns.single_tensor_optimizer import SingleTensorOptimizer
from tb_plugin.trace.patterns.synchronized_loader import SynchronizedLoader
from tb_plugin.trace.patterns.zeroed_gradients import ZeroedGradients

if TYPE_CHECKING:
    from tb_plugin.trace.patterns.pattern import Pattern

ALL: Final[tuple[Pattern, ...]] = (
    ExtraCopy(),
    LoopIndexing(),
    Fp32MatMul(),
    SingleTensorOptimizer(),
    SynchronizedLoader(),
    ZeroedGradients(),
    ConvBias(),
    MatMulDims(),
)
