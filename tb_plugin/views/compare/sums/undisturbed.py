"""What a step's work takes where nothing disturbs it: each call as fast as it was in any step.

    step 1   a 5  b 9  a 4        the first a: 5, 4 -> 4
    step 2   a 4  b 3  a 4        b: 9, 3 -> 3; the second a: 4
                                  undisturbed 11, where the steps have 18 and 11

Load of a shared machine makes calls longer and never shorter, and most calls are shorter than the slice of time that a scheduler
hands out: in one step or another a call ran in one piece. So this stands still where the time of steps drifts by half.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.grouping import group_by, sum_by

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.compare.sums.pieces import WorkPieces
    from tb_plugin.views.compare.sums.windows import Windows


def undisturbed_ns(trace: Trace, found: WorkPieces, call: Int64Array, windows: Windows) -> int:
    """Of the mean step of the most frequent kind; what only some of them have counts by their share. `call`: of each piece."""
    own = windows.kind[found.window] == 0
    if not own.any():
        return 0
    names = trace.events.name_id
    of_call = np.where(call == NONE, NONE, names[call])[own].astype(np.int64)
    name = names[found.row[own]].astype(np.int64)
    window, start, wall = found.window[own], found.start_ns[own], found.wall_ns[own]
    in_step = group_by(of_call, name, window)
    order = np.lexsort((wall, start, in_step.of))
    begins = np.flatnonzero(np.diff(in_step.of[order], prepend=NONE))
    ordinal = np.empty(len(order), np.int64)
    ordinal[order] = np.arange(len(order)) - np.repeat(begins, np.diff(begins, append=len(order)))
    one = group_by(of_call, name, ordinal)
    least = np.full(len(one), np.inf)
    np.minimum.at(least, one.of, wall)
    steps_with_it = sum_by(one, np.ones(len(order), np.int64))
    return round(float((least * steps_with_it).sum()) / int((windows.kind == 0).sum()))
