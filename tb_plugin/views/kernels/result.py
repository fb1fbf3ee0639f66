"""What the kernels view is asked and answers; the wire format of `view/kernels` and `view/kernels/details`."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import msgspec

from tb_plugin.question.effects import EffectRows
from tb_plugin.question.figure import NO_COLUMN, Figure
from tb_plugin.question.listed_event import ListedEvent
from tb_plugin.trace.groupings.grouping import GroupingChoice
from tb_plugin.trace.scope.selection import Selection
from tb_plugin.trace.times.spread import Spread
from tb_plugin.trace.work.device_peaks import PeakText
from tb_plugin.trace.work.taxonomy import CategoryId

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
    effects: EffectRows = 0
    peak: PeakText = ""


class KernelRow(msgspec.Struct, frozen=True, kw_only=True):
    """The work of one group. None is "not recorded", or, of what calls do not agree on, "several"."""

    # of the kernel, operator, module, stream or category; empty: of none ("not attributed", "in no module")
    name: Annotated[str, Figure("Name", "text")]
    kind: Annotated[KernelKind, Figure("Kind", "text")]
    category: Annotated[CategoryId | None, Figure("Category", "text", absent="several")] = None
    # launch grouping only, also grid and block
    operator: Annotated[str | None, Figure("Operator", "text", absent="not attributed")] = None
    grid: Annotated[tuple[int, int, int] | None, Figure("Grid", "dims")] = None
    block: Annotated[tuple[int, int, int] | None, Figure("Block", "dims")] = None
    registers: Annotated[int | None, Figure("Registers", "count", absent="not one value")] = None
    shared_bytes: Annotated[int | None, Figure("Shared memory", "bytes", absent="not one value")] = None
    example: Annotated[int, NO_COLUMN]  # an event row of the group: what `view/kernels/details` is asked with
    names: Annotated[int, Figure("Kernels", "count")]  # by name
    count: Annotated[int, Figure("Calls", "count", sums=True)]
    total_ns: Annotated[int, Figure("Total", "ns", sums=True)]
    mean_ns: Annotated[float, Figure("Mean", "ns")]
    min_ns: Annotated[int, Figure("Min", "ns")]
    max_ns: Annotated[int, Figure("Max", "ns")]
    share: Annotated[float, Figure("Share", "share", sums=True)]  # of total_ns of all rows, 0 to 1
    # means, weighted by duration
    blocks_per_sm: Annotated[float | None, Figure("Blocks / SM", "number")] = None
    occupancy_percent: Annotated[float | None, Figure("Occupancy", "percent", absent="unknown")] = None
    matrix_core: Annotated[
        Literal["yes", "no", "unknown", "several"] | None, Figure("Tensor cores", "text", absent="no kernels")
    ] = None
    # time of kernels that use matrix cores, and of those whose name does not tell
    matrix_ns: Annotated[int, NO_COLUMN] = 0
    matrix_unknown_ns: Annotated[int, NO_COLUMN] = 0
    launch_delay_median_ns: Annotated[float | None, Figure("Launch delay", "ns")] = None
    launch_delay_max_ns: Annotated[int | None, Figure("Max delay", "ns")] = None
    queue_length: Annotated[float | None, Figure("Queue", "number")] = None  # mean
    # copies and sets; per second of those calls that have bytes
    bytes: Annotated[int | None, Figure("Bytes", "bytes", sums=True)] = None
    bytes_per_s: Annotated[float | None, Figure("Bandwidth", "bytes_per_s")] = None
    copy_kind: Annotated[str | None, Figure("Way", "text", absent="–")] = None  # "pageable host to device"
    # of its collectives: what they sent, of which process group, and the highest rate that one rank alone tells of a call
    message_bytes: Annotated[int | None, Figure("Message", "bytes", sums=True)] = None
    n_unsized: Annotated[int, NO_COLUMN] = 0  # of its collectives: those that do not say it
    process_group: Annotated[str | None, Figure("Process group", "text")] = None
    dimension: Annotated[str | None, Figure("Dimension", "text")] = None
    n_without_group: Annotated[int, Figure("Without group", "count", sums=True)] = 0  # of which it is not recorded
    n_without_dimension: Annotated[int, Figure("Without dimension", "count", sums=True)] = 0
    least_bus_bytes_per_s: Annotated[float | None, Figure("Bus rate at least", "bytes_per_s")] = None
    # False: nothing here multiplies, so it has no FLOPs that are counted; those below are then left out, not unknown
    may_multiply: Annotated[bool, NO_COLUMN]
    # of the calls whose shapes are known
    flops: Annotated[int | None, Figure("FLOPs", "flops", absent="unknown")] = None
    flops_per_s: Annotated[float | None, Figure("FLOP/s", "flops_per_s", absent="unknown")] = None
    peak_share: Annotated[float | None, Figure("Of peak", "share", absent="unknown")] = None  # 0 to 1
    # FLOPs over the bytes of the call's inputs, and of the time what reading these once takes at least
    flops_per_byte: Annotated[float | None, Figure("FLOP / byte", "number", absent="unknown")] = None
    bandwidth_share: Annotated[float | None, Figure("Of bandwidth", "share", absent="unknown")] = None
    # of the step, if the row were 10 % faster, by replay; None: not among those that were looked at, or `no_effect` says why
    effect_ns: Annotated[int | None, Figure("Gain of 10 %", "ns", absent="–")] = None
    effect_share: Annotated[float | None, Figure("Effect of 10 %", "share", absent="–")] = None  # 0 to 1


class CategoryTotal(msgspec.Struct, frozen=True, kw_only=True):
    """All work of a category, before the choice of one."""

    category: CategoryId
    count: int
    total_ns: int


class Kernels(msgspec.Struct, frozen=True, kw_only=True):
    """Rows by total time, largest first. `busy_ns` is the union of these events per device, summed over devices."""

    group_by: GroupBy
    kind: ShownKinds
    no_effect: str | None  # why no row has an effect of 10 %, where they were asked for
    rows: list[KernelRow]
    count: int
    total_ns: int
    busy_ns: int
    matrix_ns: int
    matrix_unknown_ns: int
    categories: list[CategoryTotal]  # in drawing order, those that have work
    has_launches: bool  # some of this work was launched by a call in the file
    has_shapes: bool  # input shapes of operators were recorded
    groupings: list[GroupingChoice]
    peak: str | None  # the device and the source of its peaks; None: unknown device


class KernelDetailsParams(KernelsParams, frozen=True, kw_only=True):
    """The row that holds this event, under the same filters and grouping."""

    row: int


class KernelPart(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the group's work. `name` None: of none; `is_rest`: all others together."""

    name: Annotated[str | None, Figure("Name", "text")]
    is_rest: Annotated[bool, NO_COLUMN] = False
    count: Annotated[int, Figure("Calls", "count")]
    total_ns: Annotated[int, Figure("Total", "ns")]
    DERIVED: ClassVar[dict[str, Figure]] = {"share": Figure("Share", "share")}


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


class KernelCollective(msgspec.Struct, frozen=True, kw_only=True):
    """The collectives of one kind and group among the kernels of a row. None is "not recorded"."""

    kind: Annotated[str, Figure("Collective", "text")]
    process_group: Annotated[str | None, Figure("Process group", "text")]
    dimension: Annotated[str | None, Figure("Dimension", "text")]
    n_ranks: Annotated[int | None, Figure("Ranks", "count")]
    n_collectives: Annotated[int, Figure("Calls", "count", sums=True)]
    kernels_ns: Annotated[int, Figure("Total", "ns")]  # one kernel that sends and receives counts for both
    message_bytes: Annotated[int | None, Figure("Message", "bytes", sums=True)]  # of those that say it
    n_unsized: Annotated[int, NO_COLUMN] = 0  # how many do not
    least_bus_bytes_per_s: Annotated[float | None, Figure("Bus rate at least", "bytes_per_s")]  # the highest of them


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
    collectives: list[KernelCollective]  # empty: none
    longest: list[ListedEvent]
