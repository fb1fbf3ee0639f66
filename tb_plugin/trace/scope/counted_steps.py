"""Which steps a figure per step is of, and how long they last: the same in every view, the findings and the shell."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import BoolArray, Int64Array, format_ns
from tb_plugin.compute.intervals import Merged, length, union
from tb_plugin.trace.scope import ranges
from tb_plugin.trace.times.step_windows import StepWindows, step_windows

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

_SLIVER: Final = 0.2
"""Of its host range: a step that is less is said, since people look for it there."""

_HARDLY: Final = 0.1
"""Of the recording: steps that cover less do not stand for it."""


@dataclass(frozen=True)
class CountedSteps:
    """Of the chosen steps those that are complete; all chosen ones where none is.

    steps 5 (cut off), 6, 7; chosen 5-6: `is_selected` [True, True, False], `places` [1]
    """

    trace: Trace
    is_selected: BoolArray  # of each step of the trace
    places: Int64Array  # which of them count

    @property
    def windows(self) -> StepWindows:
        """Of all steps of the trace."""
        return step_windows(self.trace)

    @cached_property
    def duration_ns(self) -> Int64Array:
        """Of each that counts."""
        windows = self.windows
        return (windows.end_ns - windows.start_ns)[self.places]

    @cached_property
    def median_ns(self) -> int | None:
        """The step time; None without steps."""
        return int(np.median(self.duration_ns).round()) if len(self.places) else None

    @cached_property
    def time(self) -> Merged:
        """When they were: what shares are of. Of a trace without steps the whole recording."""
        if len(self.trace.steps) == 0:
            info = self.trace.info
            return union(np.array([info.start_ns]), np.array([info.end_ns]))
        return union(self.windows.start_ns[self.places], self.windows.end_ns[self.places])


def counted_steps(trace: Trace, chosen: str = "") -> CountedSteps:
    """`chosen`: the filter for steps, as `3-5,8`; empty: all. Raises UsageError or NotFoundError."""
    steps = trace.steps
    is_selected = ranges.chosen(chosen, "steps", steps.number) if chosen else np.ones(len(steps), np.bool_)
    complete = np.flatnonzero(is_selected & steps.complete)
    return CountedSteps(trace, is_selected, complete if len(complete) else np.flatnonzero(is_selected))


def step_notes(counted: CountedSteps) -> list[str]:
    """What has to be said beside a step time, in sentences; most often nothing."""
    trace, windows = counted.trace, counted.windows
    if counted.median_ns is None:
        return []
    notes = []
    host_ns = (trace.steps.end_ns - trace.steps.start_ns)[counted.places]
    if windows.is_behind:
        notes.append(
            "The device runs more than a step behind the host: a step is the device's own period, "
            f"{format_ns(counted.median_ns)}. The host launches one in {format_ns(float(np.median(host_ns)))}."
        )
    slivers = counted.places[counted.duration_ns < _SLIVER * host_ns]
    if len(slivers):
        first = slivers[0]
        named = f"Step {trace.steps.number[first]} counts" if len(slivers) == 1 else f"{len(slivers)} steps count"
        lasted, ranged = windows.end_ns[first] - windows.start_ns[first], trace.steps.end_ns[first] - trace.steps.start_ns[first]
        notes.append(
            f"{named} from when the device was done with earlier work: {format_ns(int(lasted))} of a host range of "
            f"{format_ns(int(ranged))}."
        )
    share = length(counted.time) / max(trace.info.end_ns - trace.info.start_ns, 1)
    if share < _HARDLY and counted.is_selected.all():
        notes.append(f"The steps cover only {100 * share:.2g} % of the recording; figures per step leave the rest out.")
    return notes
