"""What is asked of the list of allocations, and answered; the wire format of `view/memory/allocations`."""

from __future__ import annotations

from typing import Literal

import msgspec

from tb_plugin.views.memory.result import MemoryCount, MemoryWhere

SortColumn = Literal[
    "allocated_ns", "released_ns", "lifetime_ns", "bytes", "device", "name", "via", "module", "call_site", "category", "address"
]
AllocationState = Literal["released", "held", "earlier", "held_before", "unknown"]


class AllocationsParams(MemoryWhere, frozen=True, kw_only=True):
    """A window of the list: rows `offset` to `offset + limit` in this order. `device` None: all devices, unless `alive`.

    Without `alive` what was allocated in the range (of blocks from before: what was released in it), with it what is alive at
    the instant.
    """

    alive: bool = False
    only: Literal["all", "held", "earlier"] = "all"  # held: not released in the recording; earlier: allocated before it
    q: str = ""  # regular expression, searched in operator, module and call site
    min_bytes: int = 0
    sort: SortColumn = "allocated_ns"
    descending: bool = False
    offset: int = 0
    limit: int = 200  # at most 200,000


class MemoryAllocation(msgspec.Struct, frozen=True, kw_only=True):
    """One block. A null time is "before the recording" or "not released in it", as `state` says."""

    row: int  # of the allocation (of a block from before: of its release), for the timeline
    state: AllocationState
    allocated_ns: int | None
    released_ns: int | None
    lifetime_ns: int | None
    bytes: int
    device: str
    name: str | None
    via: str | None
    module: str | None
    call_site: str | None
    category: str | None  # what it is for; None: not recorded
    address: str | None  # hexadecimal


class MemoryAllocations(msgspec.Struct, frozen=True, kw_only=True):
    """A window of the list, and what all of it is."""

    offset: int
    matching: MemoryCount  # what the search and the filters leave
    total: MemoryCount  # before them
    rows: list[MemoryAllocation]
    has_addresses: bool  # without, a release is a row of its own (`unknown`)
