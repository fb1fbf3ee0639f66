"""Which kernel did the work of a call that launched several: its longest, where that takes nearly all of the time of all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.nesting import marked_around
from tb_plugin.trace.kinds import Kind

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

LEAST_SHARE: Final = 0.8
"""Of the time of a call's kernels, which the longest must take."""


class Launched(NamedTuple):
    """Kernels by row, and of each the row of the innermost call around its launch that was asked for."""

    kernel: Int64Array
    call: Int64Array

    def those(self, wanted: BoolArray | Int64Array) -> Launched:
        """Some of them: a mask, or places."""
        return Launched(self.kernel[wanted], self.call[wanted])


def launched_in(trace: Trace, kernels: BoolArray, calls: BoolArray) -> Launched:
    """Those of these event rows that are kernels launched in one of these calls."""
    events = trace.events
    rows = np.flatnonzero(kernels & (events.kind == Kind.KERNEL) & (events.owner != NONE))
    if not calls.any():
        return Launched(rows[:0], rows[:0])
    found = Launched(rows, marked_around(events.nest_parent, calls, events.owner[rows]))
    return found.those(found.call != NONE)


def main_kernels(trace: Trace, launched: Launched) -> Launched:
    """The longest kernel of each call, if it takes LEAST_SHARE of the time of those given of the call; by row."""
    duration = trace.events.duration_ns(launched.kernel)
    order: Int64Array = np.lexsort((-duration, launched.call))
    launched, duration = launched.those(order), duration[order]
    is_longest = np.diff(launched.call, prepend=NONE) != 0
    of_call = np.cumsum(is_longest) - 1
    total = np.bincount(of_call, weights=duration)[of_call]
    chosen = launched.those(is_longest & (duration >= LEAST_SHARE * total) & (duration > 0))
    by_row: Int64Array = np.argsort(chosen.kernel)
    return chosen.those(by_row)
