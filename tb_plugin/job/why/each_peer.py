"""How many kernels of more work each of the peers runs: a mean over some that run few and some that run many is no rank's count.

flash_bwd    stage 2    32 a step
             stage 0    16, stages 1 and 3    24        32 against 16 to 24, and not against 21
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.job.own.own_time import told_numbers

if TYPE_CHECKING:
    from tb_plugin.job.job import Job
    from tb_plugin.job.late.stragglers import Straggler
    from tb_plugin.job.why.cause import Cause


def with_each_peer(job: Job, straggler: Straggler, cause: Cause) -> Cause:
    """With the least and the most that one of them runs a step, of all kernels and of those that are told."""
    if cause.id != "more_work" or cause.n_more is None:
        return cause
    own, theirs = (
        [ran for place in places if (ran := _ran(job, place, straggler, cause.kernels)) is not None]
        for places in (straggler.members, straggler.peers)
    )
    if not theirs or not own:
        return cause
    least, most = (np.array(theirs).min(axis=0).tolist(), np.array(theirs).max(axis=0).tolist())
    n_ran = float(np.mean([ran[0] for ran in own]))
    return replace(
        cause,
        n_more_than_each=(n_ran - most[0], n_ran - least[0]),
        calls_of_peers=tuple(zip(least[1:], most[1:], strict=True)),
    )


def _ran(job: Job, place: int, straggler: Straggler, kernels: tuple[str, ...]) -> list[float] | None:
    """Of a mean late step of a rank: kernels of any name, then of each of these; None where it has none of these steps."""
    rank = job.of.ranks[place]
    numbers = np.intersect1d(straggler.late_steps, told_numbers(rank))
    if len(numbers) == 0:
        return None
    its = np.isin(rank.shapes["step"], numbers)
    count = np.bincount(rank.shapes["name"][its], rank.shapes["count"][its], minlength=len(rank.summary.names)) / len(numbers)
    at = {name: nth for nth, name in enumerate(rank.summary.names)}
    return [float(count.sum()), *(float(count[at[name]]) if name in at else 0.0 for name in kernels)]
