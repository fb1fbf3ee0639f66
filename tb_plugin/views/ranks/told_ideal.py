"""The ideal of a job as it is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.views.ranks.analysed import MOST_REPLAYED
from tb_plugin.views.ranks.blame import means_of, slowdown_of
from tb_plugin.views.ranks.names import is_slower

if TYPE_CHECKING:
    from tb_plugin.views.ranks.analysed import Analysed
    from tb_plugin.views.ranks.blame import Means


def ideal_of(of: Analysed) -> Means | None:
    """Not where it is no shorter, and a replay does not tell of somebody who is late in a step: nothing says that this costs
    nothing.
    """
    ideal = means_of(of.ideal)
    if ideal is None or is_slower(slowdown_of(ideal.was, ideal.would_be) or 1.0):
        return ideal
    told = [means_of(quick, one.late_steps) for one, _, quick in of.stragglers[:MOST_REPLAYED]]
    return None if None in told else ideal
