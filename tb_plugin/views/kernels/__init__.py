"""The kernels view."""

from __future__ import annotations

from typing import Final

from tb_plugin.view import View
from tb_plugin.views.kernels.compute import compute, missing
from tb_plugin.views.kernels.result import Kernels, KernelsParams
from tb_plugin.views.kernels.text import table, text

VIEW: Final = View(
    id="kernels",
    title="Kernels",
    question="Which kernels cost, and how well do they use the device?",
    params=KernelsParams,
    result=Kernels,
    compute=compute,
    missing=missing,
    text=text,
    table=table,
)
