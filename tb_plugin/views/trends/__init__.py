"""The trends view: since when is it slow?"""

from __future__ import annotations

from typing import Final

from tb_plugin.question.joint import Joint
from tb_plugin.question.question import NoParams, Question
from tb_plugin.question.view import View
from tb_plugin.trace.scope.empty import why_empty
from tb_plugin.trace.span.figures import SpanFigures
from tb_plugin.trace.span.summary import summary
from tb_plugin.views.trends.compute import MOST_PROFILES, asked, join, over, takes
from tb_plugin.views.trends.gate import EXIT_CODES, exit_code, verdict
from tb_plugin.views.trends.result import Trends, TrendsParams
from tb_plugin.views.trends.text import jsonl, markdown, openmetrics, table, text

SPAN: Final = Question(
    id="span",
    title="One profile as a point of a trend.",
    params=NoParams,
    reply=SpanFigures,
    answer=summary,
    missing=why_empty,
    is_summary=True,
)

VIEW: Final = View(
    id="trends",
    title="Trends",
    question="Since when is it slow?",
    main=Joint(
        id="trends",
        title="Since when is it slow?",
        params=TrendsParams,
        reply=Trends,
        over=over,
        of_each=SPAN,
        asked=asked,
        takes=takes,
        most=MOST_PROFILES,
        has_baseline=True,
        join=join,
        text=text,
        table=table,
        forms={"markdown": markdown, "openmetrics": openmetrics, "jsonl": jsonl},
        exit_code=exit_code,
        verdict=verdict,
        exit_codes=EXIT_CODES,
    ),
    more=(SPAN,),
)
