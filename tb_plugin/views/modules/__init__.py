"""The modules view."""

from __future__ import annotations

from typing import Final

from tb_plugin.question.question import Question
from tb_plugin.question.view import View
from tb_plugin.views.modules.compute import compute, missing
from tb_plugin.views.modules.result import Modules, ModulesParams
from tb_plugin.views.modules.text import table, text

VIEW: Final = View(
    id="modules",
    title="Modules",
    question="Which nn.Module costs?",
    main=Question(
        id="modules",
        title="Which nn.Module costs?",
        params=ModulesParams,
        reply=Modules,
        answer=compute,
        missing=missing,
        text=text,
        table=table,
        keep=True,
    ),
)
