"""The runs view: about all profiles of a log directory."""

from __future__ import annotations

from typing import Final

from tb_plugin.question.joint import Joint
from tb_plugin.question.question import NoParams, Question
from tb_plugin.question.view import View
from tb_plugin.trace.scope.empty import why_empty
from tb_plugin.views.runs.compute import asked, join, over
from tb_plugin.views.runs.result import RunsParams, RunsTable, SpanSummary
from tb_plugin.views.runs.summary import summary
from tb_plugin.views.runs.text import table, text

_SUMMARY: Final = Question(
    id="summary",
    title="One profile in a few figures.",
    params=NoParams,
    reply=SpanSummary,
    answer=summary,
    missing=why_empty,
    is_summary=True,
)

VIEW: Final = View(
    id="runs",
    title="Runs",
    question="What lies in this log directory?",
    main=Joint(
        id="runs",
        title="What lies in this log directory?",
        params=RunsParams,
        reply=RunsTable,
        over=over,
        of_each=_SUMMARY,
        asked=asked,
        join=join,
        text=text,
        table=table,
    ),
    more=(_SUMMARY,),
)
