"""What the kernels view is asked and answers; the wire format of `view/kernels` and `view/kernels/details`."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from tb_plugin.trace.selection import Selection
from tb_plugin.trace.spread import Spread
from tb_plugin.trace.taxonomy import CategoryId

KernelKind = Literal["kernel", "communication", "copy", "set", "several"]
GroupBy = Literal["name", "launch", "operator", "module", "stream", "category"]
ShownKinds = Literal["kernel", "copy", "set", "all"]


class KernelsParams(Selection, frozen=True, kw_only=True):
    """Which device rows, and what makes them one row of the table.

    `launch`: name, operator, grid, block, registers, shared memory. `category`: an id; empty is all of them.
    """

    group_by: GroupBy = "name"
    kind: ShownKinds = "kernel"
    category: Annotated[str, msgspec.Meta(description="only work of this category, as matmul")] = ""


class KernelRow(msgspec.Struct, frozen=True, kw_only=True):
    """The work of one group. None is "not recorded", or, of what calls do not agree on, "several"."""

    name: str  # of the kernel, operator, module, stream or category; empty: of none ("not attributed", "in no module")
    kind: KernelKind
    category: CategoryId | None = None
    operator: str | None = None  # launch grouping only; None is "not attributed"
    grid: tuple[int, int, int] | None = None  # launch grouping only
    block: tuple[int, int, int] | None = None
    registers: int | None = None
    shared_bytes: int | None = None
    example: int  # an event row of the group: what `view/kernels/details` is asked with
    names: int  # how many kernels, by name
    count: int
    total_ns: int
    mean_ns: float
    min_ns: int
    max_ns: int
    share: float  # of total_ns of all rows, 0 to 1
    blocks_per_sm: float | None = None  # mean, weighted by duration
    occupancy_percent: float | None = None  # mean, weighted by duration
    matrix_core: Literal["yes", "no", "unknown", "several"] | None = None  # None: no kernels
    matrix_ns: int = 0  # time of kernels that use matrix cores
    matrix_unknown_ns: int = 0  # time of kernels whose name does not tell
    launch_delay_median_ns: float | None = None
    launch_delay_max_ns: int | None = None
    queue_length: float | None = None  # mean
    bytes: int | None = None  # copies and sets
    bytes_per_s: float | None = None  # of those calls that have bytes
    copy_kind: str | None = None  # "pageable host to device"
    flops: int | None = None  # of the calls whose shapes are known
    flops_per_s: float | None = None
    peak_share: float | None = None  # 0 to 1
    flops_per_byte: float | None = None  # FLOPs over the bytes of the call's inputs
    bandwidth_share: float | None = None  # of the time, what reading these inputs once takes at least


class CategoryTotal(msgspec.Struct, frozen=True, kw_only=True):
    """All work of a category, before the choice of one."""

    category: CategoryId
    count: int
    total_ns: int


class Kernels(msgspec.Struct, frozen=True, kw_only=True):
    """Rows by total time, largest first. `busy_ns` is the union of these events per device, summed over devices."""

    group_by: GroupBy
    kind: ShownKinds
    rows: list[KernelRow]
    count: int
    total_ns: int
    busy_ns: int
    matrix_ns: int
    matrix_unknown_ns: int
    categories: list[CategoryTotal]  # in drawing order, those that have work
    has_launches: bool  # some of this work was launched by a call in the file
    has_shapes: bool  # input shapes of operators were recorded
    has_modules: bool
    peak: str | None  # the device and the source of its peaks; None: unknown device


class KernelDetailsParams(KernelsParams, frozen=True, kw_only=True):
    """The row that holds this event, under the same filters and grouping."""

    row: int


class KernelPart(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the group's work. `name` None: of none; `is_rest`: all others together."""

    name: str | None
    is_rest: bool = False
    count: int
    total_ns: int


class KernelLaunch(msgspec.Struct, frozen=True, kw_only=True):
    """Work launched with one shape. All None: not recorded."""

    grid: tuple[int, int, int] | None
    block: tuple[int, int, int] | None
    registers: int | None
    shared_bytes: int | None
    is_rest: bool = False
    count: int
    total_ns: int
    blocks_per_sm: float | None
    occupancy_percent: float | None


class KernelCall(msgspec.Struct, frozen=True, kw_only=True):
    """One kernel, copy or set to look at in the timeline."""

    row: int
    name: str
    start_ns: int
    duration_ns: int


class KernelDetails(msgspec.Struct, frozen=True, kw_only=True):
    """Lists by time, largest first; what is beyond the 40th is one entry, the rest, so that every list adds up."""

    count: int
    total_ns: int
    spread: Spread | None
    names: list[KernelPart]
    operators: list[KernelPart]
    modules: list[KernelPart]  # empty: no module recorded
    call_sites: list[KernelPart]  # empty: no call site known
    streams: list[KernelPart]
    launches: list[KernelLaunch]
    longest: list[KernelCall]
