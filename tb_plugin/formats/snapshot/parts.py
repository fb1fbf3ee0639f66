"""What of a memory snapshot is read, typed. Fields that other versions of torch write besides are left alone."""

from __future__ import annotations

from typing import Any

import msgspec


class Block(msgspec.Struct, frozen=True):
    """A piece of a segment, in the order of addresses. `state`: active_allocated, inactive, or waiting to become free."""

    size: int
    state: str
    requested_size: int | None = None  # absent before torch 2.1
    address: int | None = None
    frames: Any = None


class Segment(msgspec.Struct, frozen=True):
    """Memory that the allocator has of the device."""

    total_size: int
    address: int | None = None
    device: int = 0
    stream: int = 0
    segment_type: str = ""
    is_expandable: bool = False
    blocks: list[Block] = []


class Entry(msgspec.Struct, frozen=True):
    """One action of the allocator."""

    action: str
    size: int = 0
    addr: int = 0
    stream: int = 0
    frames: Any = None
    time_us: float | None = None
    device_free: int | None = None


class Snapshot(msgspec.Struct, frozen=True):
    """State at the end and, per device, what led to it."""

    segments: list[Segment] = []
    device_traces: list[list[Entry]] = []
