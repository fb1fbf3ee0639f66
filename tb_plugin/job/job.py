"""A job, put together: its ranks on one clock, and every matched collective's wait and transfer.

summaries -> ranks -> rows, with groups that none names -> matched -> steps as others number them, and all of that again -> clocks
of ranks that are not their host's -> (impossible on a clock?) -> clocks, without those that fit no other -> (impossible between
clocks?) -> waits
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import BoolArray, Float64Array, Int64Array, format_ns
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.grouping import group_by, max_by, min_by
from tb_plugin.job.clocks import clock
from tb_plugin.job.clocks.unfit_clocks import far_of, pairs_of, scatter, unfit_of
from tb_plugin.job.clocks.waits import Instances, WaitTimes, waits
from tb_plugin.job.matching.begun_late import begun_late, with_part_of_first
from tb_plugin.job.matching.causality import impossible, likely_off, refused_groups
from tb_plugin.job.matching.matching import Matched, matched
from tb_plugin.job.matching.nameless import told_apart
from tb_plugin.job.matching.own_clocks import ClockPlaces, clock_places
from tb_plugin.job.matching.positions import lanes_and_pairs
from tb_plugin.job.matching.sequence_shift import SequenceShift, numbered_as_others
from tb_plugin.job.matching.step_numbers import apart_by_time, as_others, counted_more
from tb_plugin.job.ranks.ranks import Ranks, ranks_of
from tb_plugin.job.ranks.rows import CollectiveRows, JobRows, job_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.job.clocks.clock import Clocks
    from tb_plugin.job.ranks.ranks import RankProfile

_MOST_SIGMA_NS: Final = 5_000_000
_JITTER_NS: Final = 200_000
"""A sigma below this is a network's; above, it has to be small against the waits that it is to measure."""

_OF_WAIT: Final = 0.1
"""Of how far the members of an instance come apart, in the median."""

_OF_LONG_WAIT: Final = 0.5
"""The same of the longest tenth, where sends alone tie clocks: how far apart they end is how early senders leave, more than what
clocks are off by, and leans the other way in the other direction. That is the error of such clocks, and short waits lie in it.
"""

_CLEARLY: Final = 2.0
_NO_DRIFT: Final = 100e-6
"""Two quartzes hardly are as far apart: then all pairs are asked. A system slews a clock by 500 ppm at most."""

_NO_SLEW: Final = 500e-6
_LEAST_SET_NS: Final = 5_000.0
_SET: Final = 5.0
"""Of one clock, where all together are good."""

_MOST_NAMED: Final = 3
_RANKS: Final = "clocks of ranks: they"
_HOSTS: Final = "hosts: their clocks"


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
    unfit: dict[int, float]
    """Clocks that are left out alone, and how far apart what they end with others lies, ns. `matched` has none of their rows in
    collectives of other clocks.
    """

    counted_more: dict[int, int]  # by place of a rank: how many steps more its file counts than those of the others
    shifts: list[SequenceShift]  # of torch's numbers of collectives
    begun_late: dict[int, int]  # by place of a rank whose first step is not whole: how many of a group were launched before

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
        """All of those of whose device, and of a whole step, something is recorded."""
        return len(self.tied) == len(self.of.ranks) - len(self.of.lack_device) - len(self.of.in_no_whole_step)

    @cached_property
    def tied(self) -> Int64Array:
        """Places of the ranks whose clocks are tied, in order: without those left out alone, and those that lack their device, or
        any whole step. None where others are not tied.
        """
        fits = np.flatnonzero(~np.isin(self.places.of_rank, list(self.unfit)))
        fits = np.setdiff1d(fits, [*self.of.lack_device, *self.of.in_no_whole_step])
        return fits if len(distinct(self.clocks.component[self.places.of_rank[fits]])) == 1 else fits[:0]

    @property
    def left_out(self) -> list[int]:
        """Places of the ranks as if without which the rest is read: their clocks fit no other, or they lack their device
        or any whole step.
        """
        return np.setdiff1d(np.arange(len(self.of.ranks)), self.tied).tolist() if len(self.tied) else []

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
        if self.unfit:
            return f"the clock{'s' if len(self.unfit) > 1 else ''} of {self.whose(list(self.unfit))}"
        return "the clocks of the ranks" if self.places.off else "the clocks of the ranks' hosts"

    @property
    def why_left_out(self) -> str:
        """Within a sentence."""
        lacks = (("device work", self.of.lack_device), ("whole step", self.of.in_no_whole_step))
        said = [
            f"no {what} is in the file of rank {', '.join(str(self.of.numbers[place]) for place in places)}"
            for what, places in lacks
            if places
        ]
        return " and ".join([*([f"{self.untied_clocks} cannot be tied"] if self.unfit or not said else []), *said])

    def whose(self, clocks: list[int]) -> str:
        """The hosts, or ranks, whose clocks these are: `node3 and 2 more`."""
        ranks = {int(on): str(rank.number) for rank, on in zip(reversed(self.of.ranks), self.places.of_rank[::-1], strict=True)}
        names = [self.of.hosts[clock] if clock < len(self.of.hosts) else f"rank {ranks[clock]}" for clock in clocks]
        more = [f"{len(names) - _MOST_NAMED} more"] if len(names) > _MOST_NAMED else []
        return " and ".join(filter(None, (", ".join(names[:_MOST_NAMED]), *more)))

    @property
    def has_waits(self) -> bool:
        return bool(self.waits.is_known.any())

    @property
    def has_own_work(self) -> bool:
        """What each rank needs for itself is told: of matched collectives, also where no clocks are tied."""
        return self.has_waits or (not self.are_clocks_tied and bool((self.matched.is_matched & ~self.is_refused).any()))

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
    table, shifts = numbered_as_others(told_apart(job_rows(of), of), of)
    found = matched(table, of)
    counted = counted_more(table.rows, found)
    if counted:
        of = as_others(of, counted)
        table, shifts = numbered_as_others(told_apart(job_rows(of), of), of)
        found = matched(table, of)
    counted = {place: more for place in range(len(of.ranks)) if (more := by_time.get(place, 0) + counted.get(place, 0))}
    rows = table.rows
    late = begun_late(rows, of, lanes_and_pairs(table, of))
    of = with_part_of_first(of, late)
    resolution = max(rank.summary.resolution_ns for rank in of.ranks)
    places, (clocks, failed, refused, unfit) = _on_clocks(of, table, found, resolution)
    on = places.of_rank[rows.rank]
    failed_there = _between_clocks(rows, found, on, clocks, resolution)
    measured, instances = waits(rows, found, on, clocks, failed | np.isin(found.group, refused))
    why = _why_not(clocks, instances)
    if why is not None:
        clocks, failed_there, unfit = clock.apart(clocks), failed, {}
    found = found.without(np.isin(on, list(unfit)), rows.is_there)
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
        clock_refused=None
        if why is None
        else f"{why} between {'clocks of ranks: they' if places.off else _HOSTS} cannot be tied",
        unfit=unfit,
        counted_more=counted,
        shifts=shifts,
        begun_late=late,
    )


class _Solved(NamedTuple):
    clocks: Clocks
    failed: BoolArray  # instances that are impossible on one of them
    refused: Int64Array  # groups
    unfit: dict[int, float]


def _on_clocks(of: Ranks, table: JobRows, found: Matched, resolution: int) -> tuple[ClockPlaces, _Solved]:
    """Where each rank is, and `_solved` there: no clock is off by the word of a group that is refused on the clocks so found."""
    unused = np.zeros(0, np.int64)
    while True:
        places = clock_places(of, table, found, np.isin(found.group, unused))
        solved = _solved(table, found, places, resolution)
        if not places.off or np.isin(solved.refused, unused).all():
            break
        unused = np.union1d(unused, solved.refused)
    if len(solved.refused):
        others = clock_places(of, table, found, np.zeros(len(found), np.bool_), with_steps=True)
        again = _solved(table, found, others, resolution)
        if len(others.off) == 1 and not len(again.refused):
            return others, again
        return _without_one(table, found, places, solved, resolution) or (places, solved)
    return places, solved


def _without_one(
    table: JobRows, found: Matched, places: ClockPlaces, solved: _Solved, resolution: int
) -> tuple[ClockPlaces, _Solved] | None:
    """Where one rank's clock is why groups are refused: without it all agree."""
    own = [places.with_own(rank) for rank in likely_off(table.rows, found, places.of_rank[table.rows.rank], solved.refused)]
    tried = [(each, again) for each in own if not len((again := _solved(table, found, each, resolution, each.n - 1)).refused)]
    return tried[0] if len(tried) == 1 else None


def _solved(table: JobRows, found: Matched, places: ClockPlaces, resolution: int, but: int | None = None) -> _Solved:
    """`but`: a clock that is none others follow."""
    rows, on = table.rows, places.of_rank[table.rows.rank]
    failed = impossible(rows, found, on, rows.start, rows.end, np.zeros(len(rows), np.int64), resolution)
    refused = refused_groups(found, failed, len(table.groups))
    clocks, unfit = _fitting(rows, found, on, places.n, failed | np.isin(found.group, refused), but)
    failed_there = _between_clocks(rows, found, on, clocks, resolution)
    more = np.setdiff1d(refused_groups(found, failed | failed_there, len(table.groups)), refused)
    if len(more):  # their equations made the clocks what they are
        refused = np.union1d(refused, more)
        clocks, unfit = _fitting(rows, found, on, places.n, failed | np.isin(found.group, refused), but)
    return _Solved(clocks, failed, refused, unfit)


def _fitting(
    rows: CollectiveRows, found: Matched, on: Int64Array, n_clocks: int, unusable: BoolArray, but: int | None
) -> tuple[Clocks, dict[int, float]]:
    """Clocks, solved without those that fit no other; these."""
    equations = clock.equations_of(rows, found, on, n_clocks, ~unusable)
    known = {} if but is None else {but: far_of(equations, but)}
    if known:
        equations = clock.equations_of(rows, found, on, n_clocks, ~unusable, known)
    clocks = clock.solved(equations)
    drifts = clock.drifts_apart(clocks) > _NO_DRIFT
    if n_clocks < 3 or clocks.sigma_ns is None or not (drifts or scatter(equations, clocks)):  # of two nobody knows which
        return clocks, known
    pairs = pairs_of(equations, n_clocks)
    if drifts:  # of a clock that is set by little; one that is slewed fits the others, pair by pair
        out = unfit_of(pairs, n_clocks, np.full(len(pairs.low), max(_LEAST_SET_NS, _SET * _usual(pairs.spread))))
        if out:
            every = known | out
            return clock.solved(clock.equations_of(rows, found, on, n_clocks, ~unusable, every)), every
    if pairs.spread.max(initial=0.0) <= _JITTER_NS:
        return clocks, known
    late = _late_by_durations(rows, found, unusable)
    most = np.where(pairs.by_sends, *(_most_apart(late, are_by_sends=each) for each in (True, False)))
    are_good = _why_not(clocks, waits(rows, found, on, clocks, unusable)[1]) is None
    out = unfit_of(pairs, n_clocks, _CLEARLY * most if are_good else most)
    every = known | out
    return (clock.solved(clock.equations_of(rows, found, on, n_clocks, ~unusable, every)) if out else clocks), every


def _usual(spread: Float64Array) -> float:
    """Of those that agree: of three clocks the one that is set is in two pairs of three."""
    return float(np.percentile(spread, 25, method="lower")) if len(spread) else 0.0


def _between_clocks(rows: CollectiveRows, found: Matched, on: Int64Array, clocks: Clocks, resolution: int) -> BoolArray:
    start = rows.start - clocks.shift(on, rows.start)
    end = rows.end - clocks.shift(on, rows.end)
    return impossible(rows, found, clocks.component[on], start, end, clocks.slack_at(on, rows.start), resolution)


def _why_not(clocks: Clocks, found: Instances) -> str | None:
    """What lies apart, and how far, where the solved clocks are no better than nothing."""
    sigma, late = clocks.sigma_ns, (found.last_arrival - found.first_arrival)[found.is_known]
    if sigma is not None and (drift := clock.drifts_apart(clocks)) > _NO_SLEW:
        return f"collectives end ever further apart, by {drift * 1e6:.0f} us a second,"
    if sigma is None or sigma <= _most_apart(late, are_by_sends=clocks.are_by_sends):
        return None
    return f"{'sends and receives' if clocks.are_by_sends else 'collectives'} end {format_ns(sigma)} apart"


def _late_by_durations(rows: CollectiveRows, found: Matched, unusable: BoolArray) -> Int64Array:
    """How far apart members of each instance come, if they end together: by no clock, for one that fits none would add to it."""
    use = np.flatnonzero(rows.is_there & np.append(found.is_matched & ~unusable, np.False_)[found.of])
    of = group_by(found.of[use])
    return max_by(of, rows.duration[use]) - min_by(of, rows.duration[use])


def _most_apart(late: Int64Array, *, are_by_sends: bool) -> float:
    """How far apart ends may lie where members come so far apart."""
    percentile, share = (90, _OF_LONG_WAIT) if are_by_sends else (50, _OF_WAIT)
    most = share * float(np.percentile(late, percentile)) if len(late) else 0.0
    return min(_MOST_SIGMA_NS, max(_JITTER_NS, most))
