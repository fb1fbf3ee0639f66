"""What each rank's program issues, in its order, and whose programs can tell of whose order.

    rank 4, 5   stage 1   tensor 15, tensor 16, send 1->0 8, all 1   of one stage: one program, sends and all
    rank 0, 1   stage 0   recv 0<-1 8, tensor 15, tensor 16, all 1   of another: other sends, and as many of `tensor` before `all`

Numbers of two stages are compared where nothing says that they count other things: a stage with more layers has more of a group's
collectives in a step, and its number 16 is none of the other's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Final, NamedTuple

from tb_plugin.base.units import NONE
from tb_plugin.job.hangs.hang_sends import ends_of, places_in_pipelines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.job.hangs.hang_sends import Ends
    from tb_plugin.trace.collectives.recorder import RecorderDump

_Place = tuple[int, int]
_Stage = frozenset[tuple[str, _Place]]
_Call = tuple[str, tuple[tuple[int, ...], ...]]  # its name and sizes

_MOST_ASKED: Final = 2
"""Ranks of a stage whose programs are compared: one of them may be who left something out."""

_MOST_STAGES: Final = 64
"""More than pipelines have: sends that join all ranks to one chain tell of no stages."""

_EVERY: Final = 7
"""Of a long row of one group's collectives so many are compared, besides the first. Layers come by twos, fours and eights."""

_NOWHERE: Final = (0, NONE)
"""The place of who is in no pipeline."""


class ProgramStep(NamedTuple):
    """A collective, or one side of a send, as all ranks call it whose programs have the like. `send`: the places of the sender,
    the receiver and the rank itself in their pipeline.
    """

    title: str
    number: int
    send: tuple[_Place, _Place, _Place] | None = None


class _Before(NamedTuple):
    """`number`: the highest of the other group that a rank has before a step; 0 where it has none."""

    number: int
    call: _Call


@dataclass(frozen=True, kw_only=True)
class Programs:
    """By rank. `order`: of each step its place in the order of issue; `groups`: of each title the group; `stage`: its places in
    its pipelines, by title.
    """

    order: dict[int, dict[ProgramStep, int]]
    calls: dict[int, dict[ProgramStep, _Call]]  # collectives
    groups: dict[int, dict[str, tuple[str, str]]]
    stage: dict[int, _Stage]
    of_stage: dict[_Stage, list[int]]
    places: dict[str, dict[int, _Place]]  # by title
    only_by_pair: frozenset[str]  # titles
    _alike: dict[tuple[_Stage, _Stage, frozenset[str]], bool] = field(default_factory=dict)
    _asked: dict[tuple[_Stage, frozenset[str]], list[dict[ProgramStep, _Before]]] = field(default_factory=dict)

    def step(self, rank: int, title: str, number: int, ends: Ends | None) -> ProgramStep:
        """As this rank has it."""
        if ends is None:
            return ProgramStep(title, number)
        of = self.places.get(title, {})
        sender, receiver, own = (of.get(one, _NOWHERE) for one in (*ends, rank))
        return ProgramStep(title, number, (sender, receiver, own))

    def votes(self, one: ProgramStep, other: ProgramStep, rank: int) -> dict[int, int]:
        """Of each rank whose program tells of this rank's: 1 where it has the one first, else -1."""
        told = {}
        for witness, places in self.order.items():
            if (one in places or other in places) and self._tells_of(witness, rank, one, other):
                never = len(places)
                told[witness] = 1 if places.get(one, never) < places.get(other, never) else -1
        return told

    def _tells_of(self, witness: int, rank: int, one: ProgramStep, other: ProgramStep) -> bool:
        if any(each.send is not None and each.title in self.only_by_pair for each in (one, other)):
            return False
        if self.stage[witness] == self.stage[rank]:
            return True
        if len(self.of_stage) > _MOST_STAGES:
            return not (one.send or other.send)
        if one.send or other.send:
            return False
        titles = frozenset((one.title, other.title))
        its, theirs = self.groups[rank], self.groups[witness]
        if all(title in its and its[title] == theirs.get(title) for title in titles):
            return True  # who is in both groups with it has them in its order, or would hang
        return self._count_alike(self.stage[rank], self.stage[witness], titles)

    def _count_alike(self, one: _Stage, other: _Stage, titles: frozenset[str]) -> bool:
        """Whether of what two stages issue in these groups nothing tells that they count other things."""
        key = (one, other, titles)
        if key not in self._alike:
            pairs = product(self._some(one, titles), self._some(other, titles))
            told = {_compare(its, theirs) for its, theirs in pairs}
            self._alike[key] = True in told or False not in told
        return self._alike[key]

    def _some(self, stage: _Stage, titles: frozenset[str]) -> list[dict[ProgramStep, _Before]]:
        key = (stage, titles)
        if key not in self._asked:
            ranks = [rank for rank in self.of_stage[stage] if titles <= self.groups[rank].keys()]
            self._asked[key] = [self._before(rank, titles) for rank in ranks[:_MOST_ASKED]]
        return self._asked[key]

    def _before(self, rank: int, titles: frozenset[str]) -> dict[ProgramStep, _Before]:
        last, before, found = dict.fromkeys(titles, 0), "", {}
        for step, call in self.calls[rank].items():
            if step.title not in titles:
                continue
            last[step.title] = step.number
            if step.title != before or step.number % _EVERY == 0:
                found[step] = _Before(max((number for title, number in last.items() if title != step.title), default=0), call)
            before = step.title
        return found


def _compare(its: dict[ProgramStep, _Before], theirs: dict[ProgramStep, _Before]) -> bool | None:
    """Whether a program has as many of the one group before what both have of the other, or one less, as who left one out; where
    none is before, None if the calls are the same.
    """
    both = [(before, theirs[step]) for step, before in its.items() if step in theirs]
    less = [other.number - own.number for own, other in both if own.number and other.number]
    if less:
        return 0 <= min(less) <= max(less) <= 1
    return None if all(own.call == other.call for own, other in both) else False


def programs_of(dumps: Sequence[RecorderDump]) -> Programs:
    places = places_in_pipelines(dumps)
    stage = {dump.rank: frozenset((title, of[dump.rank]) for title, of in places.items() if dump.rank in of) for dump in dumps}
    of_stage: dict[_Stage, list[int]] = {}
    for rank, its in stage.items():
        of_stage.setdefault(its, []).append(rank)
    apart = frozenset(title for dump in dumps for title in dump.only_by_pair)
    found = Programs(order={}, calls={}, groups={}, stage=stage, of_stage=of_stage, places=places, only_by_pair=apart)
    for dump in dumps:
        found.order[dump.rank], found.calls[dump.rank], found.groups[dump.rank] = order, calls, groups = {}, {}, {}
        for place, issued in enumerate(dump.issued):
            ends = ends_of(issued, dump.members.get(issued.group[0]))
            if ends is None and issued.is_between_two:
                continue
            step = found.step(dump.rank, issued.group_title, issued.sequence, ends)
            order[step] = place
            if ends is None:
                calls[step] = (issued.name, issued.sizes)
                groups[issued.group_title] = issued.group
    return found
