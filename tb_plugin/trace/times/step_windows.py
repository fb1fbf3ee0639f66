"""From when to when does a step last? The one rule, for every view; `docs/metrics.md` says it in words.

A step's device work ends after its host range. A step lasts until that work is done, and the next one begins there:

    host    |--5--||--6--|                 device   ..555555666666
    steps   |---5----||--6---|             so that kernels count in the step that launched them

The same holds where the device is several steps behind: then a step lies after its host range, and is the device's own period.

No single event decides much. The first step begins later by as long as the device *worked* on what was launched before it, not
where the last such work ends; and work that lasts long beside that of later steps (a copy on a stream of its own) takes from
these steps no time in which their own work ran.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.compute.intervals import EMPTY, Merged, clip, join, length, subtract, union
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.kinds import DEVICE_KINDS, is_kind
from tb_plugin.trace.times.idle import LONGEST_LAUNCH_GAP_NS

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

_LEAST_LAUNCHED: Final = 0.01
"""From this share of device time with a launch on, a missing one tells something. Recordings that begin with a queue: 68 %."""

_NEVER: Final = int(np.iinfo(np.int64).min)


class StepWindows(NamedTuple):
    """One [start, end) per row of `trace.steps`; they do not overlap."""

    start_ns: Int64Array
    end_ns: Int64Array
    with_device_work: bool  # whether device work belongs to any step; without it a step is its host range
    is_behind: bool  # somewhere the device began a step only after the host had ended it


@once_per_trace
def step_windows(trace: Trace) -> StepWindows:
    """Steps as the device runs them."""
    events, steps = trace.events, trace.steps
    work = np.flatnonzero(is_kind(events.kind, DEVICE_KINDS))
    if len(steps) == 0 or len(work) == 0:
        return StepWindows(steps.start_ns, steps.end_ns, with_device_work=False, is_behind=False)
    earlier = _earlier(trace, work)
    mine = np.setdiff1d(work[events.step[work] != NONE], earlier.rows, assume_unique=True)
    of_steps = mine[np.argsort(events.step[mine], kind="stable")]
    rows_of = np.split(of_steps, np.searchsorted(events.step[of_steps], np.arange(1, len(steps))))
    reached = np.maximum.accumulate(_done(trace, rows_of, _backlog_end(trace, earlier)))
    return StepWindows(
        start_ns=np.maximum(steps.start_ns, reached[:-1]),
        end_ns=np.maximum(steps.end_ns, reached[1:]),
        with_device_work=len(of_steps) > 0,
        is_behind=bool((reached[:-1] > steps.end_ns).any()),
    )


class _Earlier(NamedTuple):
    """Work from before the first step."""

    rows: Int64Array
    waited: Merged  # when work of steps stood behind it on a stream


def _earlier(trace: Trace, work: Int64Array) -> _Earlier:
    """Work that was launched before the first step; without a launch in the file, work that begins before that step.

    And what begins before any work of a step on its stream, since a stream runs in order; on a stream without such work, before
    any at all. Not where hardly any launch was recorded: then a missing one tells nothing.
    """
    events, first_ns = trace.events, trace.steps.start_ns[0]
    launch, start, track = events.launch[work], events.start_ns[work], events.track[work]
    is_launched = launch != NONE
    is_earlier = np.where(is_launched, events.start_ns[launch], start) < first_ns
    own = is_launched & (events.step[work] != NONE)
    duration = (events.end_ns - events.start_ns)[work]
    if not own.any() or duration[is_launched].sum() < _LEAST_LAUNCHED * duration.sum():
        return _Earlier(work[is_earlier], EMPTY)
    begun = np.full(len(trace.tracks), start[own].min())
    begun[track[own]] = np.iinfo(np.int64).max
    np.minimum.at(begun, track[own], start[own])
    is_earlier |= ~is_launched & (start < begun[track])
    behind = own & np.isin(track, track[is_earlier])
    stood = union(events.end_ns[launch[behind]], np.minimum(start[behind], begun[track[behind]]))
    return _Earlier(work[is_earlier], subtract(stood, _at_work(trace, work[own])))


def _at_work(trace: Trace, rows: Int64Array) -> Merged:
    """When the device was at this work: while it ran, and in gaps as between queued kernels, which stand on one stream."""
    events = trace.events
    parts = []
    for track in np.unique(events.track[rows]).tolist():
        of_stream = rows[events.track[rows] == track]
        closed = union(events.start_ns[of_stream], events.end_ns[of_stream] + LONGEST_LAUNCH_GAP_NS)
        parts.append(Merged(closed.start, closed.end - LONGEST_LAUNCH_GAP_NS))
    return join(*parts) if parts else EMPTY


def _backlog_end(trace: Trace, earlier: _Earlier) -> int:
    """The first step's start, and as much later as the device was at earlier work then; no later than that work ends.

    It was at it where such work ran, or where the steps' own stood behind it and the device was not at that of the steps.
    """
    events, first_ns = trace.events, int(trace.steps.start_ns[0])
    end = events.end_ns[earlier.rows]
    return first_ns + length(clip(join(_at_work(trace, earlier.rows), earlier.waited), first_ns, int(end.max(initial=first_ns))))


def _done(trace: Trace, rows_of: list[Int64Array], backlog_end: int) -> Int64Array:
    """When the device is done with what came before the steps, then with each step; `_NEVER` for steps without work.

    From the last step back: work of a step takes from the next one no time in which that one's own work ran.
    """
    events = trace.events
    done = np.full(len(rows_of) + 1, _NEVER)
    ends = (backlog_end, *(int(events.end_ns[rows].max(initial=_NEVER)) for rows in rows_of))
    following, latest = np.zeros(0, np.int64), 0  # the next step's work, and when the device is done with it
    for place in range(len(rows_of), -1, -1):
        end = ends[place]
        if end == _NEVER:
            continue
        if len(following) and end > min(latest, int(events.start_ns[following].min())):
            ran = clip(union(events.start_ns[following], events.end_ns[following]), _NEVER, latest)
            end = min(end, latest - length(ran))
        done[place] = latest = end
        following = rows_of[place - 1]
    return done
