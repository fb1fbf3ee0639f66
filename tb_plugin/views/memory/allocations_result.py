"""What is asked of the list of allocations, and answered; the wire format of `view/memory/allocations`."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from tb_plugin.question.figure import NO_COLUMN, Figure
from tb_plugin.question.question import Amount, UpTo200000
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
    min_bytes: Amount = 0
    sort: SortColumn = "allocated_ns"
    descending: bool = False
    offset: Amount = 0
    limit: UpTo200000 = 200


class MemoryAllocation(msgspec.Struct, frozen=True, kw_only=True):
    """One block. A null time is "before the recording" or "not released in it", as `state` says."""

    row: Annotated[int, NO_COLUMN]  # of the allocation (of a block from before: of its release), for the timeline
    state: Annotated[AllocationState, NO_COLUMN]
    allocated_ns: Annotated[int | None, Figure("Allocated at", "ns")]
    released_ns: Annotated[int | None, Figure("Freed at", "ns")]
    lifetime_ns: Annotated[int | None, Figure("Life time", "ns", absent="not known")]
    bytes: Annotated[int, Figure("Size", "bytes")]
    device: Annotated[str, Figure("Device", "text")]
    name: Annotated[str | None, Figure("Allocated in", "text", absent="not attributed")]
    via: Annotated[str | None, Figure("Via", "text", absent="–")]
    module: Annotated[str | None, Figure("Module", "text", absent="not in a module")]
    call_site: Annotated[str | None, Figure("Call site", "text")]
    category: Annotated[str | None, Figure("Category", "text")]  # what it is for
    address: Annotated[str | None, Figure("Address", "text")]  # hexadecimal


class MemoryAllocations(msgspec.Struct, frozen=True, kw_only=True):
    """A window of the list, and what all of it is."""

    offset: int
    matching: MemoryCount  # what the search and the filters leave
    total: MemoryCount  # before them
    rows: list[MemoryAllocation]
    has_addresses: bool  # without, a release is a row of its own (`unknown`)
