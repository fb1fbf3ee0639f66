"""The operators view."""

from __future__ import annotations

from typing import Final

from tb_plugin.view import View
from tb_plugin.views.operators.compute import compute, missing
from tb_plugin.views.operators.result import Operators, OperatorsParams
from tb_plugin.views.operators.text import table, text

VIEW: Final = View(
    id="operators",
    title="Operators",
    question="Which operators cost?",
    params=OperatorsParams,
    result=Operators,
    compute=compute,
    missing=missing,
    text=text,
    table=table,
)
