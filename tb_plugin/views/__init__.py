"""All views, in the order of the page. Each is a folder here, loaded when somebody asks for it: the shell asks for one."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any, Final

from tb_plugin.question.question import Question

if TYPE_CHECKING:
    from tb_plugin.question.view import View

    ALL: tuple[View[Any], ...]
    OF_ONE: tuple[View[Any], ...]

IDS: Final = (
    "runs",
    "overview",
    "timeline",
    "operators",
    "kernels",
    "roofline",
    "modules",
    "memory",
    "ranks",
    "advice",
    "whatif",
    "compare",
    "trends",
    "sql",
)


def named(view: str) -> View[Any]:
    """By its id, which is its folder's name."""
    found: View[Any] = importlib.import_module(f"{__name__}.{view}").VIEW
    return found


def loaded() -> list[str]:
    """Ids of those that this process has asked for."""
    return [view for view in IDS if f"{__name__}.{view}" in sys.modules]


def __getattr__(name: str) -> object:
    """`ALL`, and `OF_ONE`, those about one profile, load every view."""
    if name == "ALL":
        return tuple(named(view) for view in IDS)
    if name == "OF_ONE":
        return tuple(view for view in map(named, IDS) if isinstance(view.main, Question))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
