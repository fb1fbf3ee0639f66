"""Which stretch of time a question about memory is about, and the highest value of a Series in it.

allocated   before 100 |  A +400  |        B -300 |
steps               ...|--1--|       |----2----|         the peak of step 2 is 500, from its start: A is there already
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.trace.scope import ranges

if TYPE_CHECKING:
    from tb_plugin.trace.memory.series import Series
    from tb_plugin.trace.model import Trace


def window_of(trace: Trace, every: list[Series]) -> tuple[int, int]:
    """From the first to the last event of the recording, memory events included; never empty. ns."""
    starts = [trace.info.start_ns, *(int(series.time_ns[0]) for series in every)]
    ends = [trace.info.end_ns, *(int(series.time_ns[-1]) + 1 for series in every)]
    return min(starts), max(*ends, min(starts) + 1)


def range_of_steps(trace: Trace, steps: str) -> tuple[int, int]:
    """From the start of the first of these steps to the end of the last. ns.

    By the host's ranges, since memory is taken and given back there. Raises UsageError for numbers that cannot be read,
    NotFoundError where the profile has none of them.
    """
    chosen = ranges.chosen(steps, "steps", trace.steps.number)
    return int(trace.steps.start_ns[chosen].min()), int(trace.steps.end_ns[chosen].max())


def peak(series: Series, values: Int64Array, t0_ns: int, t1_ns: int) -> int:
    """Position of the event after which the value is highest in the range, the earliest of equals.

    It may be the last event before the range, whose value holds at its start, or NONE where none came before.
    """
    first, end = np.searchsorted(series.time_ns, (t0_ns, t1_ns)).tolist()
    if end == 0:
        return NONE
    low = max(first - 1, 0)
    highest = low + int(np.argmax(values[low:end]))
    # Only what is allocated is known for the time before the first event.
    starts_higher = first == 0 and values is series.allocated and series.before >= values[highest]
    return NONE if starts_higher else highest


def value_before(series: Series, position: int) -> tuple[int, int]:
    """(allocated, reserved) just before the event at this position. Reserved before the first one is taken as after it."""
    allocated = int(series.allocated[position - 1]) if position else series.before
    return allocated, int(series.reserved[max(position - 1, 0)]) if series.reserved is not None else 0


def after(series: Series, position: int) -> tuple[int, int]:
    """(allocated, reserved) from the event at this position on; before all events for NONE."""
    return value_before(series, position + 1)


def time_of(series: Series, position: int, t0_ns: int) -> int:
    """When that value first holds in a range from `t0_ns` on."""
    return t0_ns if position == NONE else max(int(series.time_ns[position]), t0_ns)
