"""All views, in the order of the page. The timeline is not one: it answers windows, not questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tb_plugin.views.advice import VIEW as ADVICE
from tb_plugin.views.kernels import VIEW as KERNELS
from tb_plugin.views.memory import VIEW as MEMORY
from tb_plugin.views.modules import VIEW as MODULES
from tb_plugin.views.operators import VIEW as OPERATORS
from tb_plugin.views.overview import VIEW as OVERVIEW

if TYPE_CHECKING:
    from tb_plugin.view import View

ALL: Final[tuple[View[Any, Any], ...]] = (OVERVIEW, OPERATORS, KERNELS, MODULES, MEMORY, ADVICE)
