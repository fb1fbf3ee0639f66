"""What a rank idles if nobody keeps it waiting and data moves at once: its host goes on launching while its device waits.

    rank 0, slow     launch ---- launch ---- launch ----
    rank 1           launch -- launch -- launch --          as slow as ranks 2 and 3, but it idles for nothing:
    its device       |wait for 0 |wait for 0 |wait for 0    all that its host needs is behind what it waits for

So who waits most idles least, and is no measure for the others. A replay in which each rank's collectives are over as it comes to
them tells how long its step would be; what that is longer than its own work is idle time that communication hides.

How long a collective moves data is told by arrivals on other hosts' clocks, and so is what it hides: nothing, where it is at most
three times what these are off by. All else that a rank needs for itself lies on the clock of its own host.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import distinct, is_among
from tb_plugin.compute.grouping import group_by, median_by
from tb_plugin.compute.intervals import length_within, union
from tb_plugin.compute.max_plus import values
from tb_plugin.job.late.limits import OF_STEP, median
from tb_plugin.job.late.peers import stages_of
from tb_plugin.trace.rank.step_work import PAUSES

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.job.job import Job
    from tb_plugin.job.own.layout import JobLayout
    from tb_plugin.job.own.own_time import OwnTime
    from tb_plugin.job.replay.replay import Replay

HIDDEN: Final = "hidden"
BY_WAITS: Final = "hidden_by_waits"
"""Of `parts` of `as_if_alone`: what communication hides of idle time, and what waiting for others alone does."""

ERRORS: Final = 3.0
"""So many times what clocks are off by they may make."""

_NOTABLE: Final = 0.01
"""Of a step: a replay is off by as much."""

_FAR_LONGER: Final = 4.0
"""Than it usually takes from launch to launch: a host that waits for its device in no event that says so."""

_BY_ITSELF: Final = 3.0
"""Times as long as the shortest of a step's longest gaps: hosts that launch slowly make gaps all over."""

_MOST_OF: Final = 0.8

_LARGEST: Final = 1 << 61


def as_if_alone(of: Replay | None, job: Job, own: OwnTime, place: JobLayout, error_ns: float) -> OwnTime:
    """With what each rank idles while it communicates, where that is more than clocks of hosts, which are off by `error_ns`,
    may make. Without a replay nothing is known of it.

    Of whose host is slow moving data hides more than of its peers: no step is longer for that, so what they lose by it counts.
    """
    parts, nothing = own.parts, np.zeros(own.step.shape)
    hidden, by_waits = nothing, nothing
    if of is not None:
        lag = but_waiting(of, job)
        alone = _steps_alone(of, own, lag)
        lag[of.length_edge[_collectives(of)]] = 0.0
        moves = alone - _steps_alone(of, own, lag)
        usual = moves.copy()
        for stage in stages_of(place):
            usual[stage] = median(moves[stage])
        hidden = _longer(alone - np.maximum(moves, usual), parts["computation"] + parts["copy"] + parts["idle"], own, error_ns)
        by_waits = _longer(alone, own.step - own.wait, own, error_ns)
        for stage in stages_of(place):  # of who is not replayed as its peers, so that it is neither early nor late by that
            out, its = (stage[np.isin(stage, of.ranks, invert=is_out)] for is_out in (True, False))
            hidden[out], by_waits[out] = (np.nan_to_num(median(each[its])) for each in (hidden, by_waits))
    return replace(own, parts={**parts, "idle": parts["idle"] + hidden, HIDDEN: hidden, BY_WAITS: by_waits})


def _longer(alone: Float64Array, work: Float64Array, own: OwnTime, error_ns: float) -> Float64Array:
    longer = np.nan_to_num(alone - work)
    is_known = bool((longer > ERRORS * error_ns).any())
    return np.where(is_known & (longer > _NOTABLE * own.step), longer, 0.0)


def _collectives(of: Replay) -> Int64Array:
    return np.flatnonzero(of.is_collective & (of.length_edge != NONE))


def but_waiting(of: Replay, job: Job) -> Float64Array:
    """`lag` without what a host stood still for while its device waited for others: it may have waited, too.

        host     launch |        stands still         | launch
        device   computes ..|waits for a stage|computes |idle|       all that is told of it is what its device idles

    What it waited for in part counts where the host stood still by itself: launches of a chunk one by one take long, too.
    """
    lag: Float64Array = of.lag.copy()
    rows = _collectives(of)
    rows = rows[job.waits.wait[of.what[rows]] > 0]
    place = np.flatnonzero((of.host_edge != NONE) & is_among(of.rank, distinct(of.rank[rows])))
    edge = of.host_edge[place]
    ranks = group_by(of.rank[place])
    is_long = lag[edge] - of.loader[place] > _FAR_LONGER * median_by(ranks, lag[edge])[ranks.of]
    place = place[is_long & (np.diff(of.rank, prepend=NONE)[place] == 0)]
    edge = of.host_edge[place]
    waited = _waited(of, job, rows, place, _stood_still(of, job, place))
    lag[edge] -= np.clip(waited, 0.0, np.maximum(lag[edge] - of.loader[place], 0.0))
    return lag


def _stood_still(of: Replay, job: Job, rows: Int64Array) -> BoolArray:
    """Of some order rows: those whose launch ends most of the longest gap of the step on its device, where that is long by
    itself.
    """
    of_device = of.is_chunk | of.is_collective
    found = np.zeros(len(rows), np.bool_)
    begins = np.searchsorted(rows, np.searchsorted(of.rank, distinct(of.rank[rows])))
    for nth in np.split(np.arange(len(rows)), begins[1:]) if len(rows) else ():
        its, rank = rows[nth], job.of.ranks[int(of.rank[rows[nth[0]]])]
        numbers = rank.steps["number"]
        at = np.minimum(np.searchsorted(numbers, of.step[its]), len(numbers) - 1)
        if len(numbers) == 0:
            continue
        gap, last, length = rank.work[PAUSES[0]][at], rank.work[PAUSES[-1]][at], (rank.steps["end"] - rank.steps["start"])[at]
        is_it = of_device[its] & (numbers[at] == of.step[its]) & (gap > np.maximum(OF_STEP * length, _BY_ITSELF * last))
        if is_it.any():
            found[nth] = is_it & (_idled(of, of_device, its) >= _MOST_OF * gap)
    return found


def _idled(of: Replay, of_device: BoolArray, rows: Int64Array) -> Float64Array:
    """How long the device of a rank had nothing to do as each of these rows of it, but its first, begins."""
    first, until = int(np.searchsorted(of.rank, of.rank[rows[0]])), int(rows[-1])
    ended = np.where(of_device[first : until + 1], of.recorded[3 * first + 2 : 3 * until + 3 : 3], 0.0)
    idled: Float64Array = of.recorded[3 * rows + 1] - np.maximum.accumulate(ended)[rows - first - 1]
    return idled


def _waited(of: Replay, job: Job, rows: Int64Array, place: Int64Array, is_still: BoolArray) -> Int64Array:
    """How long others were waited for, in these rows, from the launch before each row of `place` to its own: in collectives that
    begin and end between the two, and in all where the host stood still by itself.
    """
    found = np.zeros(len(place), np.int64)
    if len(place) == 0:
        return found
    t0, t1 = (of.recorded[3 * each].astype(np.int64) for each in (place - 1, place))
    begun, ended = (of.recorded[3 * rows + at].astype(np.int64) for at in (1, 2))
    until = begun + job.waits.wait[of.what[rows]]
    low = min(int(t0.min()), int(begun.min()))
    width = max(int(each.max()) for each in (t1, ended, until)) - low + 2
    at_once = max(_LARGEST // width, 1)
    for first in range(0, int(of.rank[-1]) + 1, at_once):  # one rank after the other on one axis, so that all are asked at once
        its, where = (
            slice(*np.searchsorted(of.rank[each], (first, first + at_once), side="left").tolist()) for each in (rows, place)
        )
        lane, of_place = ((of.rank[each] - first) * width - low for each in (rows[its], place[where]))
        begin, end, over = (each[its] + lane for each in (begun, ended, until))
        t0_there, t1_there = t0[where] + of_place, t1[where] + of_place
        nth = np.searchsorted(t0_there, begin, side="right") - 1
        whole = (nth >= 0) & (end <= np.append(t1_there, 0)[nth])
        found[where] = length_within(union(begin[whole], over[whole]), t0_there, t1_there)
        if is_still[where].any():
            every = length_within(union(begin, over), t0_there, t1_there)
            found[where] = np.where(is_still[where], every, found[where])
    return found


def _steps_alone(of: Replay, own: OwnTime, lag: Float64Array) -> Float64Array:
    """[rank, step], ns: its length if the others were at each collective before it; NaN where no replay tells it."""
    source, rows = of.source.copy(), _collectives(of)
    source[of.length_edge[rows]] = 3 * rows + 1  # not the last arrival: as that it lies before the end
    time, ends = values(of.groups, source, lag, of.own), of.step_ends
    known = ends.is_begun & np.isin(ends.number, own.number)
    before, closing = ends.before[known], ends.closing[known]
    found = np.full(own.step.shape, np.nan)
    found[of.rank[closing], np.searchsorted(own.number, ends.number[known])] = time[3 * closing + 2] - time[3 * before + 2]
    return found
