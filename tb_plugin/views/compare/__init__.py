"""The compare view: what changed between recordings, as a sum that closes."""

from __future__ import annotations

from typing import Final

from tb_plugin.question.joint import Joint
from tb_plugin.question.question import Question
from tb_plugin.question.view import View
from tb_plugin.views.compare.members import asked, join, over, takes
from tb_plugin.views.compare.result import CompareParams, Comparison
from tb_plugin.views.compare.sums.compute import compute, missing
from tb_plugin.views.compare.sums.result import ProfileSums, SumsParams
from tb_plugin.views.compare.text import table, text

SUMS: Final = Question(
    id="sums",
    title="One profile as sums that others can be compared with.",
    params=SumsParams,
    reply=ProfileSums,
    answer=compute,
    missing=missing,
)

VIEW: Final = View(
    id="compare",
    title="Compare",
    question="What changed?",
    main=Joint(
        id="compare",
        title="What changed between recordings?",
        params=CompareParams,
        reply=Comparison,
        over=over,
        of_each=SUMS,
        asked=asked,
        takes=takes,
        join=join,
        text=text,
        table=table,
    ),
    more=(SUMS,),
)
