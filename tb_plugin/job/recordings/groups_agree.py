"""Whether a rank can be of a job, by the process groups that it and the job's ranks recorded.

A group of one name and description that holds two ranks has the same members on both. A group in which both have to take part (it
had more than sends and receives) was recorded by both, unless a file is cut off, damaged or holds no groups. Kept by group, not
by pair: a job of 4 096 ranks has eight million pairs.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from tb_plugin.job.ranks.ranks import number_of
from tb_plugin.trace.collectives import kinds
from tb_plugin.trace.rank.packed import unpacked

if TYPE_CHECKING:
    from tb_plugin.job.ranks.ranks import RankProfile

_Members = frozenset[int]


class OneGroup(NamedTuple):
    """`needs_all`: it had a collective that every member takes part in."""

    key: tuple[str, str]  # name, description
    members: _Members
    needs_all: bool


class GroupsOf(NamedTuple):
    """What is compared of a rank. `is_whole`: a group that is not here is one that the rank did not use."""

    rank: int | None
    groups: list[OneGroup]
    is_whole: bool


def groups_of(one: RankProfile) -> GroupsOf:
    """Groups whose members are known."""
    rows = unpacked(one.summary.collectives)
    kind = rows["kind"]
    of_all = (kind != kinds.SEND) & (kind != kinds.RECV) & (kind != kinds.SEND_RECV)
    used = set(rows["group"][of_all].tolist())
    found = [
        OneGroup((group.name, group.description), frozenset(group.ranks), place in used)
        for place, group in enumerate(one.summary.groups)
        if group.ranks is not None
    ]
    is_whole = len(found) == len(one.summary.groups) > 0 and not (one.summary.is_cut_off or one.summary.damage)
    return GroupsOf(number_of(one), found, is_whole)


class GroupsOfJob:
    """Of the ranks that were added. A rank without a number is compared with nobody."""

    def __init__(self) -> None:
        self._whole: set[int] = set()
        self._claims: defaultdict[tuple[str, str], dict[_Members, set[int]]] = defaultdict(dict)  # by key: who says so
        self._known: defaultdict[tuple[str, _Members], set[int]] = defaultdict(set)  # by description: who recorded it
        self._needed: defaultdict[int, set[tuple[str, _Members]]] = defaultdict(set)  # by rank: what others say that it needs

    def add(self, one: GroupsOf) -> None:
        if one.rank is None:
            return
        if one.is_whole:
            self._whole.add(one.rank)
        for group in one.groups:
            self._claims[group.key].setdefault(group.members, set()).add(one.rank)
            what = (group.key[1], group.members)
            if one.rank in group.members:
                self._known[what].add(one.rank)
                if group.needs_all and what not in self._needed[one.rank]:
                    for rank in group.members:
                        self._needed[rank].add(what)

    def agree(self, one: GroupsOf) -> bool:
        """Whether it agrees with every rank here; true also where nothing can be compared."""
        if one.rank is None:
            return True
        mine = [group for group in one.groups if one.rank in group.members]
        return all(self._is_alike(one.rank, group) for group in mine) and self._is_known(one, mine)

    def _is_alike(self, rank: int, group: OneGroup) -> bool:
        """Names are not unique: of the ranks that say otherwise each has to have a group of that name with these members too."""
        claims = self._claims.get(group.key, {})
        same = claims.get(group.members, set())
        others = (who for members, who in claims.items() if members != group.members and rank in members)
        return all(not ((who & group.members) - same) for who in others)

    def _is_known(self, one: GroupsOf, mine: list[OneGroup]) -> bool:
        """Names may be counted by each rank for itself; what a group is for and its members are not."""
        for group in mine:
            if group.needs_all and (group.members & self._whole) - self._known.get((group.key[1], group.members), set()):
                return False
        known = {(group.key[1], group.members) for group in mine}
        return not one.is_whole or one.rank is None or self._needed.get(one.rank, set()) <= known
