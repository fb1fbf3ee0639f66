"""The advice view."""

from __future__ import annotations

from typing import Final

from tb_plugin.question.question import Question
from tb_plugin.question.view import View
from tb_plugin.views.advice.compute import compute, missing
from tb_plugin.views.advice.result import Advice, AdviceParams
from tb_plugin.views.advice.text import table, text

VIEW: Final = View(
    id="advice",
    title="Advice",
    question="What should I change?",
    main=Question(
        id="advice",
        title="What should I change?",
        params=AdviceParams,
        reply=Advice,
        answer=compute,
        missing=missing,
        text=text,
        table=table,
        keep=True,
        with_job=compute,
    ),
)
