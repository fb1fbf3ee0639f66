"""Of groups that wait for each other in a circle: in which order do the ranks' programs issue their collectives?

    rank 0   all 7, tensor 3      all waits for rank 2, tensor waits for ranks 0, 1 and 3
    rank 1   all 7, tensor 3      of three programs `all 7` comes first: rank 2 issued what comes later,
    rank 2   tensor 3             and is waited for in `all 7`
    rank 3   all 7, tensor 3

Who issued its own first by the clock is a race of microseconds. Groups of one description (the tensor groups of a job) run one
program, so ranks that are in neither of two groups tell of them too.

Where all other programs, those of its peers among them, have what a rank did not start before what it waits in, and its own has
not, the rank left something out, whatever else is not known:

    rank 2   tensor 3 waits, all 7 scheduled      its `all 7` is the others' `all 8`
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from tb_plugin.trace.collectives.recorder import RecorderDump

_Step = tuple[str, int]  # title of the group, number

_SEVERAL: Final = 2
"""Programs that agree against one."""


class ProgramOrder(NamedTuple):
    """`votes`: from -1 to 1, how much of the other ranks' programs have a step before what those it lacks wait in; 0 where nobody
    tells. `left_out`: who lacks it though all others' have it before the one, by its place, that this rank waits in.
    """

    votes: float
    left_out: dict[int, int]


def orders(
    dumps: Sequence[RecorderDump],
    steps: Sequence[_Step | None],
    needs: Sequence[dict[int, set[int]]],
    held: Sequence[Collection[int]],
) -> list[ProgramOrder]:
    """Of each of `steps`, None of sends. `needs`: of each who did not start it, and in which others he waits; `held`: of each who
    is here and did not start it.
    """
    order = {dump.rank: _places(dump) for dump in dumps}
    groups = {rank: {title for title, _ in places} for rank, places in order.items()}
    told = []
    for step, waits in zip(steps, needs, strict=True):
        of_other = {other: _votes(order, step, steps[other]) for other in set().union(*waits.values())}
        n_votes, sum_votes, left_out = 0, 0, dict[int, int]()
        for rank, others in waits.items():
            for other in others:
                votes = of_other[other]
                n_votes += len(votes) - (rank in votes)
                sum_votes += sum(votes.values()) - votes.get(rank, 0)
                if votes.get(rank, 0) < 0 and _all_others_have_it_first(rank, votes, {step, steps[other]}, groups, held[other]):
                    left_out[rank] = other
        told.append(ProgramOrder(sum_votes / n_votes if n_votes else 0.0, left_out))
    return told


def _all_others_have_it_first(
    rank: int, votes: dict[int, int], both: set[_Step | None], groups: dict[int, set[str]], held: Collection[int]
) -> bool:
    """Several that have both groups, and one that waits as this rank's peer."""
    titles = {step[0] for step in both if step is not None}
    alike = [vote for witness, vote in votes.items() if witness != rank and titles <= groups[witness]]
    return len(alike) >= _SEVERAL and min(alike) > 0 and any(witness in held for witness in votes if witness != rank)


def _votes(order: dict[int, dict[_Step, int]], one: _Step | None, other: _Step | None) -> dict[int, int]:
    """Of each rank whose program tells: 1 where it has the one first, else -1."""
    return {rank: vote for rank, places in order.items() if (vote := _vote(places, one, other)) is not None}


def _vote(places: dict[_Step, int], one: _Step | None, other: _Step | None) -> int | None:
    if one is None or other is None or (one not in places and other not in places):
        return None
    never = len(places)
    return 1 if places.get(one, never) < places.get(other, never) else -1


def _places(dump: RecorderDump) -> dict[_Step, int]:
    """Of each collective of a rank its place in the order of issue."""
    steps = [(issued.group_title, issued.sequence) for issued in dump.issued if not issued.is_between_two]
    return {step: place for place, step in enumerate(steps)}
