"""Of groups that wait for each other in a circle: in which order do the ranks' programs issue their collectives?

    rank 0   all 7, tensor 3      all waits for rank 2, tensor waits for ranks 0, 1 and 3
    rank 1   all 7, tensor 3      of three programs `all 7` comes first: rank 2 issued what comes later,
    rank 2   tensor 3             and is waited for in `all 7`
    rank 3   all 7, tensor 3

Who issued its own first by the clock is a race of microseconds. Groups of one description (the tensor groups of a job) run one
program, so ranks that are in neither of two groups tell of them too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.trace.collectives.recorder import RecorderDump


def comes_first(
    dumps: Sequence[RecorderDump], steps: Sequence[tuple[str, int] | None], needs: Sequence[dict[int, set[int]]]
) -> list[float]:
    """Of each of `steps`, from -1 to 1: how much of the other ranks' programs have it before what those it lacks wait in.

    `steps`: (title of the group, number), None of sends. `needs`: of each who did not start it, and in which others he waits. 0
    where nobody tells.
    """
    order = {dump.rank: _places(dump) for dump in dumps}
    told = []
    for step, waits in zip(steps, needs, strict=True):
        votes = [
            vote
            for rank, others in waits.items()
            for other in others
            for witness, places in order.items()
            if witness != rank and (vote := _vote(places, step, steps[other])) is not None
        ]
        told.append(sum(votes) / len(votes) if votes else 0.0)
    return told


def _vote(places: dict[tuple[str, int], int], one: tuple[str, int] | None, other: tuple[str, int] | None) -> int | None:
    if one is None or other is None or (one not in places and other not in places):
        return None
    never = len(places)
    return 1 if places.get(one, never) < places.get(other, never) else -1


def _places(dump: RecorderDump) -> dict[tuple[str, int], int]:
    """Of each collective of a rank its place in the order of issue."""
    steps = [(issued.group_title, issued.sequence) for issued in dump.issued if not issued.is_between_two]
    return {step: place for place, step in enumerate(steps)}
