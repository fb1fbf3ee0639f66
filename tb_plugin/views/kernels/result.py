"""What the kernels view is asked and answers; the wire format of `view/kernels`."""

from __future__ import annotations

from typing import Literal

import msgspec

KernelKind = Literal["kernel", "communication", "copy", "set"]


class KernelsParams(msgspec.Struct, frozen=True, kw_only=True):
    """Which device rows, and what makes them one row of the table."""

    group_by: Literal["name", "launch"] = "name"  # launch: name, operator, grid, block, registers, shared memory
    kind: Literal["kernel", "copy", "set", "all"] = "kernel"


class KernelRow(msgspec.Struct, frozen=True, kw_only=True):
    """One kernel name, or one way it was launched. None is "not recorded"."""

    name: str
    kind: KernelKind
    operator: str | None = None  # launch grouping only; None is "not attributed"
    grid: tuple[int, int, int] | None = None
    block: tuple[int, int, int] | None = None
    registers: int | None = None
    shared_bytes: int | None = None
    count: int
    total_ns: int
    mean_ns: float
    min_ns: int
    max_ns: int
    share: float  # of total_ns of all rows, 0 to 1
    blocks_per_sm: float | None = None  # mean, weighted by duration
    occupancy_percent: float | None = None  # mean, weighted by duration
    bytes: int | None = None  # copies and sets


class Kernels(msgspec.Struct, frozen=True, kw_only=True):
    """Rows by total time, largest first. `busy_ns` is the union of these events per device, summed over devices."""

    group_by: Literal["name", "launch"]
    kind: Literal["kernel", "copy", "set", "all"]
    rows: list[KernelRow]
    count: int
    total_ns: int
    busy_ns: int
