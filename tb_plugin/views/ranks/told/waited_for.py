"""For whom the others wait most, where nobody is late: in a sentence, with what that counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.base.units import NONE, format_ns
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.intervals import length
from tb_plugin.job.clocks.came_last import tied_ns
from tb_plugin.job.late.last_by_chance import is_last_by_chance, stands_still_in
from tb_plugin.job.late.limits import median
from tb_plugin.job.late.peers import from_peers
from tb_plugin.views.ranks.missing.missing import (
    absent_from_any,
    not_whole_in_any,
    who_is_not_here,
    whose_device_is_not_recorded,
    whose_file_is_not_whole,
    without_device_in_any,
)
from tb_plugin.views.ranks.result import CountedIn
from tb_plugin.views.ranks.told.evidence import begins_later

if TYPE_CHECKING:
    from tb_plugin.views.ranks.basis.analysed import Analysed
    from tb_plugin.views.ranks.result import RankRow, StepParts

_NOTABLE_WAIT: Final = 0.05
_NOTABLE: Final = 0.02
_BY_TURNS: Final = " Ranks wait for each other by turns: none comes last more than by chance."


def waited_for(
    of: Analysed, parts: StepParts, rows: list[RankRow], *, has_lead: bool
) -> tuple[str, int | None, CountedIn | None]:
    """Who came last, where ranks wait all the same; nothing where they hardly wait, or for one as for another, or for the first
    stage of a pipeline, which ends last by design; nor for one that is seldom last where a missing rank leads (`has_lead`). Where
    who is last is chance, nobody is named; where no host is recorded, who stands still in a step is.
    """
    if not of.has_host and not has_lead and (late := _still_in_a_step(of)) is not None:
        return late
    most = max(rows, key=lambda row: row.caused_least_ns or 0)
    held_up = most.caused_least_ns or 0
    absent = absent_from_any(of)
    is_short = length(absent) > 0
    is_drain = most.stage == 0 and any(row.stage for row in rows) and not is_short
    if is_drain or (parts.wait_ns or 0) < _NOTABLE_WAIT * parts.step_ns or held_up < _NOTABLE * parts.step_ns:
        return "", None, None
    job = of.job
    its = distinct(job.matched.of[job.rows_of(job.of.numbers.index(most.rank))])
    n = int((job.instances.is_known & (job.instances.n_members > 1))[its[its != NONE]].sum())
    if has_lead and (most.n_last or 0) <= n / 2:
        return "", None, None
    later = begins_later(of, most.rank)
    is_chance = not (has_lead or is_short or later) and _is_last_by_chance(of, most.rank)
    if is_chance:
        return _BY_TURNS, None, None
    not_whole = not_whole_in_any(of)
    the_others = "Of the ranks that are here, the others" if is_short else "The others"
    maybe = [who_is_not_here(absent)] if is_short else []
    maybe += [whose_device_is_not_recorded(lack)] if (lack := without_device_in_any(of)) else []
    maybe += [whose_file_is_not_whole(not_whole)] if not_whole else []
    but = f" Whether it was late for having waited for {' or '.join(maybe)} cannot be told." if maybe else ""
    in_which = CountedIn(
        text=f"by more than {format_ns(tied_ns(of.clock_error_ns))} it was last in {most.n_last} of its {n} collectives",
        dimension=None,
        kind=None,
        ranks=str(most.rank),
        steps=None,
        begun=None,
    )
    then = later + but
    return f" {the_others} wait most for rank {most.rank} to come: {in_which.text}.{then}", most.rank, in_which


def _is_last_by_chance(of: Analysed, number: int) -> bool:
    return is_last_by_chance(of.caused.least_ns, median(of.own.step), of.job.of.numbers.index(number))


def _still_in_a_step(of: Analysed) -> tuple[str, int | None, CountedIn | None] | None:
    """Whose device stands still in a step for far longer than any other, while the others wait: they do for it."""
    idle, length = from_peers(of.own.parts["idle"], of.layout), median(of.own.step)
    if (far := stands_still_in(idle, of.own.wait, length)) is None:
        return None
    number, step, ns = of.job.of.numbers[far[0]], int(of.own.number[far[1]]), format_ns(float(idle[far]))
    said = f" In step {step} the device of rank {number} stands still {ns} longer than its peers', and others wait longer then"
    return f"{said}; why is not recorded.", number, None
