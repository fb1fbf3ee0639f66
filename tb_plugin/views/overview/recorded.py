"""What a profile holds, and the option that switches on what it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.trace.scope.recorded import SHOWN
from tb_plugin.views.overview.result import Recorded

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


def recorded(trace: Trace) -> list[Recorded]:
    """One row for each thing that everybody can switch on."""
    return [
        Recorded(
            id=each.id,
            what=each.what,
            recorded=each.is_recorded(trace),
            how=each.how,
            instead=each.instead(trace),
            lack=None if each.is_there(trace) else each.reason(trace),
        )
        for each in SHOWN
    ]
