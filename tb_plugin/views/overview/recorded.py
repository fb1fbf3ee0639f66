"""What a profile holds, and the option that switches on what it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.trace.kinds import DEVICE_KINDS, Kind, is_kind
from tb_plugin.trace.names import rows_named
from tb_plugin.views.overview.result import Recorded

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

_LOOKED_AT = 8


def recorded(trace: Trace) -> list[Recorded]:
    """A thing is recorded when its data are there, or when the file says that its option was on."""
    info, kind = trace.info, trace.events.kind
    frames = np.flatnonzero(kind == Kind.PYTHON)
    has_modules = bool(rows_named(trace, frames, lambda name: name.startswith("nn.Module: ")).any())
    facts = (
        ("host operators", bool((kind == Kind.OPERATOR).any()), "activities=[ProfilerActivity.CPU, ...]"),
        ("device activity", bool(is_kind(kind, DEVICE_KINDS).any()), "activities=[ProfilerActivity.CUDA, ...] (or XPU, ...)"),
        ("steps", len(trace.steps) > 0, "profiler.step() after every step of the loop"),
        ("input shapes", info.record_shapes is True or bool((trace.events.shapes_id != NONE).any()), "record_shapes=True"),
        ("Python stacks", info.with_stack is True or len(frames) > 0 or _has_call_stacks(trace), "with_stack=True"),
        ("modules", info.with_modules is True or has_modules, "with_stack=True (with_modules=True for TorchScript)"),
        ("memory", info.profile_memory is True or len(trace.memory) > 0, "profile_memory=True"),
        ("FLOP estimates", info.with_flops is True, "with_flops=True"),
        ("distributed ranks", info.rank is not None, "torch.distributed.init_process_group() before the profiler starts"),
    )
    return [Recorded(what=what, recorded=is_recorded, how=how) for what, is_recorded, how in facts]


def _has_call_stacks(trace: Trace) -> bool:
    """Files of 2021 have no Python frames but a "Call stack" on operators; a few of these tell."""
    operators = np.flatnonzero(trace.events.kind == Kind.OPERATOR)[:_LOOKED_AT]
    return any(trace.args.get(order).get("Call stack") for order in trace.events.order[operators].tolist())
