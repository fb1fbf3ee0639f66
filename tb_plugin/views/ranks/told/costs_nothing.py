"""Who needs more than its peers, and makes no step longer (`job/what_if/gains.py`): what is seen of it, without blame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.views.ranks.basis.names import a_step, counted
from tb_plugin.views.ranks.result import Lead
from tb_plugin.views.ranks.told.blame import means_of, sentence_of
from tb_plugin.views.ranks.told.replayed import as_long

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tb_plugin.views.ranks.basis.analysed import Analysed

_FIRST: Final = 2


def costs_nothing(of: Analysed) -> Iterator[tuple[str, Lead]]:
    each = [[of.job.of.numbers[place] for place in one.members] for one, *_ in of.no_gain]
    for (one, cause, without), ranks in zip(of.no_gain[:_FIRST], each, strict=False):
        it = a_step(of) if len(one.late_steps) == len(of.own.number) else "such a step"
        no_less = as_long(means_of(without, one.late_steps), it)
        text = f"{sentence_of(of, one, cause)} Without that {no_less}: it is not why steps are longer."
        yield text, Lead(ranks=ranks, step=int(of.own.number[one.excess_ns.argmax()]))
    told, rest = ({rank for ranks in some for rank in ranks} for some in (each[:_FIRST], each[_FIRST:]))
    if more := sorted(rest - told):
        yield f"So it is with {counted('rank', more)}.", Lead(ranks=more)
