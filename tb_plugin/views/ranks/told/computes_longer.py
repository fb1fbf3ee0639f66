"""Who computes longer than its peers or stands still, where nothing could be matched: that needs no other rank's clock.

on CPUs      rank 3    gap 80 ms | gloo:all_reduce 35 ms     the gap lies in no collective: it is its own
             others    gap  6 ms | gloo:all_reduce 106 ms
on a device  computing alone: it idles less the longer it waits in kernels of collectives
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.job.late.stragglers import stragglers
from tb_plugin.job.why.causes import by_cause
from tb_plugin.job.why.late import late
from tb_plugin.views.ranks.missing.lost_collectives import lacks_collectives
from tb_plugin.views.ranks.result import Lead
from tb_plugin.views.ranks.told.blame import on_host, sentence_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tb_plugin.job.late.stragglers import Straggler
    from tb_plugin.job.why.cause import Cause
    from tb_plugin.views.ranks.basis.analysed import Analysed

_FIRST: Final = 3
_ALONE: Final = " This is of {}, which needs no matching; whether others wait for it cannot be told."
_COMPUTING: Final = "computing alone"
_OUTSIDE: Final = "what it does outside of collectives"


def computes_longer(of: Analysed) -> Iterator[tuple[str, Lead]]:
    """The first three, by the rule by which somebody is blamed; nobody is. In at least half of the steps: that in a single one
    some rank needs longer says little where nobody can tell who waited.
    """
    told = [(one, cause, _OUTSIDE) for one, cause in _outside_of_collectives(of)]
    known = {place for one, *_ in told for place in one.members}
    told += [(one, cause, _COMPUTING) for one, cause in _computing(of) if known.isdisjoint(one.members)]
    for one, cause, what in told[:_FIRST]:
        numbers = [of.job.of.ranks[place].number for place in one.members]
        yield sentence_of(of, one, cause) + _ALONE.format(what), Lead(ranks=numbers, step=one.late_steps[0])


def _outside_of_collectives(of: Analysed) -> list[tuple[Straggler, Cause]]:
    """On CPUs: with what it idles, but where rows of its collectives are not in its file."""
    if not of.has_host or not on_host(of, of.job.of.numbers):
        return []
    lacks = lacks_collectives(of)
    own = replace(of.own, parts={name: np.where(lacks, np.nan, part) for name, part in of.own.parts.items()})
    return [each for each in late(of.job, own, of.layout, 0.0, with_idle=True) if each[0].is_persistent]


def _computing(of: Analysed) -> list[tuple[Straggler, Cause]]:
    nothing = 0 * of.own.step
    computing = replace(of.own, parts={**of.own.parts, "copy": nothing, "idle": nothing})
    found = [one for one in stragglers(computing, of.layout, with_idle=False) if one.is_persistent]
    return [each for one in found for each in by_cause(of.job, computing, one)]
