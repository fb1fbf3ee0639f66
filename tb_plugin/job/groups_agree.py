"""Whether two ranks can be of one job, by the process groups that each recorded.

A group of one name and description that holds both has the same members on both. A group in which both have to take part (it had
more than sends and receives) was recorded by both, unless a file is cut off or holds no groups.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tb_plugin.job.ranks import number_of
from tb_plugin.trace.collectives import kinds
from tb_plugin.trace.rank.packed import unpacked

if TYPE_CHECKING:
    from tb_plugin.job.ranks import RankProfile


class _Group(NamedTuple):
    key: tuple[str, str]  # name, description
    members: frozenset[int]
    needs_all: bool  # it had a collective that every member takes part in


class GroupsOf(NamedTuple):
    """What is compared of a rank. `is_whole`: a group that is not here is one that the rank did not use."""

    rank: int | None
    groups: list[_Group]
    is_whole: bool


def groups_of(one: RankProfile) -> GroupsOf:
    """Groups whose members are known."""
    rows = unpacked(one.summary.collectives)
    of_all = ~np.isin(rows["kind"], (kinds.SEND, kinds.RECV, kinds.SEND_RECV))
    used = set(rows["group"][of_all].tolist())
    found = [
        _Group((group.name, group.description), frozenset(group.ranks), place in used)
        for place, group in enumerate(one.summary.groups)
        if group.ranks is not None
    ]
    is_whole = len(found) == len(one.summary.groups) > 0 and not one.summary.is_cut_off
    return GroupsOf(number_of(one), found, is_whole)


def agree(a: GroupsOf, b: GroupsOf) -> bool:
    """True also where nothing can be compared."""
    if a.rank is None or b.rank is None:
        return True
    of_a = [group for group in a.groups if a.rank in group.members and b.rank in group.members]
    of_b = [group for group in b.groups if a.rank in group.members and b.rank in group.members]
    return _alike(of_a, of_b) and (not b.is_whole or _known(of_a, of_b)) and (not a.is_whole or _known(of_b, of_a))


def _alike(of_a: list[_Group], of_b: list[_Group]) -> bool:
    """Names are not unique: one of the groups of that name has to be the same."""
    members = {group.key: {other.members for other in of_b if other.key == group.key} for group in of_a}
    return all(not members[group.key] or group.members in members[group.key] for group in of_a)


def _known(groups: list[_Group], to: list[_Group]) -> bool:
    """Names may be counted by each rank for itself; what a group is for and its members are not."""
    known = {(group.key[1], group.members) for group in to}
    return all((group.key[1], group.members) in known for group in groups if group.needs_all)
