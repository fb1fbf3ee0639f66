"""A job, put together: its ranks on one clock, and every matched collective's wait and transfer.

summaries -> ranks -> rows -> matched -> (impossible within a host?) -> clocks -> (impossible between hosts?) -> waits
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array, format_ns
from tb_plugin.job import clock
from tb_plugin.job.causality import impossible, refused_groups
from tb_plugin.job.matching import Matched, matched
from tb_plugin.job.ranks import Ranks, ranks_of
from tb_plugin.job.rows import CollectiveRows, JobRows, job_rows
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
    clock_refused: str | None  # why ranks of different hosts stand on clocks of their own

    @property
    def rows(self) -> CollectiveRows:
        return self.table.rows

    @property
    def host_of_row(self) -> Int64Array:
        return _host(self.of)[self.rows.rank]

    def rows_of(self, rank: int) -> Int64Array:
        """Places of the rows of a rank, itself a place; in the order in which they were issued."""
        low, high = np.searchsorted(self.rows.rank, (rank, rank + 1)).tolist()
        return np.arange(low, high)

    @property
    def has_waits(self) -> bool:
        return bool(self.waits.is_known.any())


def job_of(recorded: Sequence[RankProfile]) -> Job:
    """Of the profiles of one job, at least one."""
    of = ranks_of(recorded)
    table = job_rows(of)
    rows, found = table.rows, matched(table, of)
    host = _host(of)[rows.rank]
    resolution = max(rank.summary.resolution_ns for rank in of.ranks)
    zero = np.zeros(len(rows), np.int64)
    failed = impossible(rows, found, host, rows.start, rows.end, zero, resolution)
    refused = refused_groups(found, failed, len(table.groups))
    is_refused = failed | np.isin(found.group, refused)
    clocks = clock.solved(rows, found, host, len(of.hosts), ~is_refused)
    measured, instances = waits(rows, found, host, clocks, is_refused)
    failed_there = _between_hosts(rows, found, host, clocks, resolution)
    more = np.setdiff1d(refused_groups(found, failed | failed_there, len(table.groups)), refused)
    if len(more):  # their equations made the clocks what they are
        refused = np.union1d(refused, more)
        clocks = clock.solved(rows, found, host, len(of.hosts), ~(failed | np.isin(found.group, refused)))
        failed_there = _between_hosts(rows, found, host, clocks, resolution)
    why = _why_not(clocks, instances)
    if why is not None:
        clocks, failed_there = clock.apart(clocks), failed
    is_refused = failed | failed_there | np.isin(found.group, refused)
    measured, instances = waits(rows, found, host, clocks, is_refused)
    return Job(
        of=of,
        table=table,
        matched=found,
        clocks=clocks,
        waits=measured,
        instances=instances,
        refused=refused,
        is_refused=is_refused,
        clock_refused=why,
    )


def _between_hosts(rows: CollectiveRows, found: Matched, host: Int64Array, clocks: Clocks, resolution: int) -> BoolArray:
    start = rows.start - clocks.shift(host, rows.start)
    end = rows.end - clocks.shift(host, rows.end)
    slack = np.rint(3 * clocks.error_at(host, rows.start) + 3 * (clocks.sigma_ns or 0.0)).astype(np.int64)
    return impossible(rows, found, clocks.component[host], start, end, slack, resolution)


def _why_not(clocks: Clocks, found: Instances) -> str | None:
    """A sentence where the solved clocks are no better than nothing."""
    sigma = clocks.sigma_ns
    if sigma is None:
        return None
    late = (found.last_arrival - found.first_arrival)[found.is_known]
    typical = float(np.median(late)) if len(late) else 0.0
    if sigma > _MOST_SIGMA_NS or (sigma > _JITTER_NS and sigma > _OF_WAIT * typical):
        return f"collectives end {format_ns(sigma)} apart between hosts: their clocks cannot be tied"
    return None


def _host(of: Ranks) -> Int64Array:
    return np.array([rank.host for rank in of.ranks] or [NONE], np.int64)
