"""Proof that ranks whose clocks lie minutes apart are of one job: what they did together ends together.

Of a group that spans both, the collectives that need all members, in the steps that are complete on both:
as many, of the same kinds, in the same order, and together by the rule of `ends.py`, and within 3 permille of the time from the
first to the last. A clock that is off by minutes is off by the same minutes each time; a step of another run of the same job is
longer or shorter by some permille.

Files that name no group (2023, gloo) and could be of one alone are held to be of one that spans both. Where no group has
collectives on both sides, large sends from the one to the other do as much: either end of them ends when all is over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.job.clocks.clock import LARGE_BYTES
from tb_plugin.job.matching.ends import ENOUGH, JITTER_NS, MOST, apart
from tb_plugin.job.ranks.ranks import number_of
from tb_plugin.job.ranks.rows import is_nameless
from tb_plugin.trace.collectives import kinds
from tb_plugin.trace.rank.packed import unpacked

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tb_plugin.base.units import Int64Array
    from tb_plugin.job.ranks.ranks import RankProfile

_OF_SHORT: Final = 3e-3
"""What takes 2 ms takes another run no more than 30 us longer."""

_Key = tuple[str, frozenset[int]]
"""What a group is for, and its members; names may be counted by each rank for itself."""

_ONLY: Final[_Key] = ("", frozenset())
"""The group of ranks that name none."""


class _Ends(NamedTuple):
    """One row a collective, in the order of issue. `said` is the same on both sides: torch's number, of a send its size."""

    step: Int64Array
    kind: Int64Array
    said: Int64Array
    end: Int64Array  # Unix ns; NONE: not recorded

    def take(self, steps: set[int]) -> _Ends:
        use = np.isin(self.step, list(steps))
        return _Ends(*(column[use] for column in self))


def end_together(some: Sequence[RankProfile], others: Sequence[RankProfile]) -> bool:
    """Whether each group that is known to hold ranks of both says so, and one does; where none tells, all sends between them."""
    found = _of_groups(some, others)
    if found.isdisjoint({True, False}):
        found = _of_sends(some, others)
    return True in found and False not in found


def ends_apart_ns(one: RankProfile, others: Sequence[RankProfile]) -> float | None:
    """How far apart by their clocks what it did with one of these ended on both, in the median; of the nearest. None where they
    did nothing together.
    """
    mine, found = _speakers([one]), []
    for other in others:
        for key in mine.keys() & _speakers([other]).keys():
            ends = (_ends(each, key).take(_steps(one) & _steps(other)) for each in (one, other))
            tied = _apart_ns(*ends)
            found += [] if tied is None else [tied]
    return min(found, default=None)


def _apart_ns(a: _Ends, b: _Ends) -> float | None:
    if len(a.end) != len(b.end) or not all(np.array_equal(left, right) for left, right in zip(a[:3], b[:3], strict=True)):
        return None
    both = (a.end != NONE) & (b.end != NONE)
    return float(np.median(np.abs(a.end[both] - b.end[both]))) if both.any() else None


def _of_groups(some: Sequence[RankProfile], others: Sequence[RankProfile]) -> set[bool | None]:
    """One rank a side speaks for a group."""
    mine, theirs = _speakers(some), _speakers(others)
    return {
        _is_tied(_ends(mine[key], key), _ends(theirs[key], key), _steps(mine[key]) & _steps(theirs[key]))
        for key in mine
        if key in theirs
    }


def _of_sends(some: Sequence[RankProfile], others: Sequence[RankProfile]) -> set[bool | None]:
    """What each pair of ranks says, and each direction; a message that only one side has is against it."""
    at = {number: one for one in others if (number := number_of(one)) is not None}
    found: set[bool | None] = set()
    for one in some:
        number, rows = number_of(one), unpacked(one.summary.collectives)
        for peer in set(rows["peer"][np.isin(rows["kind"], (kinds.SEND, kinds.RECV))].tolist()) & at.keys():
            steps = _steps(one) & _steps(at[peer])
            for mine, its in ((kinds.SEND, kinds.RECV), (kinds.RECV, kinds.SEND)):
                found.add(_is_tied(_sends(one, mine, peer), _sends(at[peer], its, number), steps))
    return found


def _speakers(members: Iterable[RankProfile]) -> dict[_Key, RankProfile]:
    found: dict[_Key, RankProfile] = {}
    for one in members:
        if is_nameless(one.summary):
            found.setdefault(_ONLY, one)
        for group in one.summary.groups:
            if group.ranks is not None and number_of(one) in group.ranks:
                found.setdefault((group.description, frozenset(group.ranks)), one)
    return found


def _steps(one: RankProfile) -> set[int]:
    steps = unpacked(one.summary.steps)
    return set(steps["number"][steps["complete"] > 0].tolist())


def _ends(one: RankProfile, key: _Key) -> _Ends:
    rows = unpacked(one.summary.collectives)
    groups = one.summary.groups
    places = [at for at, group in enumerate(groups) if group.ranks and (group.description, frozenset(group.ranks)) == key]
    use = (np.isin(rows["group"], places) | (key == _ONLY)) & np.isin(rows["kind"], kinds.SYNCHRONISING)
    end = np.where(rows["row"] == NONE, NONE, rows["end"] + one.summary.base_ns)
    return _Ends(*(column[use] for column in (rows["step"], rows["kind"], rows["sequence"], end)))


def _sends(one: RankProfile, kind: int, peer: int | None) -> _Ends:
    rows = unpacked(one.summary.collectives)
    use = (rows["kind"] == kind) & (rows["peer"] == peer) & (rows["size"] > LARGE_BYTES)
    end = np.where(rows["row"] == NONE, NONE, rows["end"] + one.summary.base_ns)[use]
    return _Ends(rows["step"][use], np.zeros(len(end), np.int64), rows["size"][use], end)


def _is_tied(one: _Ends, other: _Ends, steps: set[int]) -> bool | None:
    """None where a group was not used in these steps, or hardly."""
    a, b = one.take(steps), other.take(steps)
    if len(a.end) == len(b.end) < ENOUGH:
        return None
    if not all(np.array_equal(left, right) for left, right in zip(a[:3], b[:3], strict=True)):
        return False
    both = (a.end != NONE) & (b.end != NONE)
    if both.sum() < ENOUGH:
        return None
    lasted = float(np.ptp(a.end[both]))
    order = np.argsort(a.end[both], kind="stable")
    end, its = a.end[both][order], b.end[both][order][None]
    rest = apart(end, its, np.ones(its.shape, np.bool_)).rest
    return bool((np.abs(rest) <= min(JITTER_NS, _OF_SHORT * lasted)).mean() >= MOST)
