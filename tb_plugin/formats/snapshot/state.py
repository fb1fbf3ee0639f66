"""What a snapshot says of one device: what each entry changes, and what the segments hold at the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import BoolArray, Int64Array
    from tb_plugin.formats.snapshot.parts import Entry, Segment

HELD: Final = "held"
"""Our own word beside torch's: a block of the end that was allocated before the first entry."""

_ALLOCATED: Final = "active_allocated"
_INACTIVE: Final = "inactive"
_RESERVES: Final[dict[str, int]] = {"segment_alloc": 1, "segment_map": 1, "segment_free": -1, "segment_unmap": -1}
_MOST_LISTED: Final = 2000  # segments listed one by one; their sums are of all


class HeldBlock(NamedTuple):
    """A block that a tensor holds at the end. `requested` bytes were asked for, `size` were given."""

    address: int
    requested: int
    size: int
    stream: int
    frames: Any


@dataclass(frozen=True, kw_only=True)
class Changes:
    """One entry per action: what it adds to what is allocated and reserved. `counts`: it allocates or releases."""

    counts: BoolArray
    allocated: Int64Array
    reserved: Int64Array


def held_blocks(segments: Sequence[Segment]) -> list[HeldBlock]:
    found = []
    for segment in segments:
        address = segment.address or 0
        for block in segment.blocks:
            at = address if block.address is None else block.address
            if block.state == _ALLOCATED:
                requested = block.size if block.requested_size is None else block.requested_size
                found.append(HeldBlock(at, requested, block.size, segment.stream, block.frames))
            address = at + block.size
    return found


def changes(actions: Sequence[str], size: Int64Array, address: Int64Array) -> Changes:
    """A release is the request to free; its completion is one only where the block was still allocated then."""
    word = np.array(actions, np.str_)
    grows = (word == "alloc") | (word == HELD)
    requested, completed = word == "free_requested", word == "free_completed"
    counts = grows | requested
    # The entry before a completion at the same address: an allocation means that no request was seen.
    touching = np.flatnonzero(counts | completed)
    by_address = touching[np.argsort(address[touching], kind="stable")]
    before, now = by_address[:-1], by_address[1:]
    unseen = completed[now] & grows[before] & (address[now] == address[before])
    counts[now[unseen]] = True
    sign = np.array([_RESERVES.get(action, 0) for action in actions], np.int64)
    return Changes(
        counts=counts & (size > 0),
        allocated=np.where(counts, np.where(grows, size, -size), 0),
        reserved=sign * size,
    )


def totals(change: Int64Array, at_end: int) -> Int64Array | None:
    """The total after each change, counted back from what it is at the end; None where that would be below 0."""
    after = at_end - change.sum() + np.cumsum(change)
    return after if after.min(initial=0) >= 0 and at_end - change.sum() >= 0 else None


def summary(device: int, segments: Sequence[Segment]) -> dict[str, Any]:
    """What the segments of a device hold at the end, in bytes; the view's fragmentation. Segments with the most free first."""
    listed = [_segment(segment) for segment in segments]
    listed.sort(key=lambda each: (-each["free_bytes"], each["address"]))
    sums = ("total_bytes", "allocated_bytes", "requested_bytes", "awaiting_bytes", "free_bytes", "free_blocks", "blocks")
    return {
        "device": device,
        "segments": len(listed),
        **{name: sum(each[name] for each in listed) for name in sums},
        "largest_free_bytes": max((each["largest_free_bytes"] for each in listed), default=0),
        "unused_segments": sum(each["free_bytes"] == each["total_bytes"] for each in listed),
        "unused_bytes": sum(each["total_bytes"] for each in listed if each["free_bytes"] == each["total_bytes"]),
        "listed": listed[:_MOST_LISTED],
    }


def _segment(segment: Segment) -> dict[str, Any]:
    free = [block.size for block in segment.blocks if block.state == _INACTIVE]
    held = [block for block in segment.blocks if block.state == _ALLOCATED]
    waiting = [block.size for block in segment.blocks if block.state not in (_INACTIVE, _ALLOCATED)]
    return {
        "address": segment.address or 0,
        "stream": segment.stream,
        "kind": " ".join(filter(None, (segment.segment_type, "expandable" if segment.is_expandable else ""))),
        "total_bytes": segment.total_size,
        "allocated_bytes": sum(block.size for block in held),
        "requested_bytes": sum(block.size if block.requested_size is None else block.requested_size for block in held),
        "awaiting_bytes": sum(waiting),
        "free_bytes": sum(free),
        "free_blocks": len(free),
        "largest_free_bytes": max(free, default=0),
        "blocks": len(held),
    }


def not_allocated_in(entries: Sequence[Entry], blocks: Sequence[HeldBlock]) -> list[HeldBlock]:
    """Of the blocks held at the end, those that no entry allocates."""
    allocated = {entry.addr for entry in entries if entry.action == "alloc"}
    return [block for block in blocks if block.address not in allocated]
