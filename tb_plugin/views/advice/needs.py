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


HOST: Final = Need("host operators", "activities=[ProfilerActivity.CPU, ...]", lambda facts: facts.has(Kind.OPERATOR))
DEVICE: Final = Need(
    "device activity", "activities=[..., ProfilerActivity.CUDA] (or XPU, ...)", lambda facts: len(facts.device_rows) > 0
)
LAUNCHES: Final = Need(
    "calls to the device's runtime",
    "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]",
    lambda facts: facts.has(Kind.RUNTIME, Kind.DRIVER),
)
FRAMES: Final = Need("Python stacks", "with_stack=True", lambda facts: facts.has(Kind.PYTHON))
SHAPES: Final = Need("input shapes and types", "record_shapes=True", _has_types)
BLOCKS: Final = Need("blocks per SM", "written by the CUDA profiler only, for each kernel", _has_blocks_per_sm)
