"""The roofline view."""

from __future__ import annotations

from typing import Final

from tb_plugin.question.question import Question
from tb_plugin.question.view import View
from tb_plugin.views.roofline.compute import compute, missing
from tb_plugin.views.roofline.result import Roofline, RooflineParams
from tb_plugin.views.roofline.text import text

ASKED: Final = "How far is the device from what it could do, and where is that time lost?"

VIEW: Final = View(
    id="roofline",
    title="Roofline",
    question=ASKED,
    main=Question(
        id="roofline",
        title=ASKED,
        params=RooflineParams,
        reply=Roofline,
        answer=compute,
        missing=missing,
        text=text,
        keep=True,
    ),
)
