"""By what allocations and releases can be grouped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.trace.groupings.allocations import CATEGORY, OPERATOR
from tb_plugin.trace.groupings.grouping import by_id
from tb_plugin.trace.groupings.places import CALL_SITE, MODULE, STACK

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

GROUPINGS: Final = by_id(OPERATOR, MODULE, CALL_SITE, STACK, CATEGORY)


def usual(trace: Trace) -> str:
    """The grouping of a profile that nobody asked another for: the first that it has."""
    return next((name for name, grouping in GROUPINGS.items() if grouping.lacks(trace) is None), "operator")
