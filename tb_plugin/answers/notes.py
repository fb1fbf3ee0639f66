"""What has to be said beside an answer, so that nothing is left out, or empty, without a word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tb_plugin.trace.scope.recording import about_all
from tb_plugin.trace.scope.selection import Selection, is_all, selected

if TYPE_CHECKING:
    import msgspec

    from tb_plugin.trace.model import Trace

NO_EVENT: Final = "No event of this profile passes all filters."
NO_ROW: Final = "Of the events that pass all filters, none is of the kind that this view is about."


def on_answer(trace: Trace, params: msgspec.Struct, reply: Any) -> list[str]:
    """All that a reader of this answer has to know."""
    return [*about_all(trace), *on_filters(trace, params, reply)]


def on_filters(trace: Trace, params: msgspec.Struct, reply: Any) -> list[str]:
    """Whether it is the filters that leave nothing to show."""
    if not isinstance(params, Selection) or is_all(params):
        return []
    if not selected(trace, params).any():
        return [NO_EVENT]
    rows = getattr(reply, "rows", None)
    return [NO_ROW] if rows is not None and len(rows) == 0 else []
