"""The steps of a rank as its summary tells them, and of which the file holds all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.intervals import union
from tb_plugin.trace.collectives.table import collectives
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.kinds import DEVICE_KINDS, LAUNCH_KINDS, Kind, is_kind
from tb_plugin.trace.scope.recording import damage, is_cut_off
from tb_plugin.trace.times.step_windows import queued_before, step_windows
from tb_plugin.trace.work.kernel_launches import kernel_launches

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Int64Array, IntArray
    from tb_plugin.trace.model import Trace

_OF_THE_MOST: Final = 0.98
"""Of the work of the step with most: fewer, in a file with a hole, and the rest may be in the hole."""

_OF_THE_LEAST: Final = 0.1
"""Of the work of the step with least: the last one has less, and it is none of the loop's."""

_MOST_LOST: Final = 0.02
"""Of a step's launches of kernels, more without one: part of the file is lost, though what is left of it is sound."""

_BREAK_NS: Final = 100_000
"""Between two kernels of a queue. Longer, and what comes after may be work whose launch was lost."""

_MOST_STILL: Final = 0.01
"""Of a step. A short collective that was dropped leaves no more than its own length."""


class RankWindows(NamedTuple):
    """The columns of `summary.STEPS`. `complete` is NONE where work of the step is missing, at the end of the file or in it."""

    number: Int64Array
    start: Int64Array
    end: Int64Array
    complete: Int64Array  # 0: the recording ended in it


class _Counts(NamedTuple):
    """By step."""

    launches: Int64Array  # of kernels
    lost: Int64Array  # of these, without their kernel
    work: Int64Array  # of devices; without any, operators
    unlaunched: Int64Array  # of it, without its launch


class Holes(NamedTuple):
    """Where work is missing though the file goes on."""

    said: list[str]  # sentences: why
    is_in: BoolArray  # of each step


@once_per_trace
def rank_windows(trace: Trace) -> tuple[Int64Array, Int64Array]:
    """(start, end) of each step: those of `step_windows`, but the first one begins where the device is done with what stood in
    its queue. That pauses, too, where a pipeline's device waits for its neighbours, and none of it is work of the step.
    """
    found, rows = step_windows(trace), queued_before(trace)
    start = found.start_ns.copy()
    if len(start) == 0:
        return start, found.end_ns
    queue = union(trace.events.start_ns[rows], trace.events.end_ns[rows] + _BREAK_NS)
    place = int(np.searchsorted(queue.start, start[0] + _BREAK_NS, side="right")) - 1
    if place >= 0:
        done = int(queue.end[place]) - _BREAK_NS
        start[0] = done if start[0] < done < found.end_ns[0] else start[0]
    return start, found.end_ns


def windows_of_rank(trace: Trace, of: Holes) -> RankWindows:
    """Without steps none."""
    (start, end), complete = rank_windows(trace), (trace.steps.complete & ~_is_tail(trace)).astype(np.int64)
    if is_cut_off(trace):
        complete[end > _last_known(trace)] = NONE
    complete[of.is_in] = NONE
    return RankWindows(trace.steps.number, start, end, complete)


def holes(trace: Trace, idle_ns: Int64Array) -> Holes:
    """Of a damaged file each step with a launch without its kernel, work without its launch, or less of either than another step.

    A file that is sound all the same has to prove it: more kernels are lost in one step than in another, or torch's numbers of
    collectives leave some out in a step that has less work; a step beside such a one that has less, too, is of the same hole,
    with its launches in it. What every step lacks is how it was recorded (and so of the only one:
    graphs whose kernels do not name their launch). A step with a collective whose kernel alone was dropped says nothing of
    itself where its rank stood still for it. `idle_ns`: by step.
    """
    counts, said = _counts(trace), damage(trace)
    is_less = _is_less(counts.launches) | _is_less(counts.work)
    if said:
        return Holes(said, is_less | (counts.lost + counts.unlaunched > 0))
    if is_cut_off(trace):
        return Holes([], np.zeros(len(is_less), np.bool_))
    lacks_kernels = (_beyond_least(counts.lost) > _MOST_LOST * counts.launches) & (len(counts.lost) > 1)
    lacks_collectives = is_less & _skips(trace)
    if lacks_kernels.any():
        said = [f"The kernels of {counts.lost.sum():,} of {counts.launches.sum():,} launches are not in the file."]
    if lacks_collectives.any():
        said = [*said, "The numbers of its collectives leave some out: these are not in the file."]
    found = collectives(trace)
    dropped = _beyond_least(_by_step(found.step[found.row == NONE], len(trace.steps)))
    start, end = rank_windows(trace)
    stood_still = _beyond_least(idle_ns) > _MOST_STILL * (end - start)
    lacks = lacks_kernels | lacks_collectives
    around = np.pad(lacks, 1)
    return Holes(said, lacks | ((around[:-2] | around[2:]) & is_less) | ((dropped > 0) & stood_still))


def _is_tail(trace: Trace) -> BoolArray:
    """Of each step, whether it is what a loop leaves after its last `step()`: a range that lasts until the profiler has stopped,
    with a last wait for the device in it, and hardly any work.
    """
    rows = np.setdiff1d(_counted(trace), queued_before(trace))
    work, is_tail = _by_step(trace.events.step[rows], len(trace.steps)), np.zeros(len(trace.steps), np.bool_)
    if len(work) > 1:
        is_tail[-1] = work[-1] < _OF_THE_LEAST * work[:-1].min()
    return is_tail


def _last_known(trace: Trace) -> float:
    """Files hold the host's events before the device's: of one that is cut off, steps may be whole on the host alone. What no
    device worked after may be lacking some, and all of it where there are launches and nothing that they launched.
    """
    kind, start_ns = trace.events.kind, trace.events.start_ns
    if not is_kind(kind, (*DEVICE_KINDS, *LAUNCH_KINDS)).any():
        return np.inf
    return int(start_ns[is_kind(kind, DEVICE_KINDS)].max(initial=start_ns.min()))


def _counts(trace: Trace) -> _Counts:
    events, n_steps = trace.events, len(trace.steps)
    work = np.flatnonzero(is_kind(events.kind, DEVICE_KINDS))
    begun = distinct(events.launch[work[events.launch[work] != NONE]])
    launches = kernel_launches(trace)
    rows = launches, np.setdiff1d(launches, begun), _counted(trace), work[events.launch[work] == NONE]
    return _Counts(*(_by_step(events.step[each], n_steps) for each in rows))


def _counted(trace: Trace) -> IntArray:
    """Rows of the work of devices; without any, of operators."""
    work = np.flatnonzero(is_kind(trace.events.kind, DEVICE_KINDS))
    return work if len(work) else np.flatnonzero(trace.events.kind == Kind.OPERATOR)


def _by_step(step: IntArray, n_steps: int) -> Int64Array:
    return np.bincount(step[step != NONE], minlength=n_steps)


def _beyond_least(count: Int64Array) -> Int64Array:
    """Of the only step all."""
    return count - count.min() if len(count) > 1 else count


def _skips(trace: Trace) -> BoolArray:
    """Of each step, whether a number of torch's is missing beside one of its collectives. In no whole file one was."""
    found = collectives(trace)
    numbered = np.flatnonzero(found.sequence != NONE)
    rows = numbered[np.lexsort((found.sequence[numbered], found.group[numbered]))]
    skips = np.flatnonzero((np.diff(found.group[rows]) == 0) & (np.diff(found.sequence[rows]) > 1))
    step = np.concatenate((found.step[rows[skips]], found.step[rows[skips + 1]]))
    skipped: BoolArray = _by_step(step, len(trace.steps)) > 0
    return skipped


def _is_less(count: Int64Array) -> BoolArray:
    less: BoolArray = count < _OF_THE_MOST * count.max(initial=0)
    return less
