"""A recording without steps counts as one step: `with profile():` without `step()` is mostly one, and ranks can be compared so.

host     .....|--launch ... wait--|...        it lasts while devices are at work: from the first launch of such work to its
device          ..work ......work |           end; without a device as long as the recording
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.trace.kinds import DEVICE_KINDS, is_kind
from tb_plugin.trace.model import Steps

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

NUMBER: Final = 0
"""Of the step that is the whole recording."""


def with_a_step(trace: Trace) -> Trace:
    """The trace itself where it has steps, or no event."""
    events = trace.events
    if len(trace.steps) or len(events) == 0:
        return trace
    start_ns, end_ns = _at_work(trace)
    numbers = {"number": NUMBER, "row": NONE, "start_ns": start_ns, "end_ns": end_ns, "complete": 1}
    step = np.zeros(len(events), np.int32)  # the row of each event's step
    return dataclasses.replace(
        trace,
        steps=Steps.from_columns({name: np.array([number]) for name, number in numbers.items()}),
        events=dataclasses.replace(events, step=step),
    )


def _at_work(trace: Trace) -> tuple[int, int]:
    events = trace.events
    work = np.flatnonzero(is_kind(events.kind, DEVICE_KINDS))
    if len(work) == 0:
        return trace.info.start_ns, trace.info.end_ns
    launch = events.launch[work]
    begun = np.minimum(events.start_ns[work], np.where(launch == NONE, events.start_ns[work], events.start_ns[launch]))
    return int(begun.min()), int(events.end_ns[work].max())
