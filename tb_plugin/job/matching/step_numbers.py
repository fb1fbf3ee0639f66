"""Step numbers that a rank counts otherwise than the others: what torch numbered alike on all was in another step on it.

    all-reduce 40 41 42 of a group      rank 0: step 10 10 11      rank 2: step 11 11 12      rank 2 counts one more

Told by torch's numbers alone, so that no clock is asked. Of each rank and each other rank of its groups: by how many steps, alike
in nine collectives of ten, does it count more? More than half of them have to say so; of several ranks the one of whom most do is
taken first, of as many the last. Where a rank has no number of a step that the others have, the time of its steps says it first.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.job.matching.positions import run_starts
from tb_plugin.trace.rank.order import STEP

if TYPE_CHECKING:
    from tb_plugin.job.matching.matching import Matched
    from tb_plugin.job.ranks.ranks import Rank, Ranks
    from tb_plugin.job.ranks.rows import CollectiveRows

_ALIKE: Final = 0.9
_ENOUGH: Final = 3
_MOST_RANKS: Final = 64


def counted_more(rows: CollectiveRows, found: Matched) -> dict[int, int]:
    """By place of a rank: how many steps more it counts. Nothing where none does, or where too many do to tell who is right."""
    groups, more = _in_groups(rows, found), dict[int, int]()
    for _ in range(_MOST_RANKS if groups else 0):
        said = _most_said(groups)
        if said is None:
            return more
        rank, by = said
        more[rank] = more.get(rank, 0) + by
        for members in groups:
            if rank in members:
                members[rank] -= by
    return {}


def apart_by_time(of: Ranks) -> dict[int, int]:
    """By place of a rank that shares no number with the largest part of the job, nor with who does: how many steps more it
    counts, by the steps of the others that were going on in the middle of its own.
    """
    alike: dict[frozenset[int], list[int]] = {}  # most ranks of a job have the same
    for place, rank in enumerate(of.ranks):
        alike.setdefault(frozenset(rank.steps["number"].tolist()), []).append(place)
    parts: list[tuple[frozenset[int], list[int]]] = []
    for numbers, members in alike.items():
        if numbers:
            meet = [part for part in parts if not part[0].isdisjoint(numbers)]
            whole = numbers.union(*(part[0] for part in meet)), sorted(members + [each for part in meet for each in part[1]])
            parts = [*(part for part in parts if part not in meet), whole]
    if len(parts) < 2:
        return {}
    _, most = max(parts, key=lambda part: (len(part[1]), -part[1][0]))
    its = of.ranks[max(most, key=lambda place: len(of.ranks[place].steps["number"]))]
    begin, end = (its.steps[edge] + its.summary.base_ns for edge in ("start", "end"))
    found = {}
    for place in sorted({place for _, members in parts for place in members}.difference(most)):
        mine = of.ranks[place]
        middle = (mine.steps["start"] + mine.steps["end"]) // 2 + mine.summary.base_ns
        at = np.searchsorted(begin, middle, "right") - 1
        within = (at >= 0) & (middle < end[at])
        more = (mine.steps["number"][within] - its.steps["number"][at[within]]).tolist()
        if more:
            found[place] = Counter[int](more).most_common(1)[0][0]
    return found


def as_others(of: Ranks, more: dict[int, int]) -> Ranks:
    """With the steps of these ranks numbered as those of the others."""
    return replace(of, ranks=tuple(_numbered(rank, more.get(place, 0)) for place, rank in enumerate(of.ranks)))


def _in_groups(rows: CollectiveRows, found: Matched) -> list[dict[int, int]]:
    """Of each group how many steps its members count more than the first does; nothing where all count alike."""
    use = np.flatnonzero((found.of != NONE) & (rows.sequence != NONE) & (rows.step != NONE) & ~rows.is_between_two)
    use = use[np.lexsort((rows.rank[use], found.of[use]))]
    step, first = rows.step[use], run_starts(found.of[use])
    if (step == step[first]).all():
        return []
    apart: defaultdict[tuple[int, int], dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    where = zip(rows.group[use].tolist(), rows.rank[use][first].tolist(), rows.rank[use].tolist(), strict=True)
    for (group, leader, rank), by in zip(where, (step - step[first]).tolist(), strict=True):
        apart[group, leader][rank].append(by)
    groups = []
    for members in apart.values():
        usual = {rank: Counter(each).most_common(1)[0] for rank, each in members.items()}
        told = {rank: by for rank, (by, n) in usual.items() if len(members[rank]) >= _ENOUGH and n >= _ALIKE * len(members[rank])}
        if len(told) > 1:
            groups.append(told)
    return groups


def _most_said(groups: list[dict[int, int]]) -> tuple[int, int] | None:
    """(rank, by how many steps it counts more)."""
    votes: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for members in groups:
        counts = Counter(members.values())
        for rank, mine in members.items():
            votes[rank].update({mine - its: n for its, n in counts.items()})
            votes[rank][0] -= 1  # itself
    said = ((n / votes[rank].total(), rank, by) for rank in votes for by, n in votes[rank].items() if by)
    share, rank, by = max(said, default=(0.0, NONE, 0))
    return (rank, by) if share > 1 / 2 or (share == 1 / 2 and len(votes) == 2) else None


def _numbered(rank: Rank, more: int) -> Rank:
    if not more:
        return rank

    def less(table: dict[str, Int64Array], column: str) -> dict[str, Int64Array]:
        return {**table, column: np.where(table[column] == NONE, NONE, table[column] - more)}

    order = {**rank.order, "what": rank.order["what"] - np.where(rank.order["kind"] == STEP, more, 0)}
    return replace(
        rank,
        steps=less(rank.steps, "number"),
        collectives=less(rank.collectives, "step"),
        shapes=less(rank.shapes, "step"),
        order=order,
    )
