"""Why a profile shows nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


def why_empty(trace: Trace) -> str | None:
    """The reason in words for the page; None if there are events."""
    if len(trace.events):
        return None
    if trace.issues:
        return f"No event could be read: {'; '.join(issue.text.partition(';')[0] for issue in trace.issues)}."
    return "The file holds no events: was anything run while the profiler was active?"
