"""Where nobody is late beside others: that nobody is, and who needs most all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.rank_names import number_in_name
from tb_plugin.base.units import format_ns
from tb_plugin.views.ranks.basis.names import counted, per_step
from tb_plugin.views.ranks.missing.lacking import lacked, named, short_of
from tb_plugin.views.ranks.missing.lost_collectives import lacks_collectives
from tb_plugin.views.ranks.missing.missing import missing_ranks, unread
from tb_plugin.views.ranks.result import Lead
from tb_plugin.views.ranks.told.blame import not_told_from_chance
from tb_plugin.views.ranks.told.longer_with_missing import are_any_gone, missing_first
from tb_plugin.views.ranks.told.waited_for import waited_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tb_plugin.views.ranks.basis.analysed import Analysed
    from tb_plugin.views.ranks.result import RankMember, RankRow, StepParts

Said = tuple[str, Lead]

_NOTABLE: Final = 0.02


def nobody(
    of: Analysed,
    parts: StepParts | None,
    rows: list[RankRow],
    others: list[RankMember],
    apart: Sequence[Said],
    *,
    is_linked: bool,
) -> Iterator[Said]:
    """`apart`: what is told of some ranks that their peers do not do; nobody is cleared beside that."""
    if parts is None:
        yield from apart
        yield "Whether somebody needs longer for itself than its peers cannot be told without a complete step.", Lead()
        return
    is_short = not unread(others) and (missing_ranks(of, others) is not None or are_any_gone(of))
    missing = missing_first(of, parts.step_ns, _elsewhere(others)) if is_short else []
    yield from (*missing, *apart)
    said, most = ("", None) if apart else _most(of, parts)
    for_whom, last, in_which = ("", None, None) if is_linked else waited_for(of, parts, rows, has_lead=bool(missing))
    none = "" if apart else _none(of, others, "Apart from what slow links cost, n" if is_linked else "N")
    lead = Lead(
        ranks=sorted({rank for rank in (most, last) if rank is not None}),
        table="collective" if for_whom else None,
        counted=in_which,
    )
    if text := f"{none}{said}{for_whom}".lstrip():
        yield text, lead


def _elsewhere(others: list[RankMember]) -> set[int]:
    """Numbers of ranks whose files are here, and read, and of another job."""
    numbers = {number_in_name(one.worker) for one in others if one.state == "ready"}
    return {number for number in numbers if number is not None}


def _none(of: Analysed, others: list[RankMember], begins: str) -> str:
    """Of whom it is told: a rank without any step is in no figure of one, and others lack some."""
    short = short_of(of)
    but = f"; not told of {named(of, short)}: {counted('step', lacks)}" if (lacks := lacked(of, short)) else ""
    which = [" read so far"] if unread(others) else [" that is here"] if missing_ranks(of, others) is not None else []
    which += [" whose work is known"] if np.isnan(of.own.step).all(axis=1).any() else []
    does = "needs longer for itself than its peers by more than 2 % and the noise"
    if of.no_gain:
        does = "makes a step longer by what it needs more for itself than its peers"
    return f"{begins}o rank, stage, replica or host{' and'.join(which)} {does}{but}."


def most_waited_for(of: Analysed, parts: StepParts | None, rows: list[RankRow], costs: float) -> Iterator[Said]:
    """Nobody to blame, but who needs most, and is waited for longer than a mean step would be shorter without who is blamed."""
    if parts is None:
        return
    said, most = _most(of, parts)
    row = next((row for row in rows if row.rank == most), None)
    if row is None or any(row.rank in _numbers(of, one.members) for one, *_ in of.stragglers):
        return
    for_whom, last, in_which = waited_for(of, parts, rows, has_lead=True)
    if last == most and min(row.caused_least_ns or 0, row.excess_ns or 0) > costs:
        yield f"{said}{for_whom}"[1:], Lead(ranks=[row.rank], table="collective", counted=in_which)


def _numbers(of: Analysed, places: Sequence[int]) -> list[int]:
    return [of.job.of.numbers[place] for place in places]


def _most(of: Analysed, parts: StepParts) -> tuple[str, int | None]:
    """Who needs most, where that is more than 2 % of the step and yet not told from noise."""
    away = np.where(lacks_collectives(of), np.nan, of.excess)
    known = np.isfinite(away)
    mean = np.where(known, away, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    most = int(np.argmax(mean))
    if mean[most] <= _NOTABLE * parts.step_ns or any(most in one.members for one, *_ in of.no_gain):
        return "", None
    rank = of.job.of.numbers[most]
    more = f" Most needs rank {rank}, {format_ns(mean[most])} more{per_step(of)} than its peers"
    out = of.own.number[np.isfinite(of.excess[most]) & ~known[most]].tolist()
    but = f" (without {counted('step', out)}, where kernels of collectives are not in the files)" if out else ""
    return f"{more}{but}{not_told_from_chance(of, most, mean[most])}.", rank
