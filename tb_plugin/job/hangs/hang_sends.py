"""Of sends in dumps of flight recorders: between which ranks each is, and at which place of its pipeline a rank stands.

    rank 4   send 0->1 in group (4, 6)    from 4 to 6; 4 is at place 0 of 2, as 5 is in (5, 7): their programs are one
    rank 6   recv 1<-0 in group (4, 6)

Sends in the group of all ranks name no pipeline: it is then who is joined to whom by them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from tb_plugin.trace.collectives.recorder import OF_ALL

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tb_plugin.trace.collectives.recorder import Issued, RecorderDump

_PAIR: Final = re.compile(r"(\d+)\s*(->|<-)\s*(\d+)")

_Places = dict[int, tuple[int, int]]  # of a rank: (how many are in its pipeline, its place)


class Ends(NamedTuple):
    """Ranks."""

    sender: int
    receiver: int


def ends_of(issued: Issued, members: tuple[int, ...] | None) -> Ends | None:
    """None of collectives, and of what is several sends. Names say places in the group, where it has members."""
    said = _said(issued.name) if issued.is_between_two else None
    if said is None or members is None or max(said) >= len(members):
        return said
    return Ends(members[said.sender], members[said.receiver])


@lru_cache(4096)
def _said(name: str) -> Ends | None:
    """By a call's name, of which a job has few."""
    said = _PAIR.search(name)
    if said is None:
        return None
    own, other = int(said[1]), int(said[3])
    return Ends(own, other) if said[2] == "->" else Ends(other, own)


def places_in_pipelines(dumps: Sequence[RecorderDump]) -> dict[str, _Places]:
    """By the title of the group in which they send."""
    found: defaultdict[str, _Places] = defaultdict(dict)
    joined: defaultdict[str, set[Ends]] = defaultdict(set)
    members_of: dict[tuple[str, str], frozenset[int]] = {}
    for dump in dumps:
        for issued in dump.issued:
            members = dump.members.get(issued.group[0])
            if (ends := ends_of(issued, members)) is None:
                continue
            if members is not None and issued.group not in members_of:
                members_of[issued.group] = frozenset(members)
                found[issued.group_title] |= {rank: (len(members), place) for place, rank in enumerate(members)}
            if members is None or issued.group[1] == OF_ALL or not members_of[issued.group].issuperset(ends):
                joined[issued.group_title].add(ends)
    for title, pairs in joined.items():
        for chain in _chains(pairs):
            found[title] |= {rank: (len(chain), place) for place, rank in enumerate(chain)}
    return dict(found)


def _chains(pairs: Iterable[Ends]) -> list[list[int]]:
    """Ranks that sends join, in order."""
    beside: defaultdict[int, set[int]] = defaultdict(set)
    for one, other in pairs:
        beside[one].add(other)
        beside[other].add(one)
    chains = []
    while beside:
        chain, left = set[int](), [next(iter(beside))]
        while left:
            rank = left.pop()
            chain.add(rank)
            left += beside.pop(rank, set()) - chain
        chains.append(sorted(chain))
    return chains
