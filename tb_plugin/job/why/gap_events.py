"""What the host of a late rank is in while its device idles in its longest gaps, and its longest copies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.job.late.longest_gaps import is_loader
from tb_plugin.trace.rank.step_work import COPIES, IN_PAUSES, PAUSES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tb_plugin.job.job import Job
    from tb_plugin.job.late.stragglers import Straggler
    from tb_plugin.job.ranks.ranks import Rank
    from tb_plugin.trace.rank.pause_events import FilledBy, PauseEvent

_BY_NAME: Final = ("other", "many", "after", "around")


def longer_in(job: Job, straggler: Straggler, n_told: int) -> dict[PauseEvent | None, float]:
    """How much longer its longest gaps of the late steps are than its peers', by what is in them; where that is the loader, by no
    more than the loader itself. `n_told`: without so many.
    """
    own = [in_gaps(job, straggler, [place], slice(n_told, None)) for place in straggler.members]
    peers = [in_gaps(job, straggler, [place], slice(None)) for place in straggler.peers]
    usual = {which: float(np.median([each.get(which, 0) for each in peers])) for each in own for which in each}
    longer = {which: max(float(np.mean([each.get(which, 0) for each in own])) - ns, 0.0) for which, ns in usual.items()}
    for which in [each for each in longer if each is not None and is_loader(each)]:
        beside = max(longer[which] - max(straggler.parts["loader"], 0.0), 0.0)
        longer[which], longer[None] = longer[which] - beside, longer.get(None, 0.0) + beside
    return longer


def event_of(job: Job, straggler: Straggler, cause: FilledBy) -> PauseEvent | None:
    """The one of this cause that is in most of the longest gaps."""
    lasted = in_gaps(job, straggler, straggler.members, slice(None))
    return max((each for each in lasted if each is not None and each.told == cause), key=lasted.__getitem__, default=None)


def longest_copies(job: Job, straggler: Straggler) -> PauseEvent | None:
    """Those that are the longest of most late steps."""
    n_steps: dict[PauseEvent, int] = {}
    for rank, at in _late_rows(job, straggler, straggler.members):
        if (place := int(rank.work[COPIES][at])) != NONE:
            event = rank.summary.pause_events[place]
            n_steps[event] = n_steps.get(event, 0) + 1
    return max(n_steps, key=n_steps.__getitem__, default=None)


def _late_rows(job: Job, straggler: Straggler, places: Sequence[int]) -> Iterator[tuple[Rank, int]]:
    """Of these ranks the rows of the late steps."""
    for rank in (job.of.ranks[place] for place in places):
        for at in np.flatnonzero(np.isin(rank.steps["number"], straggler.late_steps)).tolist():
            yield rank, at


def in_gaps(job: Job, straggler: Straggler, places: Sequence[int], gaps: slice) -> dict[PauseEvent | None, int]:
    """How long these of the longest gaps of the late steps are, by what is in them, of these ranks."""
    lasted: dict[PauseEvent | None, int] = {}
    for rank, at in _late_rows(job, straggler, places):
        for length, within in zip(PAUSES[gaps], IN_PAUSES[gaps], strict=True):
            place = int(rank.work[within][at])
            which = None if place == NONE else rank.summary.pause_events[place]
            lasted[which] = lasted.get(which, 0) + int(rank.work[length][at])
    return lasted


def kind_of(event: PauseEvent | None) -> str | None:
    """By which gaps add up: a cause, or a name that tells none."""
    return None if event is None else f"{event.told} {event.name}" if event.told in _BY_NAME else event.told
