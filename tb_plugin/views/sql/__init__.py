"""The SQL view."""

from __future__ import annotations

from typing import Final

from tb_plugin.question.question import Question
from tb_plugin.question.view import View
from tb_plugin.views.sql.compute import compute, missing
from tb_plugin.views.sql.result import SqlAnswer, SqlParams
from tb_plugin.views.sql.text import table, text

ASKED: Final = "What does SQL say about the events?"

VIEW: Final = View(
    id="sql",
    title="SQL",
    question=ASKED,
    main=Question(
        id="sql", title=ASKED, params=SqlParams, reply=SqlAnswer, answer=compute, missing=missing, text=text, table=table
    ),
)
