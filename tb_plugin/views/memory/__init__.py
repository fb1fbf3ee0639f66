"""The memory view."""

from __future__ import annotations

from typing import Final

from tb_plugin.question.question import Question
from tb_plugin.question.view import View
from tb_plugin.views.memory.allocations import allocations
from tb_plugin.views.memory.allocations_result import AllocationsParams, MemoryAllocations
from tb_plugin.views.memory.compute import compute, missing
from tb_plugin.views.memory.result import MemoryParams, MemoryUse
from tb_plugin.views.memory.text import table, text

VIEW: Final = View(
    id="memory",
    title="Memory",
    question="What holds memory at the peak?",
    main=Question(
        id="memory",
        title="What holds memory at the peak?",
        params=MemoryParams,
        reply=MemoryUse,
        answer=compute,
        missing=missing,
        text=text,
        table=table,
        keep=True,
    ),
    more=(
        Question(
            id="allocations",
            title="Allocations, sorted, filtered and cut.",
            params=AllocationsParams,
            reply=MemoryAllocations,
            answer=allocations,
        ),
    ),
)
