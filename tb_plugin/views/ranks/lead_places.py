"""Where the step that a sentence tells of lies in the profiles of its ranks: links open these there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from tb_plugin.views.ranks.result import Lead, StepInFile

if TYPE_CHECKING:
    from tb_plugin.views.ranks.analysed import Analysed

_MOST: Final = 4
"""As many ranks as the page links to."""


def placed(of: Analysed, lead: Lead) -> Lead:
    """With the step in the file of each rank that has it."""
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
    return StepInFile(rank=number, step=step + of.job.counted_more.get(place, 0), start_ns=start, lasts_ns=end - start)
