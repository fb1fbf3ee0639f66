"""How and where a profile was recorded: what has to be said before any difference between two."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.trace.json_text import list_of
from tb_plugin.trace.kinds import DEVICE_KINDS, LAUNCH_KINDS, Kind, is_kind
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.scope.recorded import HOST, MEMORY, SHAPES, STACKS
from tb_plugin.trace.scope.recording import is_cut_off
from tb_plugin.trace.times.idle import device_work
from tb_plugin.trace.times.step_windows import queued_before
from tb_plugin.trace.work.taxonomy import Category, category_by_row

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

_COMPILED: Final = re.compile(r"CompiledFunction|CompiledFxGraph|Torch-Compiled Region|triton_")
_GRAPH_LAUNCH: Final = re.compile(r"(?:cuda|hip|cu)GraphLaunch")
_RUNTIMES: Final = {"cuda_runtime_version": "CUDA", "hip_runtime_version": "HIP"}


class RecordedAs(msgspec.Struct, frozen=True, kw_only=True):
    """How and where it was recorded. None is "not recorded"."""

    source: str
    device: str | None  # "NVIDIA H100 80GB HBM3", of the devices that worked
    n_devices: int
    rank: int | None
    world_size: int | None
    torch_version: str | None
    runtime: str | None  # "CUDA 12.4", "HIP 6.4"
    has_operators: bool
    has_stacks: bool
    has_shapes: bool
    has_memory: bool
    batch_elements: int | None  # input elements of the first product or convolution of a step
    is_compiled: bool
    has_graphs: bool
    unlinked_share: float  # of device time: no launch in the file, though it stood in no queue of before
    is_cut_off: bool
    issues: list[str]
    base_ns: int | None = None  # Unix time of its time 0; None: kept before this was asked


def recorded_as(trace: Trace, first_ns: int) -> RecordedAs:
    """`first_ns`: when the first step compared begins."""
    events = trace.events
    used = list(device_work(trace))
    listed = {device.name for device in trace.info.devices if device.name}
    names = sorted({device.name for device in trace.info.devices if device.index in used and device.name})
    if used and not names and len(listed) == 1:  # numbers of the file's list and of its events differ
        names = sorted(listed)
    work = np.flatnonzero(is_kind(events.kind, DEVICE_KINDS))
    duration = events.duration_ns(work)
    is_lost = (events.launch[work] == NONE) & (events.owner[work] == NONE) & ~np.isin(work, queued_before(trace))
    unlinked = int(duration[is_lost].sum())
    calls = np.flatnonzero(is_kind(events.kind, LAUNCH_KINDS))
    operators = np.flatnonzero(is_kind(events.kind, (Kind.OPERATOR, Kind.KERNEL)))
    return RecordedAs(
        source=trace.info.source,
        device=", ".join(names) or None,
        n_devices=len(used),
        rank=trace.info.rank,
        world_size=trace.info.world_size,
        torch_version=trace.info.torch_version,
        runtime=_runtime(trace),
        has_operators=HOST.is_there(trace),
        has_stacks=STACKS.is_recorded(trace),
        has_shapes=SHAPES.is_recorded(trace),
        has_memory=MEMORY.is_recorded(trace),
        batch_elements=_batch_elements(trace, first_ns),
        is_compiled=bool(rows_named(trace, operators, _COMPILED.match).any()),
        has_graphs=bool(rows_named(trace, calls, _GRAPH_LAUNCH.match).any()),
        unlinked_share=unlinked / max(int(duration.sum()), 1),
        is_cut_off=is_cut_off(trace),
        issues=sorted({issue.kind for issue in trace.issues}),
        base_ns=trace.info.base_ns,
    )


def _runtime(trace: Trace) -> str | None:
    for key, title in _RUNTIMES.items():
        version = trace.info.metadata.get(key)
        if isinstance(version, int) and version > 0:
            major, minor = (
                (version // 1000, version % 1000 // 10) if title == "CUDA" else (version // 10**7, version // 10**5 % 100)
            )
            return f"{title} {major}.{minor}"
    return None


def _batch_elements(trace: Trace, first_ns: int) -> int | None:
    """Elements of the first input of the first operator of the step that multiplies: it has the batch in it."""
    events = trace.events
    rows = np.flatnonzero((events.kind == Kind.OPERATOR) & (events.shapes_id != NONE) & (events.start_ns >= first_ns))
    rows = rows[np.isin(category_by_row(trace)[rows], (Category.MATMUL, Category.CONVOLUTION))]
    if len(rows) == 0:
        return None
    first = rows[np.argmin(events.start_ns[rows])]
    shapes = list_of(trace.text(int(events.shapes_id[first])))
    sizes = next((shape for shape in shapes if isinstance(shape, list) and shape), None)
    if sizes is None or not all(isinstance(size, int) for size in sizes):
        return None
    return math.prod(sizes)
