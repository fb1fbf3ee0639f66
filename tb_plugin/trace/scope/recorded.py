"""What can be recorded, each once: its name, the option that records it, and how to tell that it is there.

A new one is a row here. A view that needs it says `SHAPES.lack(trace)`, and shows the sentence.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.trace import vendors
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.kinds import DEVICE_KINDS, LAUNCH_KINDS, Kind
from tb_plugin.trace.modules.paths import has_modules
from tb_plugin.trace.scope.recording import Recording, is_cut_off

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tb_plugin.trace.model import Trace

HOW_TO_RECORD: Final = """\
import torch
from tb_plugin import tensorboard_trace_handler

with torch.profiler.profile(
    # Two steps pass, three are recorded: a second to read; a thousand take minutes.
    schedule=torch.profiler.schedule(wait=1, warmup=1, active=3, repeat=1),
    on_trace_ready=tensorboard_trace_handler("logs/my_run", model=model),  # modules by name
    # Device times hold with all of these. The host gets slower: a step of small
    # operators took 1.4 times as long with none of them, 1.8 times with all three.
    record_shapes=True,  # sizes of inputs: FLOPs, roofline, advice
    profile_memory=True,  # who holds memory when
    with_stack=True,  # your lines and modules; the dearest, most of the file's size
) as profiler:
    for batch in loader:
        train_step(batch)
        profiler.step()"""
"""Lines for a user who has no profile yet: every view has what it needs. `model`, `loader` and `train_step` are theirs."""

_OPERATORS_WITH_STACKS: Final = 8
"""So many tell whether operators have a "Call stack": it is a stored argument, which costs a look into the file."""

_ACTIVITIES: Final = tuple(dict.fromkeys(vendor.torch.activity for vendor in vendors.ALL))
"""Those of `torch.profiler.ProfilerActivity` that record an accelerator, the most common first. `("CUDA", "XPU", ...)`."""

_NO_CALL: Final = "no module was called through its __call__"
_ON_DEVICE: Final = f"activities=[ProfilerActivity.CPU, ProfilerActivity.{_ACTIVITIES[0]}] (or {_ACTIVITIES[1]}, ...)"
_ON_CUDA: Final = "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA] on a CUDA device"


def _has(kinds: Iterable[int]) -> Callable[[Trace], bool]:
    wanted = frozenset(kinds)
    return lambda trace: not wanted.isdisjoint(_kinds(trace))


@once_per_trace
def _kinds(trace: Trace) -> frozenset[int]:
    return frozenset(np.flatnonzero(np.bincount(trace.events.kind)).tolist())


@once_per_trace
def _has_stacks(trace: Trace) -> bool:
    """Files of 2021 have no Python frames but a "Call stack" on operators; a few of these tell."""
    if Kind.PYTHON in _kinds(trace):
        return True
    operators = np.flatnonzero(trace.events.kind == Kind.OPERATOR)[:_OPERATORS_WITH_STACKS]
    return any(True for _ in trace.args.texts(trace.events.order, operators, "Call stack")[1])


def _has_device_memory(trace: Trace) -> bool:
    """Out of memory is known without either."""
    has_size = any(device.memory_bytes for device in trace.info.devices)
    return Kind.OUT_OF_MEMORY in _kinds(trace) or (has_size and bool((trace.memory.device_type > 0).any()))


def _no_frames(trace: Trace) -> str | None:
    # 1.11 is the first torch that traces Python's calls.
    return "torch before 1.11 wrote stacks as texts of operators. Record with a newer one" if _has_stacks(trace) else None


def _no_modules(trace: Trace) -> str | None:
    return _NO_CALL if Kind.PYTHON in _kinds(trace) else _no_frames(trace)


def _counters_instead(trace: Trace) -> str | None:
    """CUPTI's range profiler writes no kernels: a range for each, which lasts as long as its counters were read."""
    if Kind.PROFILER_RANGE not in _kinds(trace):
        return None
    return "hardware counters were read, which have a range for each kernel and none of its times. Record once without them"


def _not_of_cuda(trace: Trace) -> str | None:
    return "it comes with kernels of CUDA devices alone" if DEVICE.is_there(trace) else None


_LONG_NUMBER: Final = re.compile(r"ProfilerStep#\d{19,}\Z")


@once_per_trace
def _has_longer_numbers(trace: Trace) -> bool:
    return any(_LONG_NUMBER.match(text) for text in trace.strings)


def _numbers_too_long(trace: Trace) -> str | None:
    return "the numbers of its ProfilerStep# ranges have more than 18 digits" if _has_longer_numbers(trace) else None


HOST: Final = Recording(
    id="operators", what="host operators", how="activities=[ProfilerActivity.CPU, ...]", is_there=_has([Kind.OPERATOR])
)
DEVICE: Final = Recording(
    id="device",
    what="device activity",
    how=_ON_DEVICE,
    is_many=False,
    is_there=_has(DEVICE_KINDS),
    because=_counters_instead,
)
LAUNCHES: Final = Recording(
    id="launches", what="calls to the device's runtime", how=_ON_DEVICE, is_there=_has(LAUNCH_KINDS), part_of=DEVICE
)
STEPS: Final = Recording(
    id="steps",
    what="steps",
    how="prof.step() after every step and schedule=..., without which torch writes no steps",
    is_there=lambda trace: len(trace.steps) > 0,
    because=_numbers_too_long,
)
SHAPES: Final = Recording(
    id="shapes",
    what="input shapes",
    how="record_shapes=True",
    options=("record_shapes",),
    is_there=lambda trace: bool((trace.events.shapes_id != NONE).any()),
)
TYPES: Final = Recording(
    id="types",
    what="input shapes and types",
    how="record_shapes=True",
    options=("record_shapes",),
    is_there=lambda trace: bool((trace.events.types_id != NONE).any()),
)
STACKS: Final = Recording(
    id="stacks",
    what="Python stacks",
    how="with_stack=True",
    options=("with_stack",),
    is_there=_has_stacks,
)
FRAMES: Final = Recording(
    id="frames",
    what="Python stacks with times",
    how="with_stack=True",
    options=("with_stack",),
    is_there=_has([Kind.PYTHON]),
    because=_no_frames,
)
MODULES: Final = Recording(
    id="modules",
    what="modules",
    how="with_stack=True, or with_modules=True for TorchScript",
    options=("with_stack", "with_modules"),
    nothing=_NO_CALL,
    is_there=has_modules,
    because=_no_modules,
)
MEMORY: Final = Recording(
    id="memory",
    what="memory",
    how="profile_memory=True",
    is_many=False,
    options=("profile_memory",),
    nothing="nothing was allocated or released meanwhile; what was held before is unknown",
    is_there=lambda trace: len(trace.memory) > 0,
)
DEVICE_MEMORY: Final = Recording(
    id="device_memory",
    what="device memory and its size",
    how="profile_memory=True, on a device whose size the file names",
    is_many=False,
    is_there=_has_device_memory,
)
RESERVED: Final = Recording(
    id="reserved",
    what="reserved device memory",
    how="profile_memory=True, on a device",
    is_many=False,
    is_there=lambda trace: bool(((trace.memory.device_type > 0) & (trace.memory.total_reserved > 0)).any()),
)
FLOPS: Final = Recording(
    id="flops",
    what="FLOP estimates",
    how="with_flops=True",
    options=("with_flops",),
    is_there=lambda trace: trace.info.with_flops is True,  # no event holds them: torch's table computes them where it was on
)
RANKS: Final = Recording(
    id="ranks",
    what="distributed ranks",
    how="torch.distributed.init_process_group() before the profiler starts",
    is_there=lambda trace: trace.info.rank is not None,
)
TENSORS: Final = Recording(
    id="tensors",
    what="tensor ids",
    how="record_shapes=True, profile_memory=True, with_stack=True and tb_plugin.tensorboard_trace_handler",
    is_there=lambda trace: len(trace.tensors) > 0,
)
TF32: Final = Recording(
    id="tf32",
    what="settings of TF32",
    how="record_shapes=True and tb_plugin.tensorboard_trace_handler",
    is_there=lambda trace: bool((trace.live.allow_tf32 >= 0).any()),
)
OCCUPANCY: Final = Recording(
    id="occupancy",
    what="achieved occupancy",
    how=_ON_CUDA,
    is_many=False,
    is_there=lambda trace: bool(np.isfinite(trace.work.occupancy_percent).any()),
    because=_not_of_cuda,
    part_of=DEVICE,
)
BLOCKS: Final = Recording(
    id="blocks",
    what="blocks per SM",
    how=_ON_CUDA,
    is_there=lambda trace: bool(np.isfinite(trace.work.blocks_per_sm).any()),
    because=_not_of_cuda,
    part_of=DEVICE,
)

WHOLE: Final = Recording(
    id="whole",
    what="the end of the profile",
    how="the file as it was written",
    is_many=False,
    is_there=lambda trace: not is_cut_off(trace),
)
"""What is told by what is missing: in a file that is cut off a device only seems idle."""

SHOWN: Final = (HOST, DEVICE, STEPS, SHAPES, STACKS, MODULES, MEMORY, FLOPS, RANKS)
"""What everybody can switch on, as the overview lists it."""

ALL: Final = (*SHOWN, LAUNCHES, TYPES, FRAMES, DEVICE_MEMORY, RESERVED, TENSORS, TF32, OCCUPANCY, BLOCKS)
