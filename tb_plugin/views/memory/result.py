"""What the memory view is asked and answers; the wire format of `view/memory`."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import msgspec

from tb_plugin.question.figure import NO_COLUMN, Figure
from tb_plugin.question.question import UpTo20000
from tb_plugin.trace.groupings.grouping import GroupingChoice
from tb_plugin.trace.scope.selection import Selection

GroupBy = Literal["operator", "module", "call_site", "stack", "category"]


class MemoryWhere(Selection, frozen=True, kw_only=True):
    """Which device, which stretch of time, and the instant to look at. Filters say which allocations and releases count."""

    device: str | None = None  # `cuda:0`, `cpu`; None: the accelerator with the highest peak, else the CPU
    t0_ns: int | None = None  # range [t0_ns, t1_ns); None: the steps chosen, else the whole recording
    t1_ns: int | None = None
    at_ns: int | None = None  # whose blocks are counted as alive; None: the peak of the range


class MemoryParams(MemoryWhere, frozen=True, kw_only=True):
    """What is alive then is grouped by one of these."""

    group_by: GroupBy | None = None  # None: by operator, or the first that the file has
    points: UpTo20000 = 1000  # buckets of the curve
    top: UpTo20000 = 2000  # groups listed; the others are summed


class MemoryDevice(msgspec.Struct, frozen=True, kw_only=True):
    """One device with memory events. Peaks are of the range."""

    id: str
    title: str
    n_events: int
    peak_allocated_bytes: int
    peak_ns: int
    peak_reserved_bytes: int | None  # None: the allocator does not say (the CPU's keeps nothing in reserve)
    peak_reserved_ns: int | None
    peak_fragmentation_bytes: int | None  # the most that was reserved and not allocated
    peak_fragmentation_ns: int | None
    capacity_bytes: int | None
    no_reserved: str | None  # why there is no reserve, in one sentence; also below
    no_capacity: str | None
    no_addresses: str | None  # without them nobody knows which allocations are alive


class MemoryCurve(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes from each time on until the next: the first, lowest, highest and last of each bucket, as recorded."""

    time_ns: Annotated[list[int], Figure("Time", "ns")]
    allocated_bytes: Annotated[list[int], Figure("Allocated", "bytes")]
    reserved_bytes: Annotated[list[int] | None, Figure("Reserved", "bytes")]

    DERIVED: ClassVar[dict[str, Figure]] = {"fragmentation_bytes": Figure("Fragmentation", "bytes")}


class MemoryCount(msgspec.Struct, frozen=True, kw_only=True):
    """How many, and their bytes together."""

    count: int
    bytes: int


class MemoryHeld(msgspec.Struct, frozen=True, kw_only=True):
    """What is alive at one instant. Its parts (`known`, `earlier`, `rest_bytes`) add up to `allocated_bytes`."""

    time_ns: int
    is_peak: bool
    row: int | None  # of the event that reached it; None at the start of the recording
    allocated_bytes: int
    reserved_bytes: int | None
    fragmentation_bytes: int | None  # reserved and not allocated
    known: MemoryCount | None  # whose allocation the file shows; None: the file has no addresses
    from_before: MemoryCount | None  # of `known`, allocated before the recording (memory snapshots)
    earlier: MemoryCount | None  # allocated before the recording, released in it
    rest_bytes: int | None  # allocated before the recording and never released in it


class MemoryGroup(msgspec.Struct, frozen=True, kw_only=True):
    """What was allocated and released in the range by one operator, module, call site or stack. `name` None: not attributed."""

    name: Annotated[str | None, Figure("Name", "text", absent="not attributed")]
    # the allocating call inside an operator: `aten::empty`, ...
    via: Annotated[str | None, Figure("Via", "text", absent="–")]
    frames: Annotated[list[str], NO_COLUMN]  # of a stack, innermost first
    allocations: Annotated[int, Figure("Allocations", "count", sums=True)]
    allocated_bytes: Annotated[int, Figure("Allocated", "bytes", sums=True)]
    largest_bytes: Annotated[int | None, Figure("Largest", "bytes", absent="–")]  # None: it allocated nothing
    releases: Annotated[int, Figure("Releases", "count", sums=True)]
    released_bytes: Annotated[int, Figure("Released", "bytes", sums=True)]
    increase_bytes: Annotated[int, Figure("Increase", "bytes", sums=True)]  # allocated minus released
    # None, also below: the file has no addresses
    never_released: Annotated[int | None, Figure("Blocks never freed", "count", sums=True)]
    never_released_bytes: Annotated[int | None, Figure("Never freed", "bytes", sums=True)]
    # allocated by it and alive at the instant
    alive: Annotated[int | None, Figure("Blocks alive", "count", sums=True)]
    alive_bytes: Annotated[int | None, Figure("Alive", "bytes", sums=True)]

    DERIVED: ClassVar[dict[str, Figure]] = {"share": Figure("Of allocated", "share", sums=True)}


class MemorySegment(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of the device's memory that the allocator had at the end."""

    address: Annotated[int, Figure("Segment", "text")]
    stream: Annotated[int, Figure("Stream", "number")]
    kind: Annotated[str, Figure("Kind", "text")]
    total_bytes: Annotated[int, Figure("Size", "bytes", sums=True)]
    # blocks that tensors hold, as rounded up by the allocator; of these, what was asked for
    allocated_bytes: Annotated[int, Figure("Allocated", "bytes", sums=True)]
    requested_bytes: Annotated[int, Figure("Requested", "bytes", sums=True)]
    awaiting_bytes: Annotated[int, Figure("Awaiting", "bytes", sums=True)]  # released, and still in use by another stream
    free_bytes: Annotated[int, Figure("Free", "bytes", sums=True)]
    free_blocks: Annotated[int, Figure("Free pieces", "count", sums=True)]
    largest_free_bytes: Annotated[int, Figure("Largest free piece", "bytes")]
    blocks: Annotated[int, Figure("Blocks", "count", sums=True)]


class MemorySegments(msgspec.Struct, frozen=True, kw_only=True):
    """What the allocator had of one device when the snapshot was taken. Only memory snapshots have it."""

    segments: int
    total_bytes: int
    allocated_bytes: int
    requested_bytes: int
    awaiting_bytes: int
    free_bytes: int
    free_blocks: int
    blocks: int
    largest_free_bytes: int
    unused_segments: int  # with nothing allocated: `torch.cuda.empty_cache()` would give them back
    unused_bytes: int
    listed: list[MemorySegment]  # those with the most free


class MemoryUse(msgspec.Struct, frozen=True, kw_only=True):
    """One device in a range, and a line for each other device."""

    device: str
    devices: list[MemoryDevice]
    start_ns: int
    end_ns: int
    window_start_ns: int  # the whole recording
    window_end_ns: int
    totals: Literal["recorded", "summed"]  # summed: the file has no totals; the curve is a running sum, nowhere below 0
    curve: MemoryCurve
    held: MemoryHeld
    allocations: MemoryCount
    releases: MemoryCount
    releases_of_earlier: MemoryCount | None  # releases in the range of what was allocated before the recording
    never_released: MemoryCount | None  # allocations in the range without a release in the recording
    group_by: str
    groupings: list[GroupingChoice]
    groups: list[MemoryGroup]
    others: MemoryGroup | None  # the groups that are not listed, together
    n_groups: int
    segments: MemorySegments | None
    out_of_memory: int  # times that an allocator failed, any device
    notes: list[str]
