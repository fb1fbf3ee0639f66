"""All checks. Adding one: a file with a `CHECK`, a line here, a test that it fires and one that it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.findings.checks.allocator import CHECK as ALLOCATOR
from tb_plugin.findings.checks.amd_matmul import CHECK as AMD_MATMUL
from tb_plugin.findings.checks.between_operators import CHECK as BETWEEN_OPERATORS
from tb_plugin.findings.checks.blocked import CHECK as BLOCKED
from tb_plugin.findings.checks.buckets import CHECK as BUCKETS
from tb_plugin.findings.checks.conv_autotune import CHECK as CONV_AUTOTUNE
from tb_plugin.findings.checks.conv_bias import CHECK as CONV_BIAS
from tb_plugin.findings.checks.copies import EXPOSED as EXPOSED_COPIES
from tb_plugin.findings.checks.copies import PAGEABLE as PAGEABLE_COPIES
from tb_plugin.findings.checks.copies_to_host import CHECK as COPIES_TO_HOST
from tb_plugin.findings.checks.counters import CHECK as COUNTERS
from tb_plugin.findings.checks.data_loader import CHECK as DATA_LOADER
from tb_plugin.findings.checks.data_parallel import CHECK as DATA_PARALLEL
from tb_plugin.findings.checks.decode_bound import CHECK as DECODE_BOUND
from tb_plugin.findings.checks.double_on_device import CHECK as DOUBLE_ON_DEVICE
from tb_plugin.findings.checks.double_precision import CHECK as DOUBLE_PRECISION
from tb_plugin.findings.checks.exposed_communication import CHECK as EXPOSED_COMMUNICATION
from tb_plugin.findings.checks.extra_copy import CHECK as EXTRA_COPY
from tb_plugin.findings.checks.few_blocks import CHECK as FEW_BLOCKS
from tb_plugin.findings.checks.first_wait import CHECK as FIRST_WAIT
from tb_plugin.findings.checks.first_work import CHECK as FIRST_WORK
from tb_plugin.findings.checks.fp32_matmul import CHECK as FP32_MATMUL
from tb_plugin.findings.checks.fragmentation import CHECK as FRAGMENTATION
from tb_plugin.findings.checks.fusable_chain import CHECK as FUSABLE_CHAIN
from tb_plugin.findings.checks.graph_inputs import CHECK as GRAPH_INPUTS
from tb_plugin.findings.checks.host_bound import CHECK as HOST_BOUND
from tb_plugin.findings.checks.host_communication import CHECK as HOST_COMMUNICATION
from tb_plugin.findings.checks.host_line import CHECK as HOST_LINE
from tb_plugin.findings.checks.host_operators import CHECK as HOST_OPERATORS
from tb_plugin.findings.checks.late_ranks import CHECK as LATE_RANKS
from tb_plugin.findings.checks.layout_change import CHECK as LAYOUT_CHANGE
from tb_plugin.findings.checks.loop_indexing import CHECK as LOOP_INDEXING
from tb_plugin.findings.checks.low_occupancy import CHECK as LOW_OCCUPANCY
from tb_plugin.findings.checks.matmul_dims import CHECK as MATMUL_DIMS
from tb_plugin.findings.checks.memory_limit import CHECK as MEMORY_LIMIT
from tb_plugin.findings.checks.mixed_precision import CHECK as MIXED_PRECISION
from tb_plugin.findings.checks.moe_imbalance import CHECK as MOE_IMBALANCE
from tb_plugin.findings.checks.no_sync import CHECK as NO_SYNC
from tb_plugin.findings.checks.normalisation import CHECK as NORMALISATION
from tb_plugin.findings.checks.optimizer_launches import CHECK as OPTIMIZER_LAUNCHES
from tb_plugin.findings.checks.optimizer_time import CHECK as OPTIMIZER_TIME
from tb_plugin.findings.checks.outlier_steps import CHECK as OUTLIER_STEPS
from tb_plugin.findings.checks.python_line import CHECK as PYTHON_LINE
from tb_plugin.findings.checks.recompilation import CHECK as RECOMPILATION
from tb_plugin.findings.checks.recompute import CHECK as RECOMPUTE
from tb_plugin.findings.checks.redundant_copy import CHECK as REDUNDANT_COPY
from tb_plugin.findings.checks.single_tensor_optimizer import CHECK as SINGLE_TENSOR_OPTIMIZER
from tb_plugin.findings.checks.slow_matmul import CHECK as SLOW_MATMUL
from tb_plugin.findings.checks.small_collectives import CHECK as SMALL_COLLECTIVES
from tb_plugin.findings.checks.small_copies import CHECK as SMALL_COPIES
from tb_plugin.findings.checks.small_kernels import CHECK as SMALL_KERNELS
from tb_plugin.findings.checks.start_up import CHECK as START_UP
from tb_plugin.findings.checks.synchronising import CHECK as SYNCHRONISING
from tb_plugin.findings.checks.synchronized_loader import CHECK as SYNCHRONIZED_LOADER
from tb_plugin.findings.checks.unfused_attention import CHECK as UNFUSED_ATTENTION
from tb_plugin.findings.checks.zeroed_gradients import CHECK as ZEROED_GRADIENTS

if TYPE_CHECKING:
    from tb_plugin.findings.check import Check

ALL: Final[tuple[Check, ...]] = (
    COUNTERS,
    START_UP,
    FIRST_WAIT,
    DATA_LOADER,
    HOST_BOUND,
    SMALL_KERNELS,
    HOST_LINE,
    PYTHON_LINE,
    HOST_OPERATORS,
    SYNCHRONISING,
    BLOCKED,
    OUTLIER_STEPS,
    PAGEABLE_COPIES,
    EXPOSED_COPIES,
    SMALL_COPIES,
    COPIES_TO_HOST,
    EXPOSED_COMMUNICATION,
    LATE_RANKS,
    HOST_COMMUNICATION,
    NO_SYNC,
    SMALL_COLLECTIVES,
    MOE_IMBALANCE,
    UNFUSED_ATTENTION,
    LAYOUT_CHANGE,
    NORMALISATION,
    RECOMPUTE,
    FUSABLE_CHAIN,
    OPTIMIZER_LAUNCHES,
    OPTIMIZER_TIME,
    SLOW_MATMUL,
    AMD_MATMUL,
    DECODE_BOUND,
    FIRST_WORK,
    REDUNDANT_COPY,
    GRAPH_INPUTS,
    FEW_BLOCKS,
    LOW_OCCUPANCY,
    RECOMPILATION,
    CONV_AUTOTUNE,
    ALLOCATOR,
    FRAGMENTATION,
    MEMORY_LIMIT,
    DATA_PARALLEL,
    BUCKETS,
    EXTRA_COPY,
    LOOP_INDEXING,
    FP32_MATMUL,
    MIXED_PRECISION,
    DOUBLE_PRECISION,
    DOUBLE_ON_DEVICE,
    SINGLE_TENSOR_OPTIMIZER,
    SYNCHRONIZED_LOADER,
    ZEROED_GRADIENTS,
    BETWEEN_OPERATORS,
    CONV_BIAS,
    MATMUL_DIMS,
)
