"""Whether moving data is what a job loses most by, and for which dimension.

lost = what no kernel hides of transfers, against waiting and idling: means over ranks and steps
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.job.own.own_time import told_shares
from tb_plugin.job.what_if.what_if import told_with

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray
    from tb_plugin.job.job import Job
    from tb_plugin.job.own.dimensions import Dimensions
    from tb_plugin.job.own.exposed import Exposed
    from tb_plugin.job.own.own_time import OwnTime
    from tb_plugin.job.replay.replay import Replay
    from tb_plugin.job.what_if.what_if import Without

_NOTABLE: Final = 0.1
_MOST_OF: Final = 0.5


@dataclass(frozen=True, kw_only=True)
class Moving:
    """`dimension`: a place, NONE where no one has half of it. Times are of a rank and step."""

    dimension: int
    exposed_ns: float  # of all dimensions
    of_dimension_ns: float
    hidden_share: float  # of its transfers: what kernels hide


def moving(job: Job, of: Dimensions, hidden: Exposed, own: OwnTime) -> Moving | None:
    """None where more is lost otherwise, or it is less than a tenth of the step."""
    columns = (own.step, own.wait, own.parts["idle"], own.parts["transfer"])
    if not job.has_waits or not all(np.isfinite(column).any() for column in columns):
        return None
    step, wait, idle, lost = (float(np.nanmean(column)) for column in columns)
    if lost < max(_NOTABLE * step, wait, idle):
        return None
    told = np.concatenate(told_shares(job, hidden))[:, :, 1]
    total, n_steps = told.sum(axis=0), len(told)
    most = int(np.argmax(total))
    dimension = most if total[most] >= _MOST_OF * total.sum() else NONE
    rows = _rows(job, of, dimension)
    return Moving(
        dimension=dimension,
        exposed_ns=lost,
        of_dimension_ns=float(total[most]) / n_steps if dimension != NONE else lost,
        hidden_share=hidden_share(job, hidden, rows) or 0.0,
    )


def hidden_share(job: Job, hidden: Exposed, rows: BoolArray) -> float | None:
    """Of the transfers of these rows what kernels hide; None where they move nothing."""
    moved = int(job.waits.transfer[rows].sum())
    return 1 - int(hidden.transfer[rows].sum()) / moved if moved else None


def without_moving(of: Replay, job: Job, dimensions: Dimensions, found: Moving) -> Without | None:
    """Every step with these transfers at nothing; what is not told apart stays, since it may all be wait."""
    lag = of.lag.copy()
    rows = np.flatnonzero(of.is_collective & (of.length_edge != NONE))
    of_job = of.what[rows]
    free = rows[_rows(job, dimensions, found.dimension)[of_job] & (job.waits.untold[of_job] == 0)]
    lag[of.length_edge[free]] = 0.0
    return told_with(of, job, lag, tuple(of.as_it_was))


def _rows(job: Job, of: Dimensions, dimension: int) -> BoolArray:
    every: BoolArray = job.waits.is_known & (
        np.full(len(job.rows), dimension == NONE) | (of.of_rows(job.rows.group) == dimension)
    )
    return every
