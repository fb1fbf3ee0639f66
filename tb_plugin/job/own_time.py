"""What a rank needed for itself in a step: its length less the exposed wait.

    own = computation + exposed transfer + copies + idle (its loader, pauses, launches)

Of a step in which a partner lacks because its file is cut off, wait, transfer and own time are not known.

The slowest own time sets the pace. A victim's own time is normal, however late it is: everybody downstream of a late rank is
late.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import distinct

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.job.exposed import Exposed
    from tb_plugin.job.job import Job

PARTS = ("computation", "transfer", "copy", "idle")
"""Of own time, ns; they sum to it. `transfer` holds exposed communication that no other rank's record was matched with."""

ALSO = ("loader", "collection", "launch", "n_launches", "pause")
"""What tells causes apart; parts of parts, not in the sum."""


@dataclass(frozen=True, kw_only=True)
class OwnTime:
    """[rank, step] each; NaN where a rank has no such step. `number`: of the columns. `parts` by the names of PARTS and ALSO."""

    number: Int64Array
    step: Float64Array  # length
    wait: Float64Array  # exposed
    own: Float64Array
    parts: dict[str, Float64Array]


def own_times(job: Job, of: Exposed) -> OwnTime:
    """Of complete steps, and all where none is; a step that a rank lacks is NaN there."""
    ranks = job.of.ranks
    all_numbers = [rank.steps["number"][_kept(rank.steps["complete"])] for rank in ranks]
    number = distinct(np.concatenate(all_numbers)) if ranks else np.zeros(0, np.int64)
    shape = (len(ranks), len(number))
    step, wait = np.full(shape, np.nan), np.full(shape, np.nan)
    parts = {name: np.full(shape, np.nan) for name in (*PARTS, *ALSO)}
    for place, rank in enumerate(ranks):
        kept = np.flatnonzero(_kept(rank.steps["complete"]))
        column = np.searchsorted(number, rank.steps["number"][kept])
        step[place, column] = (rank.steps["end"] - rank.steps["start"])[kept]
        wait[place, column] = of.waited[place][kept]
        for name in (*PARTS, *ALSO):
            source = rank.work["exposed"] - of.waited[place] if name == "transfer" else rank.work[name]
            parts[name][place, column] = source[kept]
    unknown = _lacking_partners(job, number)
    wait[unknown] = np.nan
    parts["transfer"][unknown] = np.nan
    return OwnTime(number=number, step=step, wait=wait, own=step - wait, parts=parts)


def _lacking_partners(job: Job, number: Int64Array) -> BoolArray:
    """[rank, step] in which a collective lacks a member whose file is cut off; that rank's step too."""
    ranks, rows, found = job.of.ranks, job.rows, job.matched
    unknown = np.zeros((len(ranks), len(number)), np.bool_)
    cut = {rank.number: place for place, rank in enumerate(ranks) if rank.summary.is_cut_off}
    if not cut:
        return unknown
    lacks = np.flatnonzero((rows.step != NONE) & (found.of != NONE) & np.isin(rows.step, number))
    lacks = lacks[found.n_there[found.of[lacks]] < found.n_members[found.of[lacks]]]
    for row in lacks.tolist():
        group = job.table.groups[rows.group[row]] if rows.group[row] < len(job.table.groups) else None
        members = group.ranks if group is not None and group.ranks is not None else tuple(cut)
        for place in (cut[each] for each in members if each in cut):
            column = int(np.searchsorted(number, rows.step[row]))
            unknown[[rows.rank[row], place], column] = True
    return unknown


def _kept(complete: Int64Array) -> BoolArray:
    kept: BoolArray = complete > 0 if complete.any() else complete >= 0
    return kept
