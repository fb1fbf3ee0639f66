"""The replay without calls that wait for the device of which a straggler makes more than its peers: its host goes on at once.

Of calls at one place, of which the peers make some, none is taken: which of them is more is not told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.job.why.more_waits import waits_more
from tb_plugin.trace.rank.order import SYNC

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array
    from tb_plugin.job.job import Job
    from tb_plugin.job.late.stragglers import Straggler
    from tb_plugin.job.replay.replay import Replay
    from tb_plugin.job.why.cause import Cause


def wait_no_more(of: Replay, job: Job, one: Straggler, cause: Cause, lag: Float64Array, rank: int, number: int) -> None:
    """Changes `lag` of a rank by its place, in a step: what waited for its device there waits for nothing. Nothing changes where
    the calls are not those of the replay one by one.
    """
    for each in cause.with_second:
        if each.id != "sync" or each.event is None or not each.calls or not each.is_in(number):
            continue
        more = waits_more(job, one, each.event.name, rank, number)
        rows = np.flatnonzero((of.rank == rank) & (of.step == number) & (of.kind == SYNC))
        if len(more) == len(rows):
            ends = 3 * rows[more] + 2
            lag[np.isin(of.target, ends) & (of.source % 3 == 2) & (of.source < 3 * len(of.rank))] = -np.inf
