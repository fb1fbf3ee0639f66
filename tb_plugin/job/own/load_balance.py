"""How evenly tokens fall on experts: what all-to-alls brought to each rank of a group.

    imbalance(group, step) = the most that a rank received / mean of its group - 1

The rank with the most computes longest, and the others wait for it to send back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import distinct

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array
    from tb_plugin.job.job import Job
    from tb_plugin.job.own.own_time import OwnTime


@dataclass(frozen=True, kw_only=True)
class LoadBalance:
    """`received`: [rank, step], NaN where no all-to-all said how it was split. The worst is of a group in one step."""

    received: Float64Array
    imbalance: float  # mean over groups and steps
    worst: float
    worst_ranks: tuple[int, ...]  # places: as many as received that, in any group
    worst_step: int


def load_balance(job: Job, own: OwnTime) -> LoadBalance | None:
    """None where nothing was split. Groups of which a member is not here are left out."""
    if not (job.rows.dispatched != NONE).any():
        return None
    received = np.full(own.step.shape, np.nan)
    told = []
    for place in range(len(job.of.ranks)):
        rows = job.rows_of(place)
        rows = rows[(job.rows.dispatched[rows] != NONE) & np.isin(job.rows.step[rows], own.number)]
        column = np.searchsorted(own.number, job.rows.step[rows])
        some = distinct(column)
        received[place, some] = np.bincount(column, weights=job.rows.dispatched[rows], minlength=len(own.number))[some]
    at = {rank.number: place for place, rank in enumerate(job.of.ranks)}
    used = distinct(job.rows.group[job.rows.dispatched != NONE])
    for group in used[used != NONE].tolist():
        numbers = job.table.groups[group].ranks or ()
        members = [at[number] for number in numbers if number in at]
        if len(members) < 2 or len(members) < len(numbers):
            continue
        for step in np.flatnonzero(np.isfinite(received[members]).all(axis=0)).tolist():
            mine = received[members, step]
            if mine.mean() > 0:
                most = tuple(members[nth] for nth in np.flatnonzero(mine == mine.max()).tolist())
                told.append((float(mine.max() / mine.mean() - 1), int(own.number[step]), most))
    if not told:
        return None
    worst, number, _ = max(told)
    return LoadBalance(
        received=received,
        imbalance=float(np.mean([share for share, *_ in told])),
        worst=worst,
        worst_ranks=tuple(sorted({rank for share, step, most in told if (share, step) == (worst, number) for rank in most})),
        worst_step=number,
    )
