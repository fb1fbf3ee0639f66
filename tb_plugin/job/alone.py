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
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.intervals import length_within, union
from tb_plugin.compute.max_plus import values
from tb_plugin.job.limits import OF_STEP, median
from tb_plugin.job.peers import stages_of
from tb_plugin.trace.rank.step_work import PAUSES

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.job.job import Job
    from tb_plugin.job.layout import JobLayout
    from tb_plugin.job.own_time import OwnTime
    from tb_plugin.job.replay import Replay

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
    host = of.recorded[: 3 * len(of.rank) : 3]
    rank_of_row = of.rank[rows]  # in order, as rows are
    for rank in distinct(rank_of_row).tolist():
        first, after = np.searchsorted(of.rank, (rank, rank + 1)).tolist()
        mine = rows[slice(*np.searchsorted(rank_of_row, (rank, rank + 1)))]
        place = first + np.flatnonzero(of.host_edge[first:after] != NONE)
        edge = of.host_edge[place]
        usual = float(np.median(lag[edge])) if len(edge) else np.inf
        is_long = (lag[edge] - of.loader[place] > _FAR_LONGER * usual) & (place > first)
        place, edge = place[is_long], edge[is_long]
        begun, launched = of.recorded[3 * mine + 1], np.searchsorted(host[first:after], of.recorded[3 * mine + 2])
        is_whole = (launched > 0) & (launched < after - first) & (host[first + launched - 1] <= begun)
        whole, all_waits = (_waited(of, job, mine[some], host[place - 1], host[place]) for some in (is_whole, slice(None)))
        lag[edge] -= np.clip(
            np.where(_stood_still(of, job, place, first), all_waits, whole), 0.0, np.maximum(lag[edge] - of.loader[place], 0.0)
        )
    return lag


def _stood_still(of: Replay, job: Job, rows: Int64Array, first: int) -> BoolArray:
    """Of some order rows of a rank, which begins at `first`: those whose launch ends most of the longest gap of the step on its
    device, where that is long by itself.
    """
    rank, until = job.of.ranks[int(of.rank[first])], int(rows.max(initial=first))
    of_device = (of.is_chunk | of.is_collective)[first : until + 1]
    done = np.maximum.accumulate(np.where(of_device, of.recorded[3 * first + 2 : 3 * until + 3 : 3], 0.0))
    numbers = rank.steps["number"]
    if len(numbers) == 0:
        return np.zeros(len(rows), np.bool_)
    at = np.minimum(np.searchsorted(numbers, of.step[rows]), len(numbers) - 1)
    gap, last, length = rank.work[PAUSES[0]][at], rank.work[PAUSES[-1]][at], (rank.steps["end"] - rank.steps["start"])[at]
    is_by_itself = (numbers[at] == of.step[rows]) & (gap > np.maximum(OF_STEP * length, _BY_ITSELF * last))
    idle = of.recorded[3 * rows + 1] - done[rows - first - 1]
    found: BoolArray = is_by_itself & of_device[rows - first] & (idle >= _MOST_OF * gap)
    return found


def _waited(of: Replay, job: Job, rows: Int64Array, t0: Float64Array, t1: Float64Array) -> Int64Array:
    """For others in these rows, from t0 to t1 each."""
    begun = of.recorded[3 * rows + 1].astype(np.int64)
    return length_within(union(begun, begun + job.waits.wait[of.what[rows]]), t0.astype(np.int64), t1.astype(np.int64))


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
