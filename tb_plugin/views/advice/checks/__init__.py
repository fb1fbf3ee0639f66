"""All checks. Adding one: a file with a `CHECK`, a line here, a test that it fires and one that it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.views.advice.checks.allocator import CHECK as ALLOCATOR
from tb_plugin.views.advice.checks.conv_bias import CHECK as CONV_BIAS
from tb_plugin.views.advice.checks.copies import EXPOSED as EXPOSED_COPIES
from tb_plugin.views.advice.checks.copies import PAGEABLE as PAGEABLE_COPIES
from tb_plugin.views.advice.checks.data_loader import CHECK as DATA_LOADER
from tb_plugin.views.advice.checks.data_parallel import CHECK as DATA_PARALLEL
from tb_plugin.views.advice.checks.exposed_communication import CHECK as EXPOSED_COMMUNICATION
from tb_plugin.views.advice.checks.extra_copy import CHECK as EXTRA_COPY
from tb_plugin.views.advice.checks.few_blocks import CHECK as FEW_BLOCKS
from tb_plugin.views.advice.checks.fp32_matmul import CHECK as FP32_MATMUL
from tb_plugin.views.advice.checks.fragmentation import CHECK as FRAGMENTATION
from tb_plugin.views.advice.checks.host_bound import CHECK as HOST_BOUND
from tb_plugin.views.advice.checks.loop_indexing import CHECK as LOOP_INDEXING
from tb_plugin.views.advice.checks.low_occupancy import CHECK as LOW_OCCUPANCY
from tb_plugin.views.advice.checks.matmul_dims import CHECK as MATMUL_DIMS
from tb_plugin.views.advice.checks.memory_limit import CHECK as MEMORY_LIMIT
from tb_plugin.views.advice.checks.recompilation import CHECK as RECOMPILATION
from tb_plugin.views.advice.checks.single_tensor_optimizer import CHECK as SINGLE_TENSOR_OPTIMIZER
from tb_plugin.views.advice.checks.small_copies import CHECK as SMALL_COPIES
from tb_plugin.views.advice.checks.synchronising import CHECK as SYNCHRONISING
from tb_plugin.views.advice.checks.synchronized_loader import CHECK as SYNCHRONIZED_LOADER
from tb_plugin.views.advice.checks.zeroed_gradients import CHECK as ZEROED_GRADIENTS

if TYPE_CHECKING:
    from tb_plugin.views.advice.check import Check

ALL: Final[tuple[Check, ...]] = (
    DATA_LOADER,
    HOST_BOUND,
    SYNCHRONISING,
    PAGEABLE_COPIES,
    EXPOSED_COPIES,
    SMALL_COPIES,
    EXPOSED_COMMUNICATION,
    FEW_BLOCKS,
    LOW_OCCUPANCY,
    RECOMPILATION,
    ALLOCATOR,
    FRAGMENTATION,
    MEMORY_LIMIT,
    DATA_PARALLEL,
    EXTRA_COPY,
    LOOP_INDEXING,
    FP32_MATMUL,
    SINGLE_TENSOR_OPTIMIZER,
    SYNCHRONIZED_LOADER,
    ZEROED_GRADIENTS,
    CONV_BIAS,
    MATMUL_DIMS,
)
