"""A job, put together: its ranks on one clock, and every matched collective's wait and transfer.

summaries -> ranks -> rows, with groups that none names -> matched -> steps as others number them, and all of that again -> clocks
of ranks that are not their host's -> (impossible on a clock?) -> clocks -> (impossible between clocks?) -> waits
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import BoolArray, Int64Array, format_ns
from tb_plugin.compute.distinct import distinct
from tb_plugin.job import clock
from tb_plugin.job.causality import impossible, refused_groups
from tb_plugin.job.matching import Matched, matched
from tb_plugin.job.nameless import told_apart
from tb_plugin.job.own_clocks import ClockPlaces, clock_places
from tb_plugin.job.ranks import Ranks, ranks_of
from tb_plugin.job.rows import CollectiveRows, JobRows, job_rows
from tb_plugin.job.step_numbers import apart_by_time, as_others, counted_more
from tb_plugin.job.waits import Instances, WaitTimes, waits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.job.clock import Clocks
    from tb_plugin.job.ranks import RankProfile

_MOST_SIGMA_NS: Final = 5_000_000
_JITTER_NS: Final = 200_000
"""A sigma below this is a network's; above, it has to be small against the waits that it is to measure."""

_OF_WAIT: Final = 0.1
"""Of how far the members of an instance come apart, in the median."""

_OF_LONG_WAIT: Final = 0.5
"""The same of the longest tenth, where sends alone tie clocks: how far apart they end is how early senders leave, more than what
clocks are off by, and leans the other way in the other direction. That is the error of such clocks, and short waits lie in it.
"""


@dataclass(frozen=True, kw_only=True)
class Job:
    """Everything that the ranks of one recording mean together. CollectiveRows and instances are places in the tables."""

    of: Ranks
    table: JobRows
    matched: Matched
    clocks: Clocks
    waits: WaitTimes
    instances: Instances
    refused: Int64Array  # groups that do not match between ranks
    is_refused: BoolArray  # of each instance: of such a group, or impossible itself
    places: ClockPlaces
    clock_refused: str | None  # why clocks are not tied
    counted_more: dict[int, int]  # by place of a rank: how many steps more its file counts than those of the others

    @property
    def rows(self) -> CollectiveRows:
        return self.table.rows

    @property
    def host_of_row(self) -> Int64Array:
        return np.array([rank.host for rank in self.of.ranks], np.int64)[self.rows.rank]

    @property
    def clock_of_row(self) -> Int64Array:
        return self.places.of_rank[self.rows.rank]

    @property
    def are_clocks_tied(self) -> bool:
        """All of them."""
        return len(distinct(self.clocks.component)) == 1

    def shift(self, rank: Int64Array | int, local_ns: Int64Array) -> Int64Array:
        """What to subtract from a rank's own times to have them on the job's clock. `rank`: its place, or one of each time."""
        return self.clocks.shift(np.broadcast_to(self.places.of_rank[rank], local_ns.shape), local_ns)

    def rows_of(self, rank: int) -> Int64Array:
        """Places of the rows of a rank, itself a place; in the order in which they were issued."""
        low, high = np.searchsorted(self.rows.rank, (rank, rank + 1)).tolist()
        return np.arange(low, high)

    @property
    def untied_clocks(self) -> str:
        """Whose clocks they are, where they cannot be tied: of one host that of a rank alone may be another."""
        return "the clocks of the ranks" if self.places.off else "the clocks of the ranks' hosts"

    @property
    def has_waits(self) -> bool:
        return bool(self.waits.is_known.any())

    @property
    def meets(self) -> BoolArray:
        """Of each rank, whether it has a collective of which it is told who came when."""
        found: BoolArray = np.bincount(self.rows.rank[self.waits.is_known], minlength=len(self.of.ranks)) > 0
        return found


def job_of(recorded: Sequence[RankProfile]) -> Job:
    """Of the profiles of one job, at least one."""
    of = ranks_of(recorded)
    by_time = apart_by_time(of)
    of = as_others(of, by_time)
    table = told_apart(job_rows(of), of)
    found = matched(table, of)
    counted = counted_more(table.rows, found)
    if counted:
        of = as_others(of, counted)
        table = told_apart(job_rows(of), of)
        found = matched(table, of)
    counted = {place: more for place in range(len(of.ranks)) if (more := by_time.get(place, 0) + counted.get(place, 0))}
    rows = table.rows
    resolution = max(rank.summary.resolution_ns for rank in of.ranks)
    places, clocks, failed, refused = _on_clocks(of, table, found, resolution)
    on = places.of_rank[rows.rank]
    failed_there = _between_clocks(rows, found, on, clocks, resolution)
    measured, instances = waits(rows, found, on, clocks, failed | np.isin(found.group, refused))
    why = _why_not(clocks, instances, places)
    if why is not None:
        clocks, failed_there = clock.apart(clocks), failed
    is_refused = failed | failed_there | np.isin(found.group, refused)
    measured, instances = waits(rows, found, on, clocks, is_refused)
    return Job(
        of=of,
        table=table,
        matched=found,
        clocks=clocks,
        waits=measured,
        instances=instances,
        refused=refused,
        is_refused=is_refused,
        places=places,
        clock_refused=why,
        counted_more=counted,
    )


def _on_clocks(of: Ranks, table: JobRows, found: Matched, resolution: int) -> tuple[ClockPlaces, Clocks, BoolArray, Int64Array]:
    """Where each rank is, and `_solved` there: no clock is off by the word of a group that is refused on the clocks so found."""
    unused = np.zeros(0, np.int64)
    while True:
        places = clock_places(of, table, found, np.isin(found.group, unused))
        clocks, failed, refused = _solved(table, found, places, resolution)
        if not places.off or np.isin(refused, unused).all():
            break
        unused = np.union1d(unused, refused)
    if len(refused):
        others = clock_places(of, table, found, np.zeros(len(found), np.bool_), with_steps=True)
        again = _solved(table, found, others, resolution)
        if len(others.off) == 1 and not len(again[2]):
            return others, *again
    return places, clocks, failed, refused


def _solved(table: JobRows, found: Matched, places: ClockPlaces, resolution: int) -> tuple[Clocks, BoolArray, Int64Array]:
    """(clocks, instances that are impossible on one of them, groups that are refused)."""
    rows, on = table.rows, places.of_rank[table.rows.rank]
    failed = impossible(rows, found, on, rows.start, rows.end, np.zeros(len(rows), np.int64), resolution)
    refused = refused_groups(found, failed, len(table.groups))
    clocks = clock.solved(rows, found, on, places.n, ~(failed | np.isin(found.group, refused)))
    failed_there = _between_clocks(rows, found, on, clocks, resolution)
    more = np.setdiff1d(refused_groups(found, failed | failed_there, len(table.groups)), refused)
    if len(more):  # their equations made the clocks what they are
        refused = np.union1d(refused, more)
        clocks = clock.solved(rows, found, on, places.n, ~(failed | np.isin(found.group, refused)))
    return clocks, failed, refused


def _between_clocks(rows: CollectiveRows, found: Matched, on: Int64Array, clocks: Clocks, resolution: int) -> BoolArray:
    start = rows.start - clocks.shift(on, rows.start)
    end = rows.end - clocks.shift(on, rows.end)
    return impossible(rows, found, clocks.component[on], start, end, clocks.slack_at(on, rows.start), resolution)


def _why_not(clocks: Clocks, found: Instances, places: ClockPlaces) -> str | None:
    """A sentence where the solved clocks are no better than nothing."""
    sigma = clocks.sigma_ns
    if sigma is None:
        return None
    late = (found.last_arrival - found.first_arrival)[found.is_known]
    what, percentile, share = ("sends and receives", 90, _OF_LONG_WAIT) if clocks.are_by_sends else ("collectives", 50, _OF_WAIT)
    most = share * float(np.percentile(late, percentile)) if len(late) else 0.0
    if sigma > _MOST_SIGMA_NS or sigma > max(_JITTER_NS, most):
        between = "clocks of ranks: they" if places.off else "hosts: their clocks"
        return f"{what} end {format_ns(sigma)} apart between {between} cannot be tied"
    return None
