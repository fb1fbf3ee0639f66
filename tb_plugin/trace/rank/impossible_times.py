"""Times that the rest of the file contradicts, as a few damaged bytes leave them: no figure rests on these.

    launched    1   2   3   4   5         what a stream runs it runs in the order of launches
    its stream  1   2222222222222...      2 ends after three that were launched after it have begun: it ends where 3 begins, at
                      3   4   5           most; so is what begins before three that were launched before it have ended

    ProfilerStep#10   ..................  the next one of the loop begins in it: it ends there
    ProfilerStep#11      ......

Told where these are a few of a file: what many do is how it was recorded. What communicates takes as long as others let it wait,
and is not looked at. The steps that they are of are not whole.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.cut import cut_middle
from tb_plugin.base.units import NONE, BoolArray, Int64Array, format_ns
from tb_plugin.compute.distinct import distinct
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.work.taxonomy import collective_kernels

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

_CLEARLY_NS: Final = 1_000_000
_WITNESSES: Final = 3
_LONGEST_NAME: Final = 60
_MOST: Final = 3
"""Events of a file."""


class Possible(NamedTuple):
    """The trace with times that can be, what could not, in sentences, and of which steps that is."""

    trace: Trace
    said: list[str]
    is_in: BoolArray


def with_possible_times(trace: Trace) -> Possible:
    """The trace itself where all can be."""
    events, n_steps = trace.events, len(trace.steps)
    rows, start, end = _impossible_kernels(trace)
    steps = np.flatnonzero(trace.steps.end_ns[:-1] > trace.steps.start_ns[1:] + _CLEARLY_NS)
    rows, steps = (few if len(few) <= _MOST else few[:0] for few in (rows, steps))
    if not len(rows) and not len(steps):
        return Possible(trace, [], np.zeros(n_steps, np.bool_))
    said = [_of_kernel(trace, int(row)) for row in rows.tolist()] + [_of_step(trace, int(step)) for step in steps.tolist()]
    is_in = np.zeros(n_steps + 1, np.bool_)
    is_in[[*events.step[rows].tolist(), *steps.tolist()]] = True
    starts, ends, step_ends = events.start_ns.copy(), events.end_ns.copy(), trace.steps.end_ns.copy()
    starts[rows], ends[rows] = start[rows], end[rows]
    step_ends[steps] = trace.steps.start_ns[steps + 1]
    its_row = trace.steps.row[steps]
    ends[its_row[its_row != NONE]] = step_ends[steps][its_row != NONE]
    for column in (starts, ends, step_ends):
        column.setflags(write=False)
    better = replace(trace, events=replace(events, start_ns=starts, end_ns=ends), steps=replace(trace.steps, end_ns=step_ends))
    return Possible(better, said, is_in[:-1])


def _impossible_kernels(trace: Trace) -> tuple[Int64Array, Int64Array, Int64Array]:
    """(rows, when each event of the trace begins and ends at most)."""
    events = trace.events
    start, end = events.start_ns.copy(), events.end_ns.copy()
    kernels = np.flatnonzero((events.kind == Kind.KERNEL) & ~collective_kernels(trace) & (events.launch != NONE))
    n_started = np.bincount(events.launch[kernels], minlength=len(events))
    kernels = kernels[n_started[events.launch[kernels]] == 1]  # a graph's run side by side
    found = []
    for track in distinct(events.track[kernels]).tolist():
        its = kernels[events.track[kernels] == track]
        if len(its) <= _WITNESSES:
            continue
        begun, done = events.start_ns[events.launch[its]], events.end_ns[events.launch[its]]
        by_begun, by_done = np.argsort(begun, kind="stable"), np.argsort(done, kind="stable")
        after = np.searchsorted(begun[by_begun], done, side="left")[:, None] + np.arange(_WITNESSES)
        before = np.searchsorted(done[by_done], begun, side="right")[:, None] - 1 - np.arange(_WITNESSES)
        nexts = events.start_ns[its[by_begun[np.minimum(after, len(its) - 1)]]]
        lasts = events.end_ns[its[by_done[np.maximum(before, 0)]]]
        is_late = (after[:, -1] < len(its)) & (events.end_ns[its] > nexts.max(axis=1) + _CLEARLY_NS)
        is_early = (before[:, -1] >= 0) & (events.start_ns[its] < lasts.min(axis=1) - _CLEARLY_NS)
        odd = np.flatnonzero(is_late | is_early)
        found += its[odd].tolist()
        least = np.where(before[:, -1] >= 0, np.median(lasts, axis=1).astype(np.int64), events.start_ns[its])[odd]
        most = np.where(after[:, -1] < len(its), nexts.min(axis=1), events.end_ns[its])[odd]
        start[its[odd]] = np.minimum(np.maximum(events.start_ns[its[odd]], least), most)
        end[its[odd]] = np.maximum(np.minimum(events.end_ns[its[odd]], most), start[its[odd]])
    return np.array(sorted(found), np.int64), start, end


def _of_kernel(trace: Trace, row: int) -> str:
    events = trace.events
    lasts = format_ns(int(events.end_ns[row] - events.start_ns[row]))
    name = cut_middle(trace.text(int(events.name_id[row])), _LONGEST_NAME)
    its = "by those of what was launched before and after it on its stream"
    return f"The times of a kernel ({name}, {lasts}) cannot be, {its}."


def _of_step(trace: Trace, step: int) -> str:
    steps = trace.steps
    lasts = format_ns(int(steps.end_ns[step] - steps.start_ns[step]))
    return f"ProfilerStep#{int(steps.number[step])} cannot last {lasts}: the next one begins in it."
