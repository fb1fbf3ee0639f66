"""Matches that cannot be: a member that ends before the last one has come.

The test needs no clock between ranks of one host; between hosts it is made again with the solved clocks and their error. An
instance that fails is not used; where more than 5 % of a group's fail, none of that group is: its order differs between ranks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.compute.grouping import group_by, max_by, min_by
from tb_plugin.trace.collectives import kinds

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Int64Array
    from tb_plugin.job.matching import Matched
    from tb_plugin.job.rows import CollectiveRows

MOST_FAILING: Final = 0.05
DEVICES_NS: Final = 5_000
"""What the clocks of two devices of one host differ by, at most (DLRM on 8 V100: 1.8 us; simulated: 2 sigma of 1 us each)."""


def impossible(
    rows: CollectiveRows,
    found: Matched,
    place: Int64Array,
    start: Int64Array,
    end: Int64Array,
    slack_ns: Int64Array,
    resolution_ns: int,
) -> BoolArray:
    """Instances in which members at one `place` (a host, or a component of clocks) end before the last of them has come.

    `start`, `end`, `slack_ns` are of each row, on the clock of its place.
    """
    use = np.flatnonzero(rows.is_there & (found.of >= 0))
    together = group_by(found.of[use], place[use])
    kind = rows.kind[use]
    # Of a pair only the receiver has to wait: it may not end before the sender has begun.
    begins = np.where(kind == kinds.RECV, np.iinfo(np.int64).min, start[use])
    ends = np.where(kind == kinds.SEND, np.iinfo(np.int64).max, end[use] + slack_ns[use] + DEVICES_NS + 2 * resolution_ns)
    fails = min_by(together, ends) < max_by(together, begins)
    binds = np.isin(kind[together.first], (*kinds.SYNCHRONISING, kinds.SEND, kinds.RECV, kinds.SEND_RECV))
    failed = np.zeros(len(found), np.bool_)
    failed[found.of[use][together.first][fails & binds]] = True
    return failed


def refused_groups(found: Matched, failed: BoolArray, n_groups: int) -> Int64Array:
    """Places of groups of which too many matches failed."""
    is_tested = found.is_matched
    tested = np.bincount(found.group[is_tested], minlength=n_groups)
    wrong = np.bincount(found.group[is_tested & failed], minlength=n_groups)
    refused: Int64Array = np.flatnonzero(wrong > MOST_FAILING * np.maximum(tested, 1))
    return refused
