"""Who computes longer than its peers, where nothing could be matched: computing needs no other rank's clock or collective."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tb_plugin.job.causes import by_cause
from tb_plugin.job.stragglers import stragglers
from tb_plugin.views.ranks.blame import sentence_of
from tb_plugin.views.ranks.result import Lead

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tb_plugin.views.ranks.analysed import Analysed

_FIRST: Final = 3
_ALONE: Final = " This is of computing alone, which needs no matching; whether others wait for it cannot be told."


def computes_longer(of: Analysed) -> Iterator[tuple[str, Lead]]:
    """The first three, by the rule by which somebody is blamed; nobody is. In at least half of the steps: that in a single one
    some rank computes longer says little where nobody can tell who waited.
    """
    nothing = 0 * of.own.step
    computing = replace(of.own, parts={**of.own.parts, "copy": nothing, "idle": nothing})
    found = [one for one in stragglers(computing, of.layout, with_idle=False) if one.is_persistent]
    for one in found[:_FIRST]:
        numbers = [of.job.of.ranks[place].number for place in one.members]
        for late, cause in by_cause(of.job, computing, one):
            yield sentence_of(of, late, cause) + _ALONE, Lead(ranks=numbers, step=late.late_steps[0])
