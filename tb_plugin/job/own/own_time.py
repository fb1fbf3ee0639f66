"""What a rank needed for itself in a step: its length less the exposed wait, and less what may be wait.

    own = computation + exposed transfer + copies + idle (its loader, pauses, launches)        step = own + wait + not told apart

Where a member of its groups is not here, what cannot be told apart may hold transfer, so own time is a lower bound: it holds
nothing that was waited for somebody who is not here.

The slowest own time sets the pace. A victim's own time is normal, however late it is: everybody downstream of a late rank is
late.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.compute.distinct import distinct
from tb_plugin.trace.rank.pause_events import IDLE_IN
from tb_plugin.trace.rank.step_work import PAUSES

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.job.job import Job
    from tb_plugin.job.own.exposed import Exposed
    from tb_plugin.job.ranks.ranks import Rank

PARTS = ("computation", "transfer", "copy", "idle")
"""Of own time, ns; they sum to it."""

ALSO = ("loader", "collection", *IDLE_IN, "launch", "n_launches", *PAUSES)
"""What tells causes apart; parts of parts, not in the sum."""


@dataclass(frozen=True, kw_only=True)
class OwnTime:
    """[rank, step] each; NaN where a rank has no such step. `parts` by the names of PARTS and ALSO.

    Wait, transfer and own time are NaN where nothing could be matched. Where clocks are not tied all communication is untold.
    """

    number: Int64Array  # of the columns
    step: Float64Array  # length
    wait: Float64Array  # exposed
    untold: Float64Array  # exposed, wait or transfer
    own: Float64Array
    parts: dict[str, Float64Array]


def own_times(job: Job, of: Exposed) -> OwnTime:
    """Of complete steps, and where none is of all that no end of a file cut off; a step that a rank lacks is NaN there."""
    ranks = job.of.ranks
    all_numbers = [rank.steps["number"][told_of(rank.steps["complete"])] for rank in ranks]
    number = distinct(np.concatenate(all_numbers)) if ranks else np.zeros(0, np.int64)
    shape = (len(ranks), len(number))
    step, wait, untold = (np.full(shape, np.nan) for _ in range(3))
    parts = {name: np.full(shape, np.nan) for name in (*PARTS, *ALSO)}
    for place, rank in enumerate(ranks):
        kept = np.flatnonzero(told_of(rank.steps["complete"]))
        column = np.searchsorted(number, rank.steps["number"][kept])
        step[place, column] = (rank.steps["end"] - rank.steps["start"])[kept]
        waited, _, not_told = of.shares[place].sum(axis=1).T
        wait[place, column], untold[place, column] = waited[kept], not_told[kept]
        for name in (*PARTS, *ALSO):
            source = rank.work["exposed"] - waited - not_told if name == "transfer" else rank.work[name]
            parts[name][place, column] = source[kept]
    if not job.has_own_work:
        wait, parts["transfer"] = np.full(shape, np.nan), np.full(shape, np.nan)
    return OwnTime(number=number, step=step, wait=wait, untold=untold, own=step - wait - untold, parts=parts)


def told_shares(job: Job, of: Exposed) -> list[Int64Array]:
    """`shares` of each rank, of the steps that figures are means of."""
    return [share[told_of(rank.steps["complete"])] for share, rank in zip(of.shares, job.of.ranks, strict=True)]


def told_steps(job: Job) -> Int64Array:
    """Numbers of those that every rank of `Job.tied` recorded whole; of all where no rank recorded one whole."""
    steps = [job.of.ranks[place].steps for place in job.tied.tolist()]
    whole = np.concatenate([each["number"][each["complete"] > 0] for each in steps])
    if len(whole) == 0:
        return distinct(np.concatenate([each["number"][told_of(each["complete"])] for each in steps]))
    numbers, n_ranks = np.unique(whole, return_counts=True)
    told: Int64Array = numbers[n_ranks == len(steps)]
    return told


def told_numbers(rank: Rank) -> Int64Array:
    """Of the steps of a rank that figures are means of: of no other step what it ran is all that it did there."""
    numbers: Int64Array = rank.steps["number"][told_of(rank.steps["complete"])]
    return numbers


def told_of(complete: Int64Array) -> BoolArray:
    """The steps of a rank that figures are means of."""
    kept: BoolArray = complete > 0 if (complete > 0).any() else complete == 0
    return kept
