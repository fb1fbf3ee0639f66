"""What the memory view is asked and answers; the wire format of `view/memory`."""

from __future__ import annotations

from typing import Literal

import msgspec


class MemoryParams(msgspec.Struct, frozen=True, kw_only=True):
    """Which device, which stretch of time, and the instant to look at."""

    device: str | None = None  # `cuda:0`, `cpu`; None: the accelerator with the highest peak, else the CPU
    t0_ns: int | None = None  # range [t0_ns, t1_ns); None: the whole recording
    t1_ns: int | None = None
    at_ns: int | None = None  # whose blocks are listed; None: the peak of the range
    points: int = 1000  # buckets of the curve
    top: int = 200  # blocks listed


class MemoryDevice(msgspec.Struct, frozen=True, kw_only=True):
    """One device with memory events. Peaks are of the range."""

    id: str
    title: str
    n_events: int
    peak_allocated_bytes: int
    peak_ns: int
    peak_reserved_bytes: int | None  # None: the allocator does not say (the CPU's keeps nothing in reserve)
    peak_reserved_ns: int | None
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


class MemoryBlock(msgspec.Struct, frozen=True, kw_only=True):
    """One allocation that is alive at the instant. `name` None is "not attributed"."""

    row: int  # of the allocation, for the timeline
    name: str | None
    via: str | None
    bytes: int
    allocated_ns: int
    released_ns: int | None  # None: not released in the recording
    lifetime_ns: int | None


class MemoryHeld(msgspec.Struct, frozen=True, kw_only=True):
    """What is alive at one instant. Its parts (`known`, `earlier`, `rest_bytes`) add up to `allocated_bytes`."""

    time_ns: int
    is_peak: bool
    row: int | None  # of the event that reached it; None at the start of the recording
    allocated_bytes: int
    reserved_bytes: int | None
    fragmentation_bytes: int | None  # reserved and not allocated
    known: MemoryCount | None  # allocated in the recording; None: the file has no addresses
    earlier: MemoryCount | None  # allocated before the recording, released in it
    rest_bytes: int | None  # allocated before the recording and never released in it
    blocks: list[MemoryBlock]  # the largest of `known`


class MemoryOperator(msgspec.Struct, frozen=True, kw_only=True):
    """What one operator did to the device's memory in the range. `name` None is "not attributed"."""

    name: str | None
    via: str | None  # the allocating call inside it: `aten::empty`, ...
    allocations: int
    allocated_bytes: int
    releases: int
    released_bytes: int
    increase_bytes: int  # allocated minus released
    alive: int | None  # allocated by it and alive at the instant; None: the file has no addresses
    alive_bytes: int | None


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
    operators: list[MemoryOperator]
    out_of_memory: int  # times that an allocator failed, any device
    notes: list[str]
