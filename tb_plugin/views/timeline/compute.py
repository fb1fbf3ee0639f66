"""The timeline's questions about a trace. Works from an index kept with the trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.trace.scope.empty import why_empty
from tb_plugin.views.timeline import area as areas
from tb_plugin.views.timeline import calls as call_trees
from tb_plugin.views.timeline import details, kept
from tb_plugin.views.timeline import hits as listing
from tb_plugin.views.timeline import search as searching
from tb_plugin.views.timeline import tracks as tracking
from tb_plugin.views.timeline import values as valuing
from tb_plugin.views.timeline import window as windowing
from tb_plugin.views.timeline.index import index_of

if TYPE_CHECKING:
    from tb_plugin.question.question import NoParams
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.timeline.result import (
        AreaParams,
        CallsParams,
        EventParams,
        HitsParams,
        SearchParams,
        TimelineArea,
        TimelineCalls,
        TimelineEvent,
        TimelineHits,
        TimelineSearch,
        TimelineTracks,
        TimelineValues,
        ValuesParams,
        WindowParams,
    )
    from tb_plugin.views.timeline.window import WindowColumns


def tracks(trace: Trace, _params: NoParams) -> TimelineTracks:
    """Every track, step and kind, for the frame around the picture."""
    return tracking.tracks(trace, index_of(trace))


def missing(trace: Trace) -> str | None:
    return why_empty(trace)


def window(trace: Trace, params: WindowParams, max_blocks: int = windowing.MAX_BLOCKS) -> WindowColumns:
    """What [t0, t1] shows at this resolution, or at the finest one that has no more blocks."""
    return windowing.window(trace, index_of(trace), params, max_blocks)


def event(trace: Trace, params: EventParams) -> TimelineEvent:
    """One event, whole. NotFoundError where there is no such row; errors of filters as in a window."""
    index = index_of(trace)
    return details.event(trace, index, params, kept.shown(trace, index, params))


def search(trace: Trace, params: SearchParams) -> TimelineSearch:
    """Events by name. UsageError for a broken regular expression."""
    return searching.search(trace, index_of(trace), params)


def hits(trace: Trace, params: HitsParams) -> TimelineHits:
    """The same events as a list. UsageError for a broken regular expression."""
    return listing.hits(trace, index_of(trace), params)


def area(trace: Trace, params: AreaParams) -> TimelineArea:
    """A stretch of time on some tracks, summed by name. UsageError for an empty one."""
    return areas.area(trace, index_of(trace), params)


def calls(trace: Trace, params: CallsParams) -> TimelineCalls:
    """The call tree of a stretch of time on some tracks. UsageError for an empty one."""
    return call_trees.calls(trace, index_of(trace), params)


def values(trace: Trace, params: ValuesParams) -> TimelineValues:
    """Memory, busy share, launch queue and counters over a stretch of time. UsageError for an empty one."""
    return valuing.values(trace, params)
