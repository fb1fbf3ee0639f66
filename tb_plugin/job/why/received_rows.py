"""Who has more rows than its peers, as all-to-alls bring them: experts compute on these, in kernels that may not say so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.job.why.cause import Cause
from tb_plugin.job.why.same_grid import may_come_of_rows

if TYPE_CHECKING:
    from tb_plugin.job.job import Job
    from tb_plugin.job.late.stragglers import Straggler


def by_rows(told: Cause, job: Job, straggler: Straggler) -> Cause:
    """Of kernels that may have had more input: they had, where as much more was brought to it. Else as `told`."""
    rows = received_rows(job, straggler) if told.may_be_input else None
    if rows is None or told.factor is None or not may_come_of_rows(told.kernels[0], rows[0] / rows[1], told.factor):
        return told
    return Cause(id="more_work", confidence="likely", amount_ns=told.amount_ns, kernels=told.kernels, rows=rows)


def received_rows(job: Job, straggler: Straggler) -> tuple[float, float] | None:
    """In a mean late step: of the members, and of the peers in the median. None where one of them does not say."""
    numbers = straggler.late_steps
    at = np.flatnonzero((job.rows.dispatched != NONE) & np.isin(job.rows.step, numbers))
    total = np.bincount(job.rows.rank[at], job.rows.dispatched[at], minlength=len(job.of.ranks)) / max(len(numbers), 1)
    own, theirs = total[list(straggler.members)], total[list(straggler.peers)]
    are_told = len(own) > 0 and len(theirs) > 0 and bool((own > 0).all() and (theirs > 0).all())
    return (float(own.mean()), float(np.median(theirs))) if are_told else None
