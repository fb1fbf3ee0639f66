"""Of groups that wait for each other in a circle: in which order do the ranks' programs issue their collectives?

    rank 0   all 7, tensor 3      all waits for rank 2, tensor waits for ranks 0, 1 and 3
    rank 1   all 7, tensor 3      of three programs `all 7` comes first: rank 2 issued what comes later,
    rank 2   tensor 3             and is waited for in `all 7`
    rank 3   all 7, tensor 3

Who issued its own first by the clock is a race of microseconds. Groups of one description (the tensor groups of a job) run one
program, so ranks that are in neither of two groups tell of them too; of sends ranks of the same stage do (`hang_programs.py`).

Where all other programs, those of its peers among them, have what a rank did not start before what it waits in, and its own has
not, the rank left something out, whatever else is not known:

    rank 2   tensor 3 waits, all 7 scheduled      its `all 7` is the others' `all 8`
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from tb_plugin.job.hangs.hang_programs import Programs, ProgramStep

_SEVERAL: Final = 2
"""Programs that agree against one."""


class ProgramOrder(NamedTuple):
    """`votes`: from -1 to 1, how much of the other ranks' programs have a step before what those it lacks wait in; 0 where nobody
    tells. `left_out`: who lacks it though all others' have it before the one, by its place, that this rank waits in.
    """

    votes: float
    left_out: dict[int, int]


def orders(
    programs: Programs,
    steps: Sequence[Mapping[int, ProgramStep]],
    needs: Sequence[dict[int, set[int]]],
    waiting: Sequence[Collection[int]],
    held: Sequence[Collection[int]],
) -> list[ProgramOrder]:
    """Of each of `steps`, as each rank that is in it has it. `needs`: of each who did not start it, and in which others he waits;
    `waiting`: of each who did, and `held`: who is here and did not.
    """
    told = []
    for step, waits, here in zip(steps, needs, waiting, strict=True):
        asked: dict[tuple[object, ...], dict[int, int]] = {}
        n_votes, sum_votes, left_out = 0, 0, dict[int, int]()
        for rank, others in waits.items():
            for other in others:
                one, its = step[rank], steps[other][rank]
                is_sent = one.send is not None or its.send is not None
                key = (one, its, programs.stage[rank])
                votes = asked[key] if key in asked else asked.setdefault(key, programs.votes(one, its, rank))
                n_votes += len(votes) - (rank in votes)
                sum_votes += sum(votes.values()) - votes.get(rank, 0)
                peers = here if is_sent else held[other]
                titles = {each.title for each in (one, its) if each.send is None}
                if votes.get(rank, 0) < 0 and _all_others_have_it_first(rank, votes, titles, programs, peers):
                    left_out[rank] = other
        votes_for = sum_votes / n_votes if n_votes else 0.0
        # Of two programs each speaks for what the other lacks. A send comes in a pair with what its peer waits in, and keeps its
        # number where a collective was left out: who lacks the collective did that.
        is_sent = any(each.send is not None for each in step.values())
        told.append(ProgramOrder(min(votes_for, 0.0) if is_sent else votes_for, left_out))
    return told


def _all_others_have_it_first(
    rank: int, votes: dict[int, int], titles: set[str], programs: Programs, peers: Collection[int]
) -> bool:
    """Several that have both groups, and one of its peers."""
    alike = [vote for witness, vote in votes.items() if witness != rank and titles <= programs.groups[witness].keys()]
    return len(alike) >= _SEVERAL and min(alike) > 0 and any(peer in votes for peer in peers if peer != rank)
