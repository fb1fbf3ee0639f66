"""What checks need to have been recorded, in the words of the page, with the option that records it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.trace.kinds import Kind
from tb_plugin.views.advice.check import Need

if TYPE_CHECKING:
    from tb_plugin.views.advice.facts import Facts


def _has_types(facts: Facts) -> bool:
    return bool((facts.trace.events.types_id != NONE).any())


def _has_blocks_per_sm(facts: Facts) -> bool:
    return bool(np.isfinite(facts.trace.work.blocks_per_sm).any())


def _has_device_memory(facts: Facts) -> bool:
    """Out of memory is known without either."""
    has_size = any(device.memory_bytes for device in facts.trace.info.devices)
    return facts.has(Kind.OUT_OF_MEMORY) or (has_size and bool((facts.trace.memory.device_type > 0).any()))


HOST: Final = Need("host operators", "activities=[ProfilerActivity.CPU, ...]", lambda facts: facts.has(Kind.OPERATOR))
DEVICE: Final = Need(
    "device activity", "activities=[..., ProfilerActivity.CUDA] (or XPU, ...)", lambda facts: len(facts.device_rows) > 0
)
LAUNCHES: Final = Need(
    "calls to the device's runtime",
    "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]",
    lambda facts: facts.has(Kind.RUNTIME, Kind.DRIVER),
    part_of=DEVICE,
)
MEMORY: Final = Need(
    "device memory and its size", "profile_memory=True, on a device whose size the file names", _has_device_memory
)
RESERVED: Final = Need(
    "reserved device memory",
    "profile_memory=True, on a device",
    lambda facts: bool(((facts.trace.memory.device_type > 0) & (facts.trace.memory.total_reserved > 0)).any()),
)
FRAMES: Final = Need("Python stacks", "with_stack=True", lambda facts: facts.has(Kind.PYTHON))
SHAPES: Final = Need("input shapes and types", "record_shapes=True", _has_types)
OCCUPANCY: Final = Need(
    "achieved occupancy",
    "recorded with kernels on CUDA devices only",
    lambda facts: bool(np.isfinite(facts.trace.work.occupancy_percent).any()),
    part_of=DEVICE,
)
BLOCKS: Final = Need("blocks per SM", "recorded with kernels on CUDA devices only", _has_blocks_per_sm, part_of=DEVICE)
