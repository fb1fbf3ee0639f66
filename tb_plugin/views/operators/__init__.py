"""The operators view."""

from __future__ import annotations

from typing import Final

from tb_plugin.question.question import Question
from tb_plugin.question.view import View
from tb_plugin.views.operators.compute import compute, missing
from tb_plugin.views.operators.details import details
from tb_plugin.views.operators.details_result import OperatorDetails, OperatorDetailsParams
from tb_plugin.views.operators.result import Operators, OperatorsParams
from tb_plugin.views.operators.text import table, text

VIEW: Final = View(
    id="operators",
    title="Operators",
    question="Which operators cost?",
    main=Question(
        id="operators",
        title="Which operators cost?",
        params=OperatorsParams,
        reply=Operators,
        answer=compute,
        missing=missing,
        text=text,
        table=table,
        keep=True,
    ),
    more=(
        Question(
            id="details",
            title="One row of operators: its calls, callers, kernels, call stacks.",
            params=OperatorDetailsParams,
            reply=OperatorDetails,
            answer=details,
        ),
    ),
)
