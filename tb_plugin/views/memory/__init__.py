"""The memory view."""

from __future__ import annotations

from typing import Final

from tb_plugin.view import View
from tb_plugin.views.memory.compute import compute, missing
from tb_plugin.views.memory.result import MemoryParams, MemoryUse
from tb_plugin.views.memory.text import table, text

VIEW: Final = View(
    id="memory",
    title="Memory",
    question="What holds memory at the peak?",
    params=MemoryParams,
    result=MemoryUse,
    compute=compute,
    missing=missing,
    text=text,
    table=table,
)
