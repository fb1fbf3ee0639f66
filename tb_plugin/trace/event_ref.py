"""One event to look at: enough to name it and to show it in the timeline."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


class EventRef(msgspec.Struct, frozen=True, kw_only=True):
    """One event to look at in the timeline."""

    row: int
    name: str
    start_ns: int
    duration_ns: int


def event_ref(trace: Trace, row: int) -> EventRef:
    """The event of this row."""
    events = trace.events
    start = int(events.start_ns[row])
    return EventRef(
        row=row, name=trace.text(int(events.name_id[row])), start_ns=start, duration_ns=int(events.end_ns[row]) - start
    )
