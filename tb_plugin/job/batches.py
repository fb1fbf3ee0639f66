"""Rows of one kernel: sends and receives that were issued as one batch (`trace/collectives/batches.py`) begin and end together.

The kernel waits for all of them: its wait is until the last of those on the other sides has come, and so is that of each row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, BoolArray
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.grouping import Groups, group_by, max_by, min_by

if TYPE_CHECKING:
    from tb_plugin.job.matching import Matched
    from tb_plugin.job.rows import CollectiveRows

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
    has_several = (min_by(of_kernel, rows.peer) != max_by(of_kernel, rows.peer))[of_kernel.of]
    use = np.flatnonzero(found.of != NONE)
    result[found.of[use[has_several[use]]]] = True
    members = group_by(found.of[use])
    differs = min_by(members, n_rows[use]) != max_by(members, n_rows[use])
    result[found.of[use[members.first[differs]]]] = True
    return result
