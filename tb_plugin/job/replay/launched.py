"""From a launch to the start of what it launches, and what began by its launch: not as the last thing it waited for was done.

chunk    launch    waits until    start    usual on its rank    begins
    4         0              -       80                           80 after its launch, which was the last thing
    7       500            480      582                           82 after its launch
    9      1000           1010     1081                   82      by its launch as well: as long after it as these
   12      1500           1530     1900                           late for a reason that no event gives
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.trace.rank.order import COLLECTIVE

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.job.job import Job

LAUNCH_NS: Final = 20_000
"""From a launch to its start: what takes longer on all ranks was queued."""

_SLOW_LAUNCH_NS: Final = 200_000
"""More than this between a launch and its start is no launch's, unless its rank's calls take long, too: something that is not
recorded held it up."""

_AT_ONCE_NS: Final = 2_000
_OF_CALL: Final = 2.0
_NEAR: Final = 1.25


def least_delay(delay: Float64Array) -> float:
    """From a launch to its start where nothing else held it up: what the quickest tenth takes, where it is not queued itself."""
    return min(float(np.percentile(delay, 10)), LAUNCH_NS) if len(delay) else 0.0


def begun_by_launch(
    job: Job, rank: Int64Array, kind: Int64Array, delay: Float64Array, after: Float64Array, late: Float64Array
) -> BoolArray:
    """Of each launched row. `delay`: from its launch to its start; `after`: from its launch to the last thing that it waits for;
    `late`: how much longer it took than all of these tell, ns.
    """
    call = np.array([_mean_call(job, place) for place in range(len(job.of.ranks))])[rank]
    by_launch: BoolArray = (after <= call) & (late > 0) & (late < np.maximum(_SLOW_LAUNCH_NS, _OF_CALL * call))
    lane = 2 * rank + (kind == COLLECTIVE)
    usual = _medians(lane, delay, by_launch)
    found: BoolArray = by_launch | ((late > 0) & (delay <= _NEAR * usual))
    return found


def _medians(lane: Int64Array, delay: Float64Array, by_launch: BoolArray) -> Float64Array:
    """Of each row, of those of its lane that are by their launch; minus infinity where there are none."""
    some = np.flatnonzero(by_launch)
    some = some[np.lexsort((delay[some], lane[some]))]
    lanes, first = np.unique(lane[some], return_index=True)
    middle = (first + np.append(first[1:], len(some)) - 1) // 2
    found = np.full(int(lane.max(initial=0)) + 1, -np.inf)
    found[lanes] = delay[some[middle]]
    return found[lane]


def _mean_call(job: Job, place: int) -> float:
    """That launches something, ns."""
    work = job.of.ranks[place].work
    return float(work["launch"].sum() / max(work["n_launches"].sum(), 1))


def to_next(gap: Float64Array, sort: Int64Array) -> Float64Array:
    """From the end of what a row waits for to its start, ns: what took longer waited for its launch, and would begin as soon as
    those of its `sort` do.
    """
    at_once = (gap >= 0) & (gap <= _AT_ONCE_NS)
    usual = np.full(int(sort.max(initial=0)) + 1, float(_AT_ONCE_NS))
    for each in np.unique(sort[at_once]).tolist():
        usual[each] = np.median(gap[at_once & (sort == each)])
    lag: Float64Array = np.where(gap > _AT_ONCE_NS, usual[sort], np.maximum(gap, 0.0))
    return lag


def begin_sooner(edge: Int64Array, least: float, share: float, was: Float64Array, lag: Float64Array) -> None:
    """Changes `lag` of launches, by their edges: from each to its start it `was` longer than the `least` where that began by it,
    and is then as many times shorter as what its host takes between launches.
    """
    edge = edge[edge != NONE]
    edge = edge[was[edge] > least]
    lag[edge] = np.maximum(was[edge] * min(share, 1.0), least)
