"""An event in a list of a view: what every such table shows of it."""

from __future__ import annotations

from typing import Annotated

from tb_plugin.question.figure import NO_COLUMN, Figure
from tb_plugin.trace.event_ref import EventRef


class ListedEvent(EventRef, frozen=True, kw_only=True):
    """One event to look at in the timeline."""

    row: Annotated[int, NO_COLUMN]
    name: Annotated[str, Figure("In the timeline", "text")]
    start_ns: Annotated[int, Figure("At", "ns")]
    duration_ns: Annotated[int, Figure("Duration", "ns")]
