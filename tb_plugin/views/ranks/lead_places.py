"""Where the step that a sentence tells of lies in the profiles of its ranks, or the gap in it: links open these there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from tb_plugin.job.cause import STANDS_STILL
from tb_plugin.trace.rank.step_work import PAUSES
from tb_plugin.views.ranks.result import Lead, StepInFile

if TYPE_CHECKING:
    from tb_plugin.views.ranks.analysed import Analysed

_MOST: Final = 4
"""As many ranks as the page links to."""


def placed(of: Analysed, lead: Lead) -> Lead:
    """With the step in the file of each rank that has it; of who stands still then, what is around its longest gap."""
    if lead.step is None:
        return lead
    found = [_in_file(of, rank, lead.step) for rank in lead.ranks[:_MOST]]
    return msgspec.structs.replace(lead, places=[one for one in found if one is not None])


def _in_file(of: Analysed, number: int, step: int) -> StepInFile | None:
    place = of.job.of.numbers.index(number)
    steps = of.job.of.ranks[place].steps
    at = np.flatnonzero(steps["number"] == step)
    if len(at) == 0:
        return None
    start, end = (int(steps[name][at[0]]) for name in ("start", "end"))
    if _stands_still(of, place, step):
        work = of.job.of.ranks[place].work
        begin, lasts = (int(work[name][at[0]]) for name in ("pause_at", PAUSES[0]))
        start, end = max(start, begin - lasts // 2), min(end, begin + lasts + lasts // 2)
    return StepInFile(rank=number, step=step + of.job.counted_more.get(place, 0), start_ns=start, lasts_ns=end - start)


def _stands_still(of: Analysed, place: int, step: int) -> bool:
    """Whether that it does so, or waits for its loader, is why it is late in this step, first or beside."""
    return any(
        place in one.members and step in one.late_steps and each.id in (*STANDS_STILL, "input")
        for one, cause, _ in of.stragglers
        for each in (cause, *([cause.also] if cause.also else []))
    )
