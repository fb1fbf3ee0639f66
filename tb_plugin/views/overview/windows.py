"""From when to when does a step last?

A step's device work ends after its host range. As long as the device is less than one step behind, a step lasts until
that work is done, and the next one begins there:

    host    |--5--||--6--|                 device   ..555555666666
    steps   |---5----||--6---|             so that kernels count in the step that launched them

Where the device is further behind (a long launch queue), such windows would hold none of the host's work for the step;
then every step of the profile is its host range. `docs/metrics.md` has the reasons.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.trace.kinds import DEVICE_KINDS, is_kind

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


class StepWindows(NamedTuple):
    """One [start, end) per row of `trace.steps`, and whether device work set the ends."""

    start_ns: Int64Array
    end_ns: Int64Array
    with_device_work: bool


def step_windows(trace: Trace) -> StepWindows:
    """`with_device_work` is False also where there is no device work at all."""
    events, steps = trace.events, trace.steps
    host = StepWindows(steps.start_ns, steps.end_ns, with_device_work=False)
    work = np.flatnonzero(is_kind(events.kind, DEVICE_KINDS))
    step = events.step[work]
    of_step = (step != NONE) & (events.launch[work] != NONE)
    if len(steps) == 0 or not of_step.any():
        return host
    work_end = np.full(len(steps), np.iinfo(np.int64).min)
    np.maximum.at(work_end, step[of_step], events.end_ns[work[of_step]])
    begin = np.concatenate(([_end_of_earlier_work(trace, work[~of_step])], work_end[:-1]))
    if (begin > steps.end_ns).any():
        return host
    return StepWindows(np.maximum(steps.start_ns, begin), np.maximum(steps.end_ns, work_end), with_device_work=True)


def _end_of_earlier_work(trace: Trace, rows: Int64Array) -> int:
    """When the device was done with what was launched before the first step, or by calls that are not in the file."""
    events = trace.events
    launch = events.launch[rows]
    is_earlier = (launch == NONE) | (events.start_ns[launch] < trace.steps.start_ns[0])
    return int(events.end_ns[rows[is_earlier]].max(initial=np.iinfo(np.int64).min))
