"""The steps of a rank as its summary tells them, and of which the file holds all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import distinct
from tb_plugin.trace.kinds import DEVICE_KINDS, LAUNCH_KINDS, Kind, is_kind
from tb_plugin.trace.scope.recording import damage, is_cut_off
from tb_plugin.trace.times.step_windows import step_windows
from tb_plugin.trace.work.kernel_launches import kernel_launches

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Int64Array
    from tb_plugin.trace.model import Trace

_OF_THE_MOST: Final = 0.98
"""Of the work of the step with most: fewer, in a file with a hole, and the rest may be in the hole."""

_MOST_LOST: Final = 0.02
"""Of a step's launches of kernels, more without one: part of the file is lost, though what is left of it is sound."""


class RankWindows(NamedTuple):
    """The columns of `summary.STEPS`. `complete` is NONE where work of the step is missing, at the end of the file or in it."""

    number: Int64Array
    start: Int64Array
    end: Int64Array
    complete: Int64Array


class _Counts(NamedTuple):
    """By step."""

    launches: Int64Array  # of kernels
    lost: Int64Array  # of these, without their kernel
    work: Int64Array  # of devices; without any, operators
    unlaunched: Int64Array  # of it, without its launch


def windows_of_rank(trace: Trace) -> RankWindows:
    """Without steps none."""
    found, complete = step_windows(trace), trace.steps.complete.astype(np.int64)
    if is_cut_off(trace):
        complete[found.end_ns > _last_known(trace)] = NONE
    if holes(trace):
        complete[_has_hole(_counts(trace))] = NONE
    return RankWindows(trace.steps.number, found.start_ns, found.end_ns, complete)


def holes(trace: Trace) -> list[str]:
    """Sentences: why work may be missing where the file does not end."""
    said = damage(trace)
    if said or is_cut_off(trace) or len(trace.steps) == 0:
        return said
    counts = _counts(trace)
    if not (counts.lost > _MOST_LOST * counts.launches).any():
        return []
    return [f"The kernels of {counts.lost.sum():,} of {counts.launches.sum():,} launches are not in the file."]


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
    counted = work if len(work) else np.flatnonzero(events.kind == Kind.OPERATOR)
    rows = launches, np.setdiff1d(launches, begun), counted, work[events.launch[work] == NONE]
    return _Counts(*(np.bincount(step[step != NONE], minlength=n_steps) for step in (events.step[each] for each in rows)))


def _has_hole(counts: _Counts) -> BoolArray:
    """Launches without their work, work without its launch, or less of either than in another step."""
    lone = counts.lost + counts.unlaunched > 0
    hole: BoolArray = lone | _is_less(counts.launches) | _is_less(counts.work)
    return hole


def _is_less(count: Int64Array) -> BoolArray:
    less: BoolArray = count < _OF_THE_MOST * count.max(initial=0)
    return less
