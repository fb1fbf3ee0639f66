"""Which ranks came last to a collective, as `job/clocks/came_last.py` tells: one, or several together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Int64Array
    from tb_plugin.job.job import Job


def last_ranks(job: Job, instances: Int64Array | Sequence[int]) -> list[list[int]]:
    """Of each of these collectives the places of the ranks that came last to it; none where that is not known."""
    wanted = np.asarray(instances, np.int64)
    rows = np.flatnonzero(job.waits.is_last & np.isin(job.matched.of, wanted))
    rows = rows[np.lexsort((job.rows.rank[rows], job.matched.of[rows]))]
    of, rank = job.matched.of[rows], job.rows.rank[rows]
    begin, end = (np.searchsorted(of, wanted, side) for side in ("left", "right"))
    return [rank[low:high].tolist() for low, high in zip(begin.tolist(), end.tolist(), strict=True)]
