"""The memory view's figures as loops over the events of one device, to check the arrays against."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tb_plugin.trace.kinds import Kind

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


class Event(NamedTuple):
    time_ns: int
    order: int
    row: int
    bytes: int
    address: int
    allocated: int
    reserved: int


def events_of(trace: Trace, device: tuple[int, int]) -> list[Event]:
    memory, events = trace.memory, trace.events
    found = []
    for i, row in enumerate(memory.row.tolist()):
        if (int(memory.device_type[i]), int(memory.device_index[i])) == device and memory.bytes[i] != 0:
            values = (memory.bytes[i], memory.address[i], memory.total_allocated[i], memory.total_reserved[i])
            found.append(Event(int(events.start_ns[row]), int(events.order[row]), row, *map(int, values)))
    return sorted(found)


def innermost(trace: Trace, row: int) -> int:
    """The operator or range (no step) of the row's thread that is open at its time and started last; -1 if none is."""
    events = trace.events
    time, track = events.start_ns[row], events.track[row]
    is_open = (events.track == track) & (events.start_ns <= time) & (events.end_ns >= time)
    is_open &= np.isin(events.kind, (Kind.OPERATOR, Kind.ANNOTATION))
    return max((i for i in is_open.nonzero()[0].tolist() if not _name(trace, i).startswith("ProfilerStep#")), default=-1)


def _name(trace: Trace, row: int) -> str:
    return trace.text(int(trace.events.name_id[row]))


def alive(events: list[Event], upto: int) -> dict[int, Event]:
    """Address to the block there after the first `upto` events."""
    blocks: dict[int, Event] = {}
    for event in events[:upto]:
        blocks.pop(event.address, None)
        if event.bytes > 0:
            blocks[event.address] = event
    return blocks


def earlier(events: list[Event]) -> list[int]:
    """Positions of releases of blocks that were allocated before the recording."""
    known: set[int] = set()
    found = []
    for position, event in enumerate(events):
        if event.bytes > 0:
            known.add(event.address)
        elif event.address in known:
            known.remove(event.address)
        else:
            found.append(position)
    return found
