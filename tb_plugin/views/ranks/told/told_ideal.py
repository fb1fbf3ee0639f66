"""The ideal of a job as it is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.views.ranks.basis.analysed import MOST_REPLAYED
from tb_plugin.views.ranks.basis.names import counted, is_slower
from tb_plugin.views.ranks.told.blame import is_range, means_of, slowdown_of

if TYPE_CHECKING:
    from tb_plugin.views.ranks.basis.analysed import Analysed
    from tb_plugin.views.ranks.told.blame import Means


def ideal_of(of: Analysed) -> Means | None:
    """Not where it is no shorter, and a replay does not tell of somebody who is late in a step: nothing says that this costs
    nothing.
    """
    ideal = means_of(of.ideal)
    if ideal is None or is_slower(slowdown_of(ideal.was, ideal.would_be) or 1.0):
        return ideal
    told = [means_of(quick, one.late_steps) for one, _, quick in of.stragglers[:MOST_REPLAYED]]
    return None if None in told else ideal


def is_least(ideal: Means | None) -> bool:
    """Whether S is at least what it is told as: with what is not told apart at nothing the ideal is shorter."""
    return ideal is not None and is_range(ideal.least, ideal.would_be, ideal.was)


def ideal_steps(of: Analysed) -> str | None:
    """The steps that it is told of, where a rank lacks others."""
    numbers = sorted(of.ideal.was) if ideal_of(of) is not None and of.ideal is not None else []
    return None if not numbers or numbers == of.own.number.tolist() else counted("step", numbers)
