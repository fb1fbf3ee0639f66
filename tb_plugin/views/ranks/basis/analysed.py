"""Everything that the tables of the view are made from, worked out once."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec
import numpy as np

from tb_plugin.job.job import Job, job_of
from tb_plugin.job.late.compared_with import ComparedWith, compared_with, excess_of
from tb_plugin.job.late.stragglers import Straggler, as_if_late, work_of
from tb_plugin.job.links.links import Links, links
from tb_plugin.job.own.dimensions import Dimensions, dimensions
from tb_plugin.job.own.exposed import Exposed, exposed
from tb_plugin.job.own.layout import JobLayout, layout
from tb_plugin.job.own.load_balance import LoadBalance, load_balance
from tb_plugin.job.own.lost_rows import but_maybe_waiting, with_untold
from tb_plugin.job.own.own_time import OwnTime, own_times
from tb_plugin.job.own.pipeline import Pipeline, pipeline_of
from tb_plugin.job.recordings.recordings import recordings
from tb_plugin.job.replay.critical_path import CriticalPath, critical_paths
from tb_plugin.job.replay.lost_kernels import with_lost_kernels
from tb_plugin.job.replay.replay import NotReplayed, Replay, replay_of
from tb_plugin.job.what_if.even_share import Faults, faults_of
from tb_plugin.job.what_if.gains import by_gain, told_at_most, without_gain
from tb_plugin.job.what_if.ideal import ideal, no_longer
from tb_plugin.job.what_if.moving import Moving, moving, without_moving
from tb_plugin.job.what_if.what_if import (
    HeldUp,
    Without,
    longest_held_up,
    without,
    without_as_slow_hosts,
    without_slow_link,
)
from tb_plugin.job.why.alone import as_if_alone, but_waiting
from tb_plugin.job.why.caused import Caused, caused
from tb_plugin.job.why.causes import cause_of
from tb_plugin.job.why.late import late
from tb_plugin.trace.kept import LastAnswers
from tb_plugin.views.ranks.basis.on_job import stretches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Float64Array
    from tb_plugin.job.ranks.ranks import RankProfile
    from tb_plugin.job.why.cause import Cause
    from tb_plugin.trace.rank.summary import RankSummary
    from tb_plugin.views.ranks.basis.on_job import Stretches


_MOST_KEPT: Final = 4
MOST_REPLAYED: Final = 5
"""Of those who are late: a replay each."""

_MOST_KEPT_EDGES: Final = 1_500_000
"""About 56 bytes each; 1 024 ranks with 90 collectives have 1.3 million."""


@dataclass(frozen=True, kw_only=True)
class Analysed:
    """A job with all that is said of it."""

    job: Job
    dimensions: Dimensions
    layout: JobLayout
    exposed: Exposed
    own: OwnTime
    alone: OwnTime  # with the idle time that waiting for others hides: what ranks are held against each other by
    links: Links
    pipeline: Pipeline | None
    balance: LoadBalance | None
    stragglers: list[tuple[Straggler, Cause, Without | None]]
    no_gain: list[tuple[Straggler, Cause, Without | None]]  # late as well, and no step is longer for it: not blamed
    without_slow_link: Without | None
    without_link_and: list[Without | None]  # that, and without one of the stragglers: of each; empty without a slow link
    without_link_and_all: Without | None
    moving: Moving | None  # None: it is not what most is lost by
    without_moving: Without | None
    without_all: Without | None  # without all stragglers at once that one replay each tells of; None where they are not several
    ideal: Without | None
    held_up: HeldUp | None
    paths: list[CriticalPath]  # of complete steps; `not_replayed.py` says why there are none
    not_replayed: NotReplayed | None
    small_replay: Replay | None
    has_host: bool  # events of the host were recorded: idle time of a device is its rank's own

    @cached_property
    def kept(self) -> LastAnswers[tuple[object, ...], Float64Array]:
        """What questions work out of it that others ask for again. Shared: not to be changed."""
        return LastAnswers(_MOST_KEPT)

    @cached_property
    def work(self) -> Float64Array:
        """[rank, step]: own time less what moves data. What is compared between ranks: it does not depend on who is here."""
        return work_of(self.alone, with_idle=self.has_host)

    @cached_property
    def excess(self) -> Float64Array:
        """[rank, step], ns: of `work` over those the rank is compared with; the one measure of who needs more."""
        return excess_of(self.work, self.layout, [one for one, *_ in self.stragglers])

    @cached_property
    def caused(self) -> Caused:
        return caused(self.job, self.own)

    @cached_property
    def faults(self) -> Faults:
        return faults_of(self.own, self.layout, [(one, cause) for one, cause, *_ in self.stragglers])

    def compared_with(self, rank: int) -> ComparedWith:
        """Whom `excess` is over; by its place."""
        return compared_with(rank, self.work, self.layout, [one for one, *_ in self.stragglers])

    def cause_if_late(self, rank: int) -> Cause | None:
        """Of what it needs more than its peers, where nobody blames it for that; by its place. None: it needs no more."""
        one = as_if_late(self.alone, rank, self.excess[rank], self.compared_with(rank).peers)
        return cause_of(self.job, self.alone, one) if one.late_steps else None

    @cached_property
    def job_in_replay(self) -> Job:
        """With the kernels that are in the files of peers alone: rows are the same."""
        return with_lost_kernels(self.job)

    @cached_property
    def replay(self) -> Replay | None:
        """Where it is large, made again for who asks what a step would be: of 4 096 ranks it is larger than all else here."""
        if self.small_replay is not None or self.not_replayed is not None:
            return self.small_replay
        found = replay_of(self.job_in_replay)
        return found if isinstance(found, Replay) else None

    @cached_property
    def stretches(self) -> list[Stretches]:
        """Of each rank its steps and its recording, on the job's clock."""
        return stretches(self.job)

    @cached_property
    def job_steps(self) -> dict[int, float]:
        """Length of each step that every rank recorded whole, ns by its number: from where the last rank begins it to where the
        last one ends it, what a replay starts from. Of the ranks whose clocks are tied.
        """
        tied = self.job.tied
        if len(tied) == 0:
            return {}
        columns = np.flatnonzero(np.isfinite(self.own.step[tied]).all(axis=0))
        numbers: list[int] = self.own.number[columns].tolist()
        of_ranks = [[self.stretches[place][number] for place in tied.tolist()] for number in numbers]
        return {
            number: float(max(end for _, end in its) - max(begin for begin, _ in its))
            for number, its in zip(numbers, of_ranks, strict=True)
        }

    @property
    def clock_error_ns(self) -> float:
        """The largest of the hosts, at the middle of the recording."""
        clocks = self.job.clocks
        return float(clocks.error_at(np.arange(len(clocks.component)), clocks.middle_ns).max(initial=0.0))

    @property
    def told_clock_error_ns(self) -> int | None:
        """None of one clock, and where clocks are not tied."""
        return None if self.job.clocks.sigma_ns is None or self.job.clock_refused else round(self.clock_error_ns)


_LAST: Final[LastAnswers[tuple[object, ...], Analysed]] = LastAnswers(1)
_Jobs: TypeAlias = tuple["Sequence[RankProfile]", list[list["RankProfile"]]]
_One: TypeAlias = tuple["Sequence[RankProfile]", Analysed]
_LAST_JOBS: Final[LastAnswers[tuple[object, ...], _Jobs]] = LastAnswers(1)
_JOBS_OF_OBJECTS: Final[LastAnswers[tuple[int, ...], _Jobs]] = LastAnswers(1)
_LAST_SAME: Final[LastAnswers[tuple[object, ...], _One]] = LastAnswers(1)
_OF_OBJECTS: Final[LastAnswers[tuple[int, ...], _One]] = LastAnswers(1)


def jobs_among(found: Sequence[RankProfile]) -> list[list[RankProfile]]:
    """Which of these are one job (`job/recordings/`); the last answer is kept. The lists in it are shared."""
    return list(_JOBS_OF_OBJECTS.get(objects_of(found), lambda: (found, _jobs_by_summaries(found)))[1])


def analysed(recorded: Sequence[RankProfile]) -> Analysed:
    """Of the profiles of one job; the last one's is kept, since every table and every click asks for it."""
    return _OF_OBJECTS.get(objects_of(recorded), lambda: (recorded, _by_summaries(recorded)))[1]


def objects_of(some: Sequence[object]) -> tuple[int, ...]:
    """Which objects these are, 20 ns each. Whoever keeps an answer by it keeps them too, or others may be taken for them."""
    return tuple(map(id, some))


def _jobs_by_summaries(found: Sequence[RankProfile]) -> list[list[RankProfile]]:
    return _LAST_JOBS.get(_summaries_of(found), lambda: (found, recordings(found)))[1]


def _by_summaries(recorded: Sequence[RankProfile]) -> Analysed:
    return _LAST_SAME.get(_summaries_of(recorded), lambda: (recorded, _analysed_once(recorded)))[1]


def _summaries_of(recorded: Sequence[RankProfile]) -> tuple[object, ...]:
    """1 us each, where what is in them takes 40. Also of members that were made anew while others are to come."""
    return tuple((one.run, one.worker, one.span, one.label, id(one.summary)) for one in recorded)


def _analysed_once(recorded: Sequence[RankProfile]) -> Analysed:
    described = tuple((one.run, one.worker, one.span, one.label, one.file, _digest(one.summary)) for one in recorded)
    return _LAST.get(described, lambda: _analysed(recorded))


def _digest(summary: RankSummary) -> bytes:
    """Of all that is in it: what is left out here would be told of a file that says something else by now."""
    return hashlib.blake2b(msgspec.msgpack.encode(summary), digest_size=16).digest()


def _analysed(recorded: Sequence[RankProfile]) -> Analysed:
    job = job_of(recorded)
    of = dimensions(job)
    place, hidden = layout(job, of), exposed(job, of)
    as_recorded = own_times(job, hidden)
    own = but_maybe_waiting(job, as_recorded)
    hidden = with_untold(job, hidden, as_recorded, own, int(of.of_group[-1]))
    has_host = any(rank.has_host for rank in job.of.ranks)
    found = Analysed(
        job=job,
        dimensions=of,
        layout=place,
        exposed=hidden,
        own=own,
        alone=as_if_alone(None, job, own, place, 0.0),
        links=links(job, of, hidden, own),
        pipeline=pipeline_of(job, of, place, own),
        balance=load_balance(job, own),
        stragglers=[],
        no_gain=[],
        without_slow_link=None,
        without_link_and=[],
        without_link_and_all=None,
        moving=None,
        without_moving=None,
        without_all=None,
        ideal=None,
        held_up=None,
        paths=[],
        not_replayed="no waits",
        small_replay=None,
        has_host=has_host,
    )
    if not job.has_own_work:
        return found
    slow = found.links.slow
    whole = found.job_in_replay
    answer = replay_of(whole)
    replayed, not_replayed = (answer, None) if isinstance(answer, Replay) else (None, answer)
    alone = as_if_alone(replayed, whole, own, place, found.clock_error_ns)
    blamed_for = late(job, alone, place, found.clock_error_ns, with_idle=has_host)
    if replayed is not None:
        blamed_for = without_as_slow_hosts(replayed, own, blamed_for)
    paths = []
    if replayed is not None:  # of what every rank recorded whole, so that no path leads past who is not told
        paths = critical_paths(replayed, whole.waits.untold, np.intersect1d(own.number, replayed.told_steps))
    faults = faults_of(own, place, blamed_for)
    blamed = []
    for nth, (one, cause) in enumerate(blamed_for):
        is_asked = replayed is not None and nth < MOST_REPLAYED
        alone_gone = (
            without(replayed, whole, own, place, [(one, cause)], None, faults) if replayed is not None and is_asked else None
        )
        blamed.append((one, cause, alone_gone))
    quick = None
    if replayed is not None and slow is not None:
        quick = without_slow_link(replayed, whole, slow)
    no_gain = []
    if replayed is not None and blamed:
        quickest = replace(replayed, lag=but_waiting(replayed, whole))
        no_gain = without_gain(
            blamed,
            slow is not None,
            lambda some, usual: without(quickest, whole, own, place, some, slow if usual else None, faults),
        )
    blamed = told_at_most([each for each in blamed if not any(each is one for one in no_gain)])
    moved = moving(job, of, hidden, own) if found.links.always is None else None
    free = without_moving(replayed, whole, of, moved) if replayed is not None and moved is not None else None
    told = [(one, cause) for one, cause, without_it in blamed if without_it is not None]
    every = without(replayed, whole, own, place, told, None, faults) if replayed is not None and len(told) > 1 else None
    blamed = by_gain(blamed, own.number, every)
    with_links: list[Without | None] = []
    all_with_links = None
    if replayed is not None and slow is not None:
        for one, cause, without_it in blamed:
            with_links.append(None if without_it is None else without(replayed, whole, own, place, [(one, cause)], slow, faults))
        all_with_links = without(replayed, whole, own, place, told, slow, faults) if len(told) > 1 else None
    repaired = (*(without_it for *_, without_it in blamed), every, quick, *with_links, all_with_links)
    return replace(
        found,
        alone=alone,
        stragglers=blamed,
        no_gain=no_gain,
        without_slow_link=quick,
        without_link_and=with_links,
        without_link_and_all=all_with_links,
        moving=moved,
        without_moving=free,
        without_all=every,
        ideal=no_longer(
            ideal(replayed, whole, own, place, found.links, faults_of(own, place, [(one, cause) for one, cause, _ in blamed])),
            [each for each in repaired if each is not None],
        )
        if replayed is not None
        else None,
        held_up=longest_held_up(replayed) if replayed is not None else None,
        paths=paths,
        not_replayed=not_replayed,
        small_replay=replayed if replayed is not None and len(replayed.lag) <= _MOST_KEPT_EDGES else None,
    )
