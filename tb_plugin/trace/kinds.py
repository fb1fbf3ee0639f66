"""Kinds of event, the sets of kinds that rules speak of, and names that tell one range from another."""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

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

STEP_NAME: Final = re.compile(r"ProfilerStep#(\d{1,18})\Z")
"""torch.profiler's own step ranges. The user's own ranges are never steps."""

DATA_LOADER_NAME: Final = re.compile(r"enumerate\(Data(Loader|Pipe)\)#")
"""torch's own ranges around the next batch. Sample: `enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__`."""


def is_kind(kind: npt.NDArray[np.integer], kinds: Iterable[int]) -> BoolArray:
    """For each entry of a column of kinds: is it one of these? Comparing takes a tenth of looking each up in a table."""
    result: BoolArray = np.zeros(kind.shape, np.bool_)
    for low, high in _runs(tuple(kinds)):
        result |= kind == low if low == high else (kind >= low) & (kind <= high)
    return result


@lru_cache(maxsize=64)
def _runs(kinds: tuple[int, ...]) -> list[tuple[int, int]]:
    """(first, last) of each run of numbers that follow each other."""
    numbers = sorted({int(each) for each in kinds})
    firsts = [each for each in numbers if each - 1 not in numbers]
    return list(zip(firsts, (each for each in numbers if each + 1 not in numbers), strict=True))
