"""For whom the others wait most, where nobody is late: in a sentence, with what that counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.base.units import NONE, format_ns
from tb_plugin.compute.distinct import distinct
from tb_plugin.job.came_last import tied_ns
from tb_plugin.views.ranks.evidence import begins_later
from tb_plugin.views.ranks.missing import (
    absent_from_any,
    not_whole_in_any,
    who_is_not_here,
    whose_device_is_not_recorded,
    whose_file_is_not_whole,
    without_device_in_any,
)
from tb_plugin.views.ranks.result import CountedIn

if TYPE_CHECKING:
    from tb_plugin.views.ranks.analysed import Analysed
    from tb_plugin.views.ranks.result import RankRow, StepParts

_NOTABLE_WAIT: Final = 0.05
_NOTABLE: Final = 0.02


def waited_for(
    of: Analysed, parts: StepParts, rows: list[RankRow], *, has_lead: bool
) -> tuple[str, int | None, CountedIn | None]:
    """Who came last, where ranks wait all the same; nothing where they hardly wait, or for one as for another, or for the first
    stage of a pipeline, which ends last by design; nor for one that is seldom last where a missing rank leads (`has_lead`).
    """
    most = max(rows, key=lambda row: row.caused_least_ns or 0)
    held_up = most.caused_least_ns or 0
    not_here = absent_from_any(of)
    is_drain = most.stage == 0 and any(row.stage for row in rows) and not not_here
    if is_drain or (parts.wait_ns or 0) < _NOTABLE_WAIT * parts.step_ns or held_up < _NOTABLE * parts.step_ns:
        return "", None, None
    job = of.job
    its = distinct(job.matched.of[job.rows_of(job.of.numbers.index(most.rank))])
    n = int((job.instances.is_known & (job.instances.n_members > 1))[its[its != NONE]].sum())
    if has_lead and (most.n_last or 0) <= n / 2:
        return "", None, None
    not_whole = not_whole_in_any(of)
    the_others = "Of the ranks that are here, the others" if not_here else "The others"
    maybe = [who_is_not_here(not_here)] if not_here else []
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
    then = begins_later(of, most.rank) + but
    return f" {the_others} wait most for rank {most.rank} to come: {in_which.text}.{then}", most.rank, in_which
