"""All views, in the order of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tb_plugin.question.question import Question
from tb_plugin.views.advice import VIEW as ADVICE
from tb_plugin.views.compare import VIEW as COMPARE
from tb_plugin.views.kernels import VIEW as KERNELS
from tb_plugin.views.memory import VIEW as MEMORY
from tb_plugin.views.modules import VIEW as MODULES
from tb_plugin.views.operators import VIEW as OPERATORS
from tb_plugin.views.overview import VIEW as OVERVIEW
from tb_plugin.views.ranks import VIEW as RANKS
from tb_plugin.views.roofline import VIEW as ROOFLINE
from tb_plugin.views.runs import VIEW as RUNS
from tb_plugin.views.timeline import VIEW as TIMELINE
from tb_plugin.views.trends import VIEW as TRENDS
from tb_plugin.views.whatif import VIEW as WHATIF

if TYPE_CHECKING:
    from tb_plugin.question.view import View

ALL: Final[tuple[View[Any], ...]] = (
    RUNS,
    OVERVIEW,
    TIMELINE,
    OPERATORS,
    KERNELS,
    ROOFLINE,
    MODULES,
    MEMORY,
    RANKS,
    ADVICE,
    WHATIF,
    COMPARE,
    TRENDS,
)

OF_ONE: Final = tuple(view for view in ALL if isinstance(view.main, Question))
"""Those about one profile."""
