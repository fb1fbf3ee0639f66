"""Whether what a kernel works on may come too late once transfers take longer.

    gather   |==|                     |=======|
    kernel         |layer|                     |layer|       it needs what was gathered, and today that is there long before:
                                                             no time tells, and a replay lets it begin where it did

Reductions of gradients are not meant: what comes after the last of these waits for that today.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.trace.collectives.kinds import ALL_GATHER, ALL_TO_ALL, BROADCAST
from tb_plugin.trace.rank.order import CHUNK

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array
    from tb_plugin.job.job import Job
    from tb_plugin.job.replay.replay import Replay

_BRING: Final = (ALL_GATHER, ALL_TO_ALL, BROADCAST)
"""What a kernel works on."""


def may_hold_up(of: Replay, job: Job, lag: Float64Array) -> bool:
    """With these lengths of collectives a kernel may wait for one that held up none."""
    rows = np.flatnonzero(of.is_collective & (of.length_edge != NONE) & np.isin(of.step, of.told_steps))
    rows = rows[np.isin(job.rows.kind[of.what[rows]], _BRING) & (lag[of.length_edge[rows]] > of.lag[of.length_edge[rows]])]
    if len(rows) == 0:  # as of most edits
        return False
    last_chunk = np.full(int(of.rank.max(initial=0)) + 1, NONE)
    chunks = np.flatnonzero(of.kind == CHUNK)
    last_chunk[of.rank[chunks]] = chunks  # the last one of each stays
    rows = rows[rows < last_chunk[of.rank[rows]]]
    to_start = (of.target < 3 * len(of.rank)) & (of.target % 3 == 1)
    waits = to_start & (of.source % 3 == 2)
    waits[waits] = of.kind[of.target[waits] // 3] == CHUNK
    return bool((~np.isin(rows, of.source[waits] // 3)).any())
