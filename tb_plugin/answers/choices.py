"""What the filters of a profile can choose from, asked beside every view."""

from __future__ import annotations

from typing import Final

from tb_plugin.question.outline import one_row
from tb_plugin.question.question import NoParams, Question
from tb_plugin.trace.scope.choices import Choices, choices

QUESTION: Final = Question(
    id="choices",
    title="What the filters can choose from.",
    params=NoParams,
    reply=Choices,
    answer=lambda trace, _: choices(trace),
    table=one_row,
)
