"""Groups of a rank against those of a job: as each pair of ranks would say, one by one."""

from __future__ import annotations

import random

import pytest

from tb_plugin.job.recordings.groups_agree import GroupsOf, GroupsOfJob, OneGroup


def pair_agrees(a: GroupsOf, b: GroupsOf) -> bool:
    """The rule, of two ranks: groups that hold both are the same on both, and what needs all members was recorded by both."""
    if a.rank is None or b.rank is None:
        return True
    of_a = [group for group in a.groups if a.rank in group.members and b.rank in group.members]
    of_b = [group for group in b.groups if a.rank in group.members and b.rank in group.members]
    named = {group.key for group in of_b}
    if any(
        group.key in named and all(group.members != other.members for other in of_b if other.key == group.key) for group in of_a
    ):
        return False
    for one, other, is_whole in ((of_a, of_b, b.is_whole), (of_b, of_a, a.is_whole)):
        known = {(group.key[1], group.members) for group in other}
        if is_whole and any((group.key[1], group.members) not in known for group in one if group.needs_all):
            return False
    return True


def rank(chance: random.Random, number: int) -> GroupsOf:
    """Mostly the groups that it should have; now and then other members, another name, or one too few."""
    groups = []
    for name, size in (("tp", 2), ("dp", 4), ("all", 8)):
        first = number // size * size
        members = frozenset(range(first, first + size))
        if chance.random() < 0.06:
            members = (members - {first}) | {chance.randrange(8)} | {number}
        key = (chance.choice(("0", "1")) if chance.random() < 0.06 else name, name)
        if chance.random() > 0.06:
            groups.append(OneGroup(key, members, chance.random() < 0.8))
    return GroupsOf(number if chance.random() > 0.05 else None, groups, chance.random() < 0.8)


@pytest.mark.parametrize("seed", range(40))
def test_a_job_agrees_with_a_rank_that_agrees_with_each_of_its_ranks(seed: int) -> None:
    chance = random.Random(seed)
    members: list[GroupsOf] = []
    job = GroupsOfJob()
    for number in chance.sample(range(8), 8):
        one = rank(chance, number)
        agrees = all(pair_agrees(one, other) for other in members)
        assert job.agree(one) == agrees
        if agrees:
            members.append(one)
            job.add(one)
    assert len(members) > 1
