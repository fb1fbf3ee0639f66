"""Rows of one kernel: sends and receives that were issued as one batch (`trace/collectives/batches.py`) begin and end together.

The kernel waits for all of them: its wait is until the last of those on the other sides has come, and so is that of each row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.grouping import Groups, group_by, max_by, min_by
from tb_plugin.trace.collectives import kinds

if TYPE_CHECKING:
    from tb_plugin.job.matching.matching import Matched
    from tb_plugin.job.ranks.rows import CollectiveRows

_KEPT: Final = "_kept batches"
_ROWS: Final = 1 << 40
"""More than a trace has."""


def batches(rows: CollectiveRows) -> Groups | None:
    """Rows by kernel; None where no kernel has two of them. Told once of a table, and kept in it."""
    if _KEPT not in vars(rows):
        vars(rows)[_KEPT] = _batches(rows)
    found: Groups | None = vars(rows)[_KEPT]
    return found


def _batches(rows: CollectiveRows) -> Groups | None:
    mine = np.flatnonzero(rows.is_between_two & rows.is_there)
    key = rows.rank[mine] * _ROWS + rows.row[mine]
    if len(distinct(key)) == len(key):
        return None
    kernel = -1 - np.arange(len(rows))
    kernel[mine] = key
    return group_by(kernel)


def uneven(rows: CollectiveRows, found: Matched) -> BoolArray:
    """Instances of a batch with several ranks, or one of which the other side does less in one kernel: their members need not end
    together.
    """
    of_kernel = batches(rows)
    result = np.zeros(len(found), np.bool_)
    if of_kernel is None:
        return result
    n_rows = np.bincount(of_kernel.of, minlength=len(of_kernel))[of_kernel.of]
    first, last = _peers(of_kernel, rows.peer, np.ones(len(rows), np.bool_))
    has_several = (first != last)[of_kernel.of]
    use = np.flatnonzero(found.of != NONE)
    result[found.of[use[has_several[use]]]] = True
    members = group_by(found.of[use])
    differs = min_by(members, n_rows[use]) != max_by(members, n_rows[use])
    result[found.of[use[members.first[differs]]]] = True
    return result


class PartEnds(NamedTuple):
    """Of each row of a kernel with several when its own part was over at the latest, and whether that is what the kernel's end
    tells: nothing that it exchanges with another rank took so long. Of a row with a kernel of its own its end, and it is told.
    """

    end: Int64Array
    is_told: BoolArray
    is_several: BoolArray  # its kernel has others


def part_ends(
    rows: CollectiveRows, found: Matched, is_known: BoolArray, end: Int64Array, slack_ns: Int64Array
) -> PartEnds | None:
    """A message is over on both sides by when the sooner of their kernels ends: what makes the other kernel longer is another
    one. Where that leaves a kernel whose end none of its parts explains, it is a receive: its sender left early.

        kernel   sends to, receives from   ends at     over by             told
        0        1, 3                            1     1: 1, 3: 1          neither: one of them took so long
        1        2, 0                           10     2: 10, 0: 1         to 2

    `is_known`: of each instance. `end`, `slack_ns`: of each row, on the job's clock. None where no kernel has two of them.
    """
    of_kernel = batches(rows)
    if of_kernel is None:
        return None
    use = np.flatnonzero(rows.is_there & (found.of != NONE))
    use = use[is_known[found.of[use]]]
    members = group_by(found.of[use])
    over = end.copy()
    over[use] = min_by(members, end[use])[members.of]
    is_reached = over >= end - slack_ns
    has_reason = (max_by(of_kernel, is_reached.astype(np.int64)) > 0)[of_kernel.of]
    receives = rows.kind == kinds.RECV
    has_receive = (max_by(of_kernel, receives.astype(np.int64)) > 0)[of_kernel.of]
    is_reached |= ~has_reason & (receives | ~has_receive)
    first, last = (of_peer[of_kernel.of] for of_peer in _peers(of_kernel, rows.peer, is_reached))
    n_rows = np.bincount(of_kernel.of)[of_kernel.of]
    return PartEnds(np.where(is_reached, end, over), is_reached & (first == last), n_rows > 1)


def _peers(of_kernel: Groups, peer: Int64Array, which: BoolArray) -> tuple[Int64Array, Int64Array]:
    """Of each kernel the lowest and the highest peer of these rows."""
    low, high = np.iinfo(np.int64).max, np.iinfo(np.int64).min
    return min_by(of_kernel, np.where(which, peer, low)), max_by(of_kernel, np.where(which, peer, high))
