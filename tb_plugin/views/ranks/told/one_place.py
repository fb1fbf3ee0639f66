"""Which ranks stand still at the same place of a step: each may do so at another by chance, as processes that share cores do.

    rank 0   ..|  gap  |...|all-reduce|            overlap on the job's clock, by half of the shorter     the same place
    rank 1   ...| gap |....|all-reduce|
    rank 2   ..............|all-reduce|..| gap |   after another collective                               another place

Or, as stages of a pipeline come one after the other: in the same event, after as many collectives of the step. Those that
different events fill are two; one in which nothing is recorded may be any. Where a gap lies is known of a step's longest alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.job.ranks.rows import shift_of
from tb_plugin.trace.rank.step_work import IN_PAUSES, PAUSES
from tb_plugin.views.ranks.basis.on_job import on_job

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Float64Array, Int64Array
    from tb_plugin.trace.rank.pause_events import PauseEvent
    from tb_plugin.views.ranks.basis.analysed import Analysed

_HALF: Final = 0.5


class _Gap(NamedTuple):
    """The longest of a rank's step. On the job's clock; `after`: so many of the rank's collectives of the step have begun."""

    place: int  # of the rank
    start: int
    end: int
    after: int
    event: PauseEvent | None
    clock: int  # that tie each other


def at_one_place(of: Analysed, gaps: Float64Array) -> BoolArray:
    """[rank, step]: those of most ranks whose gaps are one in this step. `gaps`: [of PAUSES, rank, step], that count."""
    one = np.zeros(gaps.shape[1:], np.bool_)
    found: dict[int, list[_Gap]] = {}
    for place in np.flatnonzero((gaps[0] > 0).any(axis=1)).tolist():
        for column, gap in _longest(of, place, np.flatnonzero(gaps[0, place] > 0)):
            found.setdefault(column, []).append(gap)
    for column, its in found.items():
        alike = max(([_is_one(gap, each) for each in its] for gap in its), key=sum)
        one[[gap.place for gap, is_one in zip(its, alike, strict=True) if is_one], column] = True
    return one


def _longest(of: Analysed, place: int, columns: Int64Array) -> list[tuple[int, _Gap]]:
    """Of a rank in each of these steps that its file has once."""
    rank, clock = of.job.of.ranks[place], int(of.job.clocks.component[of.job.places.of_rank[place]])
    begun = of.job.rows.start[of.job.rows_of(place)]
    found = []
    for column in columns.tolist():
        at = np.flatnonzero(rank.steps["number"] == of.own.number[column])
        if len(at) != 1:
            continue
        start, step = (int(each[at[0]]) for each in (rank.work["pause_at"], rank.steps["start"]))
        within = int(rank.work[IN_PAUSES[0]][at[0]])
        edges = on_job(of.job, place, np.array([start, start + int(rank.work[PAUSES[0]][at[0]])])).tolist()
        after = int(np.diff((begun < np.array([step, start])[:, None] + shift_of(rank, of.job.table.base_ns)).sum(axis=1))[0])
        event = None if within == NONE else rank.summary.pause_events[within]
        found.append((column, _Gap(place, edges[0], edges[1], after, event, clock)))
    return found


def _is_one(a: _Gap, b: _Gap) -> bool:
    both = min(a.end, b.end) - max(a.start, b.start)
    lines = [gap.event.where[0] if gap.event is not None else None for gap in (a, b)]  # each may be in another call of it
    if a.clock == b.clock and both >= _HALF * min(a.end - a.start, b.end - b.start):
        return lines[0] == lines[1] or None in lines
    return None not in lines and lines[0] == lines[1] and a.after == b.after
