"""Which profiles of a run are one job: ranks that recorded the same steps.

Two belong together when their world sizes agree, as far as they tell them, and their ranks differ, and they hold a step of one
number, recorded within a minute of each other; without steps when they share half of the shorter one's time, and so where steps
are numbered otherwise. Of a host whose clock is further off than that collectives have to prove it (`end_together.py`). A span's
name is the time of its own export: it says nothing. The same rank twice is two recordings: it was started again, or two jobs ran
at the same time. Their process groups tell two jobs apart, and where these are the same, beginnings of their names (`a_rank0`,
`b_rank0`) and hosts: two that have the same rank at the same time are of two jobs. Of jobs of several hosts that does not say
which of them go together.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final, TypeAlias

from tb_plugin.base.rank_names import number_in_name
from tb_plugin.job.ranks.ranks import host_of, name_before_rank, number_of
from tb_plugin.job.recordings.copies import copies, has_members, is_in_its_groups
from tb_plugin.job.recordings.doubled import exchange
from tb_plugin.job.recordings.end_together import end_together
from tb_plugin.job.recordings.groups_agree import GroupsOf, GroupsOfJob, groups_of
from tb_plugin.trace.rank.packed import unpacked

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from tb_plugin.job.ranks.ranks import RankProfile

_Mark: TypeAlias = tuple[str, str]
"""What files of one job share, or may: ("name", its beginning), ("host", its host)."""

_APART_NS: Final = 60_000_000_000
"""Clocks of hosts mostly differ by milliseconds to seconds; two jobs are started minutes apart."""


class _Job:
    """What was found to belong together so far."""

    def __init__(self, one: RankProfile, groups: GroupsOf) -> None:
        self.members: list[RankProfile] = []
        self._ranks: set[int] = set()
        self._marks: set[_Mark] = set()
        self._sizes: set[int | None] = set()
        self._untold: list[RankProfile] = []
        self._groups = GroupsOfJob()
        self.add(one, groups)

    def add(self, one: RankProfile, groups: GroupsOf) -> None:
        self.members.append(one)
        self._marks.update(_marks(one))
        self._sizes.add(one.summary.world_size)
        if one.summary.world_size is None:
            self._untold.append(one)
        self._groups.add(groups)
        if groups.rank is not None:
            self._ranks.add(groups.rank)

    def take(self, part: _Job) -> None:
        for one in part.members:
            self.add(one, groups_of(one))

    def may_take(self, one: RankProfile, groups: GroupsOf, apart: set[tuple[_Mark, _Mark]]) -> bool:
        """Of one size, not a rank that is here, of names and hosts that are not two jobs', and in the same groups."""
        if not self._is_of_size(one) or groups.rank in self._ranks:
            return False
        if _are_apart(_marks(one), self._marks, apart):
            return False
        return self._groups.agree(groups)

    def _is_of_size(self, one: RankProfile) -> bool:
        """Of the same, told or not; who does not tell it says which rank it is of a job that does."""
        sizes = self._sizes | {one.summary.world_size}
        told = sizes - {None}
        if len(told) > 1 or len(sizes) == 1:
            return len(sizes) == 1
        (size,) = told
        untold = [*self._untold, one] if one.summary.world_size is None else self._untold
        return all(_may_be_of(each, size or 0) for each in untold)

    def is_completed_by(self, part: _Job, apart: set[tuple[_Mark, _Mark]]) -> bool:
        """Whether `part`, of another time or steps of other numbers, holds other ranks of the same job: collectives that both
        took part in prove it, or the time of steps that are numbered otherwise.
        """
        size = self.members[0].summary.world_size
        return (
            size is not None
            and len(self.members) + len(part.members) <= size
            and all(self.may_take(one, groups_of(one), apart) for one in part.members)
            and (end_together(self.members, part.members) or _number_otherwise(self.members, part.members))
        )


def recordings(found: Sequence[RankProfile]) -> list[list[RankProfile]]:
    """The largest first; of equal ones the latest; what was recorded under a false number last, each alone."""
    aside = copies(found)
    found = _without(found, aside)
    aside += (false := _of_other_ranks(found))
    found = _without(found, false)
    jobs: list[_Job] = []
    steps = {id(one): _steps(one) for one in found}
    apart = _apart(found)
    usual = Counter(map(name_before_rank, found))

    def order(one: RankProfile) -> tuple[object, ...]:
        """Of a rank that is there twice the one that is named as the others are comes first."""
        says_none = number_in_name(one.worker) is None
        return _begun(one), one.run, says_none, -usual[name_before_rank(one)], one.worker, one.span

    for one in sorted(found, key=order):
        groups = groups_of(one)
        for job in jobs:
            if job.may_take(one, groups, apart) and any(_meet(one, other, steps) for other in job.members):
                job.add(one, groups)
                break
        else:
            jobs.append(_Job(one, groups))
    whole = sorted((job.members for job in _completed(jobs, apart)), key=lambda job: (-len(job), -max(map(_begun, job))))
    exchange(whole, lambda one, others: not _are_apart(_marks(one), [mark for each in others for mark in _marks(each)], apart))
    return [*whole, *([one] for one in aside)]


def _completed(parts: list[_Job], apart: set[tuple[_Mark, _Mark]]) -> list[_Job]:
    """Parts that only clocks or numbers of steps set apart are one. Not each proves it with each: neighbours of a pipeline tie
    the rest.
    """
    while True:
        jobs: list[_Job] = []
        for part in parts:
            whole, left = part, []
            for job in jobs:
                if job.is_completed_by(whole, apart):
                    job.take(whole)
                    whole = job
                else:
                    left.append(job)
            jobs = [*left, whole]
        if len(jobs) == len(parts):
            return jobs
        parts = jobs


def may_be_mixed(one: RankProfile, job: Sequence[RankProfile]) -> bool:
    """Whether it is a rank of `job` once more, at the same time, and neither name nor host says which belongs there."""
    name = name_before_rank(one)
    if not any(_is_twice(one, other) and name == name_before_rank(other) for other in job):
        return False
    hosts = {host_of(other) for other in job}
    return len(hosts) > 1 or not hosts.isdisjoint({None, host_of(one)})


def _are_apart(some: Iterable[_Mark], others: Collection[_Mark], apart: set[tuple[_Mark, _Mark]]) -> bool:
    return bool(apart) and any((mark, other) in apart for mark in some for other in others)


def _marks(one: RankProfile) -> list[_Mark]:
    host = host_of(one)
    return [("name", name_before_rank(one)), *([] if host is None else [("host", host)])]


def _without(found: Sequence[RankProfile], some: Sequence[RankProfile]) -> list[RankProfile]:
    gone = set(map(id, some))
    return [one for one in found if id(one) not in gone]


def _by_rank(found: Sequence[RankProfile]) -> dict[int, list[RankProfile]]:
    by_rank: dict[int, list[RankProfile]] = {}
    for one in found:
        rank = number_of(one)
        if rank is not None:
            by_rank.setdefault(rank, []).append(one)
    return by_rank


def _of_other_ranks(found: Sequence[RankProfile]) -> list[RankProfile]:
    """Those that are not in the groups that they used, or are named as a rank that is not here, where one of their number that is
    in its own, or so named, is here at the same time; or where their job has no such number.
    """
    here = _by_rank(found)
    twice = [(one, other) for same in here.values() for one in same for other in same if one is not other]
    twice = [(one, other) for one, other in twice if _is_twice(one, other)]
    false = [one for one, other in twice if not is_in_its_groups(one) and is_in_its_groups(other)]
    false += [
        one
        for one, other in twice
        if (named := named_otherwise(one)) is not None and named not in here and number_in_name(other.worker) == number_of(other)
    ]
    return list({id(one): one for one in (*false, *_beyond(found))}.values())


def _beyond(found: Sequence[RankProfile]) -> list[RankProfile]:
    """Numbers that a job of their size does not have, where most of that size are of it: not the size is wrong then, but where
    its groups have that number.
    """
    of_size: defaultdict[int | None, list[RankProfile]] = defaultdict(list)
    for one in found:
        of_size[one.summary.world_size].append(one)
    beyond = []
    for same in of_size.values():
        out = [one for one in same if is_beyond(one)]
        if 2 * len(out) < len(same):
            beyond += [one for one in out if not (has_members(one) and is_in_its_groups(one))]
    return beyond


def named_otherwise(one: RankProfile) -> int | None:
    """The number in its name, where that is not its own."""
    named = number_in_name(one.worker)
    return None if named == number_of(one) else named


def is_beyond(one: RankProfile) -> bool:
    """Whether a job of its size does not have its number."""
    rank, size = number_of(one), one.summary.world_size
    return rank is not None and size is not None and rank >= size


def _apart(found: Sequence[RankProfile]) -> set[tuple[_Mark, _Mark]]:
    """Beginnings of names, or where these are alike hosts, that hold the same ranks at the same time, at least half of one's:
    two jobs, whatever their groups are; one rank of many is a false number. World sizes that
    differ tell two jobs apart by themselves.
    """
    by_rank = _by_rank(found)
    ranks: defaultdict[_Mark, set[int]] = defaultdict(set)
    for rank, same in by_rank.items():
        for mark in {mark for one in same for mark in _marks(one)}:
            ranks[mark].add(rank)
    twice: defaultdict[tuple[_Mark, _Mark], set[int]] = defaultdict(set)
    for rank, same in by_rank.items():
        for one in same:
            for other in same:
                if one is not other and one.summary.world_size == other.summary.world_size and _is_twice(one, other):
                    for pair in [pair for pair in zip(_marks(one), _marks(other), strict=False) if pair[0] != pair[1]][:1]:
                        twice[pair].add(rank)
    return {(mine, its) for (mine, its), both in twice.items() if 2 * len(both) >= min(len(ranks[mine]), len(ranks[its]))}


def _may_be_of(one: RankProfile, size: int) -> bool:
    rank = number_of(one)
    return rank is not None and rank < size and one.summary.collectives.n_rows > 0


def _is_twice(a: RankProfile, b: RankProfile) -> bool:
    rank = number_of(a)
    return rank is not None and rank == number_of(b) and max(_begun(a), _begun(b)) < min(_ended(a), _ended(b))


def _meet(a: RankProfile, b: RankProfile, steps: dict[int, set[int]]) -> bool:
    of_a, of_b = steps[id(a)], steps[id(b)]
    if of_a and of_b:
        return bool(of_a & of_b) and max(_begun(a), _begun(b)) - min(_ended(a), _ended(b)) < _APART_NS
    return _are_of_one_time(a, b)


def _number_otherwise(some: Sequence[RankProfile], others: Sequence[RankProfile]) -> bool:
    """Asked when all that share a number are together: the next span of a job that numbers alike is of another time."""
    steps, its = ({number for one in side for number in _steps(one)} for side in (some, others))
    return steps.isdisjoint(its) and any(_are_of_one_time(one, other) for one in some for other in others)


def _steps(one: RankProfile) -> set[int]:
    return set(unpacked(one.summary.steps)["number"].tolist()) if one.summary.has_steps else set()


def _are_of_one_time(a: RankProfile, b: RankProfile) -> bool:
    """They share half of the shorter one's time."""
    both = min(_ended(a), _ended(b)) - max(_begun(a), _begun(b))
    return both >= min(_ended(a) - _begun(a), _ended(b) - _begun(b)) / 2


def _begun(one: RankProfile) -> int:
    return one.summary.base_ns + one.summary.start_ns


def _ended(one: RankProfile) -> int:
    return one.summary.base_ns + one.summary.end_ns
