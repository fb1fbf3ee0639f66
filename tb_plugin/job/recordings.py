"""Which profiles of a run are one job: ranks that recorded the same steps.

Two belong together when their world sizes agree and their ranks differ, and they hold a step of one number, recorded within a
minute of each other; without steps when they share half of the shorter one's time. A span's name is the time of its own export:
it says nothing. The same rank twice is two recordings: it was started again, or two jobs ran at the same time. Their process
groups tell two jobs apart, and where they have the same, the beginnings of their names (`a_rank0`, `b_rank0`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.job.groups_agree import GroupsOf, GroupsOfJob, groups_of
from tb_plugin.job.ranks import name_before_rank, number_of
from tb_plugin.trace.rank.packed import unpacked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.job.ranks import RankProfile

_APART_NS: Final = 60_000_000_000
"""Clocks of hosts differ by milliseconds to seconds; two jobs are started minutes apart."""


class _Job:
    """What was found to belong together so far."""

    def __init__(self, one: RankProfile, groups: GroupsOf) -> None:
        self.members: list[RankProfile] = []
        self._ranks: set[int] = set()
        self._names: set[str] = set()
        self._groups = GroupsOfJob()
        self.add(one, groups)

    def add(self, one: RankProfile, groups: GroupsOf) -> None:
        self.members.append(one)
        self._names.add(name_before_rank(one))
        self._groups.add(groups)
        if groups.rank is not None:
            self._ranks.add(groups.rank)

    def may_take(self, one: RankProfile, groups: GroupsOf, apart: set[tuple[str, str]]) -> bool:
        """Of one size, not a rank that is here, of names that are not two jobs', and in the same groups."""
        if one.summary.world_size != self.members[0].summary.world_size or groups.rank in self._ranks:
            return False
        name = name_before_rank(one)
        return not any((name, other) in apart for other in self._names) and self._groups.agree(groups)


def recordings(found: Sequence[RankProfile]) -> list[list[RankProfile]]:
    """The largest first; of equal ones the latest."""
    jobs: list[_Job] = []
    steps = {id(one): set(unpacked(one.summary.steps)["number"].tolist()) for one in found}
    apart = _names_apart(found)
    for one in sorted(found, key=lambda each: (_begun(each), each.run, each.worker, each.span)):
        groups = groups_of(one)
        for job in jobs:
            if job.may_take(one, groups, apart) and any(_meet(one, other, steps) for other in job.members):
                job.add(one, groups)
                break
        else:
            jobs.append(_Job(one, groups))
    return sorted((job.members for job in jobs), key=lambda job: (-len(job), -max(map(_begun, job))))


def may_be_mixed(one: RankProfile, job: Sequence[RankProfile]) -> bool:
    """Whether it is a rank of `job` once more, at the same time, and no name says which of the two belongs there."""
    name = name_before_rank(one)
    return any(_is_twice(one, other) and name == name_before_rank(other) for other in job)


def _names_apart(found: Sequence[RankProfile]) -> set[tuple[str, str]]:
    """Beginnings of names that hold the same rank at the same time: two jobs, whatever their groups are."""
    by_rank: dict[int, list[RankProfile]] = {}
    for one in found:
        rank = number_of(one)
        if rank is not None:
            by_rank.setdefault(rank, []).append(one)
    return {
        (name_before_rank(one), name_before_rank(other))
        for same in by_rank.values()
        for one in same
        for other in same
        if one is not other and _is_twice(one, other) and name_before_rank(one) != name_before_rank(other)
    }


def _is_twice(a: RankProfile, b: RankProfile) -> bool:
    rank = number_of(a)
    return rank is not None and rank == number_of(b) and max(_begun(a), _begun(b)) < min(_ended(a), _ended(b))


def _meet(a: RankProfile, b: RankProfile, steps: dict[int, set[int]]) -> bool:
    begin, end = max(_begun(a), _begun(b)), min(_ended(a), _ended(b))
    of_a, of_b = steps[id(a)], steps[id(b)]
    if of_a and of_b:
        return bool(of_a & of_b) and begin - end < _APART_NS
    return end - begin >= min(_ended(a) - _begun(a), _ended(b) - _begun(b)) / 2


def _begun(one: RankProfile) -> int:
    return one.summary.base_ns + one.summary.start_ns


def _ended(one: RankProfile) -> int:
    return one.summary.base_ns + one.summary.end_ns
