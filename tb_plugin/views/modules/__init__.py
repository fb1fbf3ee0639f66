"""The modules view."""

from __future__ import annotations

from typing import Final

from tb_plugin.view import View
from tb_plugin.views.modules.compute import compute, missing
from tb_plugin.views.modules.result import Modules, ModulesParams
from tb_plugin.views.modules.text import table, text

VIEW: Final = View(
    id="modules",
    title="Modules",
    question="Which nn.Module costs?",
    params=ModulesParams,
    result=Modules,
    compute=compute,
    missing=missing,
    text=text,
    table=table,
)
