"""Where the step that a sentence tells of lies in the profiles of its ranks, or the gap or call in it: links open these there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from tb_plugin.job.why.cause import STANDS_STILL
from tb_plugin.job.why.more_waits import longest_of
from tb_plugin.trace.rank.step_work import PAUSES
from tb_plugin.views.ranks.result import Lead, StepInFile
from tb_plugin.views.ranks.told.blame import why_late

if TYPE_CHECKING:
    from tb_plugin.job.late.stragglers import Straggler
    from tb_plugin.job.why.cause import Cause
    from tb_plugin.views.ranks.basis.analysed import Analysed

_MOST: Final = 4
"""As many ranks as the page links to."""


def placed(of: Analysed, lead: Lead) -> Lead:
    """With the step in the file of each rank that has it; of who stands still then its longest gap, of who is held up by one
    call, that, and of who waits for its device more often the longest gap after such a call.
    """
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
    work, part, why = of.job.of.ranks[place].work, _long_call(of, place, step), why_late(of, place, step)
    if (its := _told_by_waits(of, place, step)) is not None:
        part = longest_of(of.job, its[0], its[1], place, step)
        why = None if part is None else why  # where it stands so is not known
    elif part is None and _stands_still(of, place, step):
        part = int(work["pause_at"][at[0]]), int(work[PAUSES[0]][at[0]])
    if part is not None:
        start, end = part[0], sum(part)
    own = step + of.job.counted_more.get(place, 0)
    called = "\n".join(filter(None, (f"step {own}", why)))
    return StepInFile(rank=number, step=own, start_ns=start, lasts_ns=end - start, called=called)


def _told_by_waits(of: Analysed, place: int, step: int) -> tuple[Straggler, str] | None:
    """The straggler, and the call, where it is late in this step first by what follows calls that it makes more."""
    for one, cause, _ in of.stragglers:
        if place in one.members and step in one.late_steps and cause.is_in(step):
            return (one, cause.event.name) if cause.event is not None and _follows_waits(cause) else None
    return None


def _follows_waits(cause: Cause) -> bool:
    return cause.id == "sync" and cause.event is not None and cause.event.told == "after"


def _long_call(of: Analysed, place: int, step: int) -> tuple[int, int] | None:
    """(begin, ns) of the call that is why it is late in this step."""
    rank = of.job.of.ranks[place]
    for one, cause, _ in of.stragglers:
        if cause.id != "long_call" or place not in one.members or step not in one.late_steps or not cause.is_in(step):
            continue
        names = [at for at, name in enumerate(rank.summary.names) if name in cause.kernels]
        rows = np.flatnonzero((rank.shapes["step"] == step) & np.isin(rank.shapes["name"], names))
        if len(rows):
            row = rows[int(np.argmax(rank.shapes["longest"][rows]))]
            return int(rank.shapes["longest_at"][row]), int(rank.shapes["longest"][row])
    return None


def _stands_still(of: Analysed, place: int, step: int) -> bool:
    """Whether that it does so, or waits for its loader, is why it is late in this step, first or beside: not after many calls."""
    return any(
        place in one.members
        and step in one.late_steps
        and each.id in (*STANDS_STILL, "input")
        and each.is_in(step)
        and not _follows_waits(each)
        for one, cause, _ in of.stragglers
        for each in cause.with_second
    )
