"""The overview view."""

from __future__ import annotations

from typing import Final

from tb_plugin.question.question import Question
from tb_plugin.question.view import View
from tb_plugin.views.overview.compute import compute, missing
from tb_plugin.views.overview.result import Overview, OverviewParams
from tb_plugin.views.overview.text import table, text

VIEW: Final = View(
    id="overview",
    title="Overview",
    question="Where did the step go, what first?",
    main=Question(
        id="overview",
        title="Where did the step go, what first?",
        params=OverviewParams,
        reply=Overview,
        answer=compute,
        missing=missing,
        text=text,
        table=table,
        keep=True,
        with_job=compute,
    ),
)
