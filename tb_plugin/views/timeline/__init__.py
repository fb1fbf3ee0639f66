"""The timeline view."""

from __future__ import annotations

from typing import Final

from tb_plugin.question.outline import one_row
from tb_plugin.question.question import NoParams, Question
from tb_plugin.question.view import View
from tb_plugin.views.timeline.calls import those_listed
from tb_plugin.views.timeline.compute import area, calls, event, hits, missing, search, tracks, values, window
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
from tb_plugin.views.timeline.text import area_table, area_text, calls_text, search_text, table, text, window_table, window_text
from tb_plugin.views.timeline.window import WindowColumns

VIEW: Final = View(
    id="timeline",
    title="Timeline",
    question="What happened when?",
    main=Question(
        id="timeline",
        title="The timeline's tracks, steps and kinds.",
        params=NoParams,
        reply=TimelineTracks,
        answer=tracks,
        missing=missing,
        text=text,
        table=table,
    ),
    more=(
        Question(
            id="window",
            title="What a stretch of time shows at a resolution, as raw columns.",
            params=WindowParams,
            reply=WindowColumns,
            answer=window,
            encode=WindowColumns.encode,
            text=window_text,
            table=window_table,
        ),
        Question(
            id="event",
            title="One event with all its arguments.",
            params=EventParams,
            reply=TimelineEvent,
            answer=event,
            table=one_row,
        ),
        Question(
            id="area",
            title="An area summed by name, category, module, its class or step.",
            params=AreaParams,
            reply=TimelineArea,
            answer=area,
            text=area_text,
            table=area_table,
        ),
        Question(
            id="calls",
            title="The call tree of an area: its flame graph.",
            params=CallsParams,
            reply=TimelineCalls,
            answer=calls,
            text=calls_text,
            shortened=those_listed,
        ),
        Question(
            id="values",
            title="Memory, busy share, launch queue and counters over time.",
            params=ValuesParams,
            reply=TimelineValues,
            answer=values,
        ),
        Question(
            id="search",
            title="Events by name.",
            params=SearchParams,
            reply=TimelineSearch,
            answer=search,
            text=search_text,
        ),
        Question(
            id="hits",
            title="Events by name, sorted and cut.",
            params=HitsParams,
            reply=TimelineHits,
            answer=hits,
        ),
    ),
)
