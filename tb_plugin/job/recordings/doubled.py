"""Of a rank that is there twice at about the same time: which of its profiles fits the job.

The one whose collectives end nearest to when they end on other ranks, those of its host where some are here; of those that took
part in nothing together the one that begins nearest to the others. Asked of jobs that mostly have each rank once: of two whole
jobs at once other things tell which profile is whose.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.job.matching.ends import JITTER_NS
from tb_plugin.job.ranks.ranks import host_of, number_of
from tb_plugin.job.recordings.end_together import ends_apart_ns

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tb_plugin.job.ranks.ranks import RankProfile

_MOST_PEERS: Final = 4
"""That one is held against: what ends together does so on all."""


def exchange(jobs: Sequence[list[RankProfile]], may_be: Callable[[RankProfile, Sequence[RankProfile]], bool]) -> None:
    """Gives each job the profile that fits it better, and the job that had that one the other. `may_be`: of these."""
    there: dict[int, list[list[RankProfile]]] = {}
    for job in jobs:
        for number in {number_of(one) for one in job} - {None}:
            there.setdefault(number or 0, []).append(job)
    twice = {number for number, of in there.items() if len(of) > 1}
    for job in jobs if twice else ():
        once = [one for one in job if number_of(one) not in twice]
        if 2 * len(once) < len(job) or not once:
            continue
        for place, one in enumerate(job):
            number = number_of(one)
            for other in there[number] if number in twice else ():
                at = next(nth for nth, each in enumerate(other) if number_of(each) == number)
                its = other[at]
                if other is not job and _are_alike(one, its) and may_be(its, once) and _fits(its, job[place], once):
                    job[place], other[at] = its, job[place]


def _are_alike(one: RankProfile, other: RankProfile) -> bool:
    """Of a job of this size, and in the same groups, as far as both tell."""
    mine, its = ({(group.name, group.description, group.ranks) for group in each.summary.groups} for each in (one, other))
    return one.summary.world_size == other.summary.world_size and (mine <= its or its <= mine)


def _fits(other: RankProfile, one: RankProfile, job: Sequence[RankProfile]) -> bool:
    """Whether `other` fits these better than `one`."""
    host, numbers = host_of(one), {rank for group in one.summary.groups for rank in group.ranks or ()}
    peers = sorted(job, key=lambda each: (host_of(each) != host, number_of(each) not in numbers))[:_MOST_PEERS]
    apart = [ends_apart_ns(each, peers) for each in (other, one)]
    near, far = apart if None not in apart else [_begun_apart_ns(each, peers) for each in (other, one)]
    return near is not None and far is not None and near + JITTER_NS < far


def _begun_apart_ns(one: RankProfile, peers: Sequence[RankProfile]) -> float:
    begun = [each.summary.base_ns + each.summary.start_ns - one.summary.base_ns - one.summary.start_ns for each in peers]
    return abs(float(np.median(begun)))
