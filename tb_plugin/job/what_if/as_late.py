"""Whether a rank that is not here may be as late as who is here: then a step may stay as it was without that one.

    rank 5    |compute              |==|       is blamed; without it ranks 0-4 meet 4 ms earlier
    rank 6    not recorded                     may have come with rank 5, and is waited for as long then

No file tells: what follows the last arrival of a rank that is here bounds only how much later it came.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.grouping import group_by

if TYPE_CHECKING:
    from collections.abc import Collection

    from tb_plugin.base.units import BoolArray
    from tb_plugin.job.job import Job
    from tb_plugin.job.replay.replay import Replay


def may_be_as_late(of: Replay, job: Job, numbers: Collection[int]) -> bool:
    """In one of these steps: of a collective with a rank that the replay does not have. Of who lost a kernel the rest tells."""
    if len(of.ranks) == job.of.world_size:
        return False
    at = of.what[np.flatnonzero(of.is_collective & np.isin(of.step, [*numbers]))]
    return bool(_with_others(of, job)[at].any())


def _with_others(of: Replay, job: Job) -> BoolArray:
    """Of each of the job's rows: one of its collective's members is not in the replay, as far as its group says."""
    here = np.array(job.of.numbers, np.int64)[of.ranks]
    rows = np.flatnonzero((job.rows.group != NONE) & np.isin(job.rows.rank, of.ranks))
    in_it = job.rows.group[rows[group_by(job.rows.group[rows], job.rows.rank[rows]).first]]
    known = np.bincount(in_it, minlength=len(job.table.groups))
    n_here = [
        n if group.ranks is None else int(np.isin(here, group.ranks).sum())
        for n, group in zip(known.tolist(), job.table.groups, strict=True)
    ]
    lacks = job.matched.n_members > np.array([*n_here, 0], np.int64)[job.matched.group]
    peer_lacks = (job.rows.peer != NONE) & ~np.isin(job.rows.peer, here)
    found: BoolArray = np.where(job.rows.is_between_two, peer_lacks, np.append(lacks, np.False_)[job.matched.of])
    return found
