"""Kinds of event, as data: which category of a Kineto file is what.

A new category or vendor is a row here. A category that is not listed and that no suffix rule knows becomes `UNKNOWN`:
it is shown and counted, never dropped.
"""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from tb_plugin.trace.memory_names import HELD_BEFORE, MEMORY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tb_plugin.base.units import BoolArray


class Kind(IntEnum):
    """What an event is. Stored as uint8; numbers are part of the stored format and are never reused."""

    UNKNOWN = 0
    OPERATOR = 1
    ANNOTATION = 2  # record_function ranges of the user or of torch, ProfilerStep#N included
    PYTHON = 3  # Python function and nn.Module frames
    RUNTIME = 4  # cudaLaunchKernel, hipMemcpyAsync, ...
    DRIVER = 5  # cuLaunchKernel, ...
    KERNEL = 6
    COPY = 7
    SET = 8
    SYNC = 9  # device-side synchronisation and event records
    DEVICE_ANNOTATION = 10  # a host annotation projected on the device's streams
    MEMORY = 11  # one allocation or release, an instant
    OUT_OF_MEMORY = 12
    COUNTER = 13
    OVERHEAD = 14
    SPAN = 15  # the profiler's own window, "PyTorch Profiler (0)"
    INSTANT = 16  # marks without length: "Iteration Start", "Record Window End"
    PROFILER_RANGE = 17  # CUPTI range profiler: counters over a range of kernels


HOST_KINDS: Final = (Kind.OPERATOR, Kind.ANNOTATION, Kind.PYTHON, Kind.RUNTIME, Kind.DRIVER)
"""Ranges on host threads that nest and count as host time."""

LAUNCH_KINDS: Final = (Kind.RUNTIME, Kind.DRIVER)
"""Calls that can start device work, found again by correlation id."""

DEVICE_KINDS: Final = (Kind.KERNEL, Kind.COPY, Kind.SET)
"""Work that keeps a device busy. Annotations and synchronisations on a stream are not work."""

_BY_CATEGORY: Final[dict[str, Kind]] = {
    "operator": Kind.OPERATOR,
    "cpu_op": Kind.OPERATOR,
    "hpu_op": Kind.OPERATOR,
    "user_annotation": Kind.ANNOTATION,
    "python": Kind.PYTHON,
    "python_function": Kind.PYTHON,
    "runtime": Kind.RUNTIME,
    "driver": Kind.DRIVER,
    "kernel": Kind.KERNEL,
    "mtia_ccp_events": Kind.KERNEL,
    "mtia_workloadd": Kind.KERNEL,
    "concurrent_kernel": Kind.KERNEL,
    "collective_comm": Kind.KERNEL,
    "memcpy": Kind.COPY,
    "gpu_memcpy": Kind.COPY,
    "memset": Kind.SET,
    "gpu_memset": Kind.SET,
    "cuda_sync": Kind.SYNC,
    "cuda_event": Kind.SYNC,
    "gpu_user_annotation": Kind.DEVICE_ANNOTATION,
    "cuda_profiler_range": Kind.PROFILER_RANGE,
    "cpu_instant_event": Kind.INSTANT,
    "overhead": Kind.OVERHEAD,
    "mtia_insight": Kind.COUNTER,
    "mtia_counters": Kind.COUNTER,
    "trace": Kind.SPAN,
}

_BY_SUFFIX: Final[tuple[tuple[str, Kind], ...]] = (
    ("_runtime", Kind.RUNTIME),
    ("_driver", Kind.DRIVER),
    ("_kernel", Kind.KERNEL),
    ("_memcpy", Kind.COPY),
    ("_memset", Kind.SET),
)

_BY_NAME: Final[dict[tuple[str, str], Kind]] = {
    ("mtia_ccp_events", "event_wait"): Kind.SYNC,  # a stream waits for another: the device does not work
    ("mtia_ccp_events", "event_record"): Kind.SYNC,
    ("mtia_ccp_events", "dma_request"): Kind.COPY,  # has a direction, as DEVICE_TO_HOST
}
"""Where a category holds several kinds, by category and name."""

STEP_NAME: Final = re.compile(r"ProfilerStep#(\d+)\Z")
"""torch.profiler's own step ranges. The user's own ranges are never steps."""

COLLECTIVE_NAME: Final = re.compile(
    r"nccl|rccl|xccl|hccl|oneccl|ccl_|msccl|cross_device_reduce|(?:one|two)_shot_all_?reduce|multimem_all_|nvshmem", re.IGNORECASE
)
"""A device kernel that is communication, by name. Sample: `ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)`."""

DATA_LOADER_NAME: Final = re.compile(r"enumerate\(Data(Loader|Pipe)\)#")
"""torch's own ranges around the next batch. Sample: `enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__`."""


def kind_of(category: str, phase: str, name: str) -> Kind:
    """The kind of an event with this `cat` (any spelling since 2021), `ph` and `name`."""
    if name in (MEMORY, HELD_BEFORE):
        return Kind.MEMORY
    if name == "[OutOfMemory]":
        return Kind.OUT_OF_MEMORY
    if phase == "C":
        return Kind.COUNTER
    if not category and phase in ("X", "B"):
        return Kind.OPERATOR  # EventList.export_chrome_trace writes no `cat`
    lowered = category.lower()
    kind = _BY_NAME.get((lowered, name)) or _BY_CATEGORY.get(lowered)
    if kind is None:
        kind = next((k for suffix, k in _BY_SUFFIX if lowered.endswith(suffix)), None)
    if kind is None and phase in ("i", "I", "R"):
        return Kind.INSTANT
    if kind is Kind.OPERATOR and STEP_NAME.match(name):
        return Kind.ANNOTATION  # 2021 files have one category for both
    return Kind.UNKNOWN if kind is None else kind


def is_kind(kind: npt.NDArray[np.integer], kinds: Iterable[int]) -> BoolArray:
    """For each entry of a column of kinds: is it one of these? A tenth of the time of `np.isin`."""
    result: BoolArray = _table(tuple(kinds)).take(kind)
    return result


@lru_cache(maxsize=64)
def _table(kinds: tuple[int, ...]) -> BoolArray:
    """One entry for each number that a uint8 can be."""
    table: BoolArray = np.bincount(kinds, minlength=1 << 8) > 0
    return table
