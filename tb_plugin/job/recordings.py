"""Which profiles of a run are one job: ranks that recorded the same steps.

Two belong together when their world sizes agree and their ranks differ, and they hold a step of one number, recorded within a
minute of each other; without steps when they share half of the shorter one's time. A span's name is the time of its own export:
it says nothing. The same rank twice is two recordings: it was started again, or two jobs ran at the same time. Their process
groups tell two jobs apart, and where they have the same, the beginnings of their names (`a_rank0`, `b_rank0`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tb_plugin.job.groups_agree import GroupsOf, agree, groups_of
from tb_plugin.job.ranks import name_before_rank, number_of
from tb_plugin.trace.rank.packed import unpacked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.job.ranks import RankProfile

_APART_NS: Final = 60_000_000_000
"""Clocks of hosts differ by milliseconds to seconds; two jobs are started minutes apart."""


def recordings(found: Sequence[RankProfile]) -> list[list[RankProfile]]:
    """The largest first; of equal ones the latest."""
    jobs: list[list[RankProfile]] = []
    steps = {id(one): set(unpacked(one.summary.steps)["number"].tolist()) for one in found}
    groups = {id(one): groups_of(one) for one in found}
    apart = _names_apart(found)
    for one in sorted(found, key=lambda each: (_begun(each), each.run, each.worker, each.span)):
        for job in jobs:
            if all(_may_meet(one, other, groups, apart) for other in job) and any(_meet(one, other, steps) for other in job):
                job.append(one)
                break
        else:
            jobs.append([one])
    return sorted(jobs, key=lambda job: (-len(job), -max(map(_begun, job))))


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


def _may_meet(a: RankProfile, b: RankProfile, groups: dict[int, GroupsOf], apart: set[tuple[str, str]]) -> bool:
    """Of one size, not the same rank, of names that are not two jobs', and in the same groups."""
    of_a, of_b = groups[id(a)], groups[id(b)]
    if a.summary.world_size != b.summary.world_size or (of_a.rank is not None and of_a.rank == of_b.rank):
        return False
    return (not apart or (name_before_rank(a), name_before_rank(b)) not in apart) and agree(of_a, of_b)


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
