"""What the memory view is asked and answers; the wire format of `view/memory`."""

from __future__ import annotations

from typing import Literal

import msgspec

from tb_plugin.trace.selection import Selection

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
    points: int = 1000  # buckets of the curve
    top: int = 2000  # groups listed; the others are summed


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


class MemoryCurve(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes from each time on until the next: the first, lowest, highest and last of each bucket, as recorded."""

    time_ns: list[int]
    allocated_bytes: list[int]
    reserved_bytes: list[int] | None


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

    name: str | None
    via: str | None  # the allocating call inside an operator: `aten::empty`, ...
    frames: list[str]  # of a stack, innermost first
    allocations: int
    allocated_bytes: int
    largest_bytes: int | None  # None: it allocated nothing
    releases: int
    released_bytes: int
    increase_bytes: int  # allocated minus released
    never_released: int | None  # None, also below: the file has no addresses
    never_released_bytes: int | None
    alive: int | None  # allocated by it and alive at the instant
    alive_bytes: int | None


class MemoryGrouping(msgspec.Struct, frozen=True, kw_only=True):
    """By what can be grouped. `missing` says why not, and how to record it."""

    id: str
    title: str
    missing: str | None


class MemorySegment(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of the device's memory that the allocator had at the end."""

    address: int
    stream: int
    kind: str
    total_bytes: int
    allocated_bytes: int  # blocks that tensors hold, as rounded up by the allocator
    requested_bytes: int  # of these, what was asked for
    awaiting_bytes: int  # released, and still in use by another stream
    free_bytes: int
    free_blocks: int
    largest_free_bytes: int
    blocks: int


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
    groupings: list[MemoryGrouping]
    groups: list[MemoryGroup]
    others: MemoryGroup | None  # the groups that are not listed, together
    n_groups: int
    segments: MemorySegments | None
    out_of_memory: int  # times that an allocator failed, any device
    notes: list[str]
