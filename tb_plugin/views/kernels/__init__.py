"""The kernels view."""

from __future__ import annotations

from typing import Final

from tb_plugin.question.question import Question
from tb_plugin.question.view import View
from tb_plugin.views.kernels.compute import compute, missing
from tb_plugin.views.kernels.details import details
from tb_plugin.views.kernels.result import KernelDetails, KernelDetailsParams, Kernels, KernelsParams
from tb_plugin.views.kernels.text import table, text

VIEW: Final = View(
    id="kernels",
    title="Kernels",
    question="Which kernels cost, and how well do they use the device?",
    main=Question(
        id="kernels",
        title="Which kernels cost, and how well do they use the device?",
        params=KernelsParams,
        reply=Kernels,
        answer=compute,
        missing=missing,
        text=text,
        table=table,
        keep=True,
    ),
    more=(
        Question(
            id="details",
            title="What is behind one row of kernels.",
            params=KernelDetailsParams,
            reply=KernelDetails,
            answer=details,
        ),
    ),
)
