"""The what-if view."""

from __future__ import annotations

from typing import Final

from tb_plugin.question.question import Question
from tb_plugin.question.view import View
from tb_plugin.views.whatif.compute import compute, exit_code, missing
from tb_plugin.views.whatif.result import WhatIf, WhatIfParams
from tb_plugin.views.whatif.text import table, text

ASKED: Final = "How long would a step be if ...?"
VIEW: Final = View(
    id="whatif",
    title="What if",
    question=ASKED,
    main=Question(
        id="whatif",
        title=ASKED,
        params=WhatIfParams,
        reply=WhatIf,
        answer=compute,
        missing=missing,
        text=text,
        table=table,
        exit_code=exit_code,
    ),
)
