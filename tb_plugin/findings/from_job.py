"""What all ranks of its job tell of a profile, and what its findings are then.

One rank's profile cannot tell waiting from moving data, nor for whom it waits. Where its job tells that somebody comes late:

    step            |  computes  | waits for rank 5 | waits | moves data |
    without rank 5  |  computes  | waits | moves data |
                    '- gain: what its job's replay says -'

Where that is most of what the rank waits, this is a finding, and one on communication is of what is left: of hiding it no more
than what moves data. Where it is not, that finding stands as it is, and says who comes late with it: it wants the same time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from tb_plugin.findings import worth
from tb_plugin.findings.check import Evidence, Seen
from tb_plugin.findings.checks.late_ranks import CHECK as LATE_RANKS
from tb_plugin.findings.large import SMALL
from tb_plugin.findings.same_time import Found

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Int64Array
    from tb_plugin.findings.facts import Facts

_MOST: Final = 0.5
"""Of what the rank waits: what brings less leaves most of its waiting as it is."""

ABOUT_WAITING: Final = frozenset(("late_ranks", "host_communication", "exposed_communication"))
"""Checks whose finding holds waiting for a rank that comes late."""

_TELLS: Final = LATE_RANKS.view
_WAITED: Final = "what this rank waits for others with nothing beside, as all ranks of its job tell."
_MOVES: Final = "what moves data with nothing beside, and what may be waiting or that, as all ranks of its job tell."
_LEFT: Final = "time of collective kernels with no other kernel running, less what is to be gained from who comes late."
_AT_MOST: Final = "what a step of the job would be shorter at most, as Ranks says it: no replay tells more."
_REPLAYED: Final = "a replay of all ranks without what makes it late, as in Ranks."


class LateRank(msgspec.Struct, frozen=True, kw_only=True):
    """Who comes late: a rank, a stage, a host, or several at once."""

    title: str  # what to do, and what a step would take then
    why: str  # a sentence: who it is, and why it is late
    is_replayed: bool  # else `gain_ns` is no more than a bound
    gain_ns: list[int]  # of each of `FromJob.steps`


class FromJob(msgspec.Struct, frozen=True, kw_only=True):
    """Sentences are of all its steps. `sentence`: whom its rank waits for, and why; or that the others wait for it."""

    rank: int | None
    sentence: str | None
    communication: str | None  # what is to be known before changing anything about it
    steps: list[int]  # of which its waiting is known, by number; one of whatever number where none are recorded
    waits_ns: list[int]  # in each, with nothing beside
    moves_ns: list[int]  # the same of moving data, and of what may be either
    late: list[LateRank]  # none where nobody is, it is itself, or it does not wait for that


def with_job(facts: Facts, found: Sequence[Found], told: FromJob) -> list[Found]:
    """`found` in its order, of which more is known: in the same order."""
    late = _late(facts, told)
    known = [*found] if late is None else _divided(facts, found, late)
    return [_knowing(each, told) for each in sorted(known, key=lambda each: each.order)]


def from_all_ranks(said: str) -> str:
    """As it stands beside what a profile tells by itself."""
    return f"From all ranks: {said}"


@dataclass(frozen=True)
class _Late:
    """Of all steps that count."""

    of: LateRank
    gain_ns: int
    wait_ns: int
    moves_ns: int

    @property
    def is_most(self) -> bool:
        return self.gain_ns > _MOST * self.wait_ns


def _late(facts: Facts, told: FromJob) -> _Late | None:
    """The first that is why it waits most of its waiting, else who brings most; None where none brings anything."""
    numbers, places = facts.trace.steps.number, facts.counted.places
    counts = np.isin(told.steps, numbers[places]) if len(numbers) else np.ones(len(told.steps), np.bool_)
    if not counts.any():
        return None
    n_all = max(len(places), 1)

    def of_all(each_ns: list[int]) -> int:
        return round(float(np.array(each_ns, np.int64)[counts].mean()) * n_all)

    wait_ns, moves_ns = of_all(told.waits_ns), of_all(told.moves_ns)
    known = [_Late(each, of_all(each.gain_ns), wait_ns, moves_ns) for each in told.late]
    known = [each for each in known if facts.share(each.gain_ns) >= SMALL]
    return next((each for each in known if each.is_most), max(known, key=lambda each: each.gain_ns, default=None))


def _divided(facts: Facts, found: Sequence[Found], late: _Late) -> list[Found]:
    """With who comes late as a finding, or told with the first that is about waiting; without one of these nothing is said."""
    about = [each for group in found for each in (group, *group.also) if each.check.id in ABOUT_WAITING]
    if not about:
        return [*found]
    its = _finding(about[0].seen.rows, late)
    if not late.is_most:
        home = next(group for group in found if any(each is about[0] for each in (group, *group.also)))
        return [replace(each, also=(*each.also, its)) if each is home else each for each in found]
    left = [[kept for each in (group, *group.also) if (kept := _left(facts, each, late)) is not None] for group in found]
    return [its, *(replace(first, also=tuple(also)) for group in left if group for first, *also in [group])]


def _finding(rows: Int64Array, late: _Late) -> Found:
    bound_ns = late.wait_ns if late.of.is_replayed else late.gain_ns
    seen = Seen(
        title=late.of.title,
        what=late.of.why,
        evidence=[Evidence(text="waiting for other ranks with nothing beside", value=late.wait_ns, unit="ns")],
        rows=rows,
        gain_ns=bound_ns,
        gain_how=_WAITED if late.of.is_replayed else _AT_MOST,
        estimate_ns=late.gain_ns if late.of.is_replayed else None,
        estimate_how=_REPLAYED if late.of.is_replayed else None,
        confidence="likely",
    )
    return Found(replace(LATE_RANKS, code="", unless="", link=""), seen, bound_ns)


def _left(facts: Facts, found: Found, late: _Late) -> Found | None:
    """What it advises once nobody comes late, and of what; None where that is as it should be, or it asks for nothing else."""
    then = found.seen.in_time
    if found.check.id not in ABOUT_WAITING:
        return replace(found, also=())
    if then is None or found.gain_ns is None:
        return None
    left_ns = max(found.gain_ns - late.gain_ns, 0) if then.is_waiting else min(found.gain_ns, late.moves_ns)
    if facts.share(left_ns) < worth.ALWAYS_SOME:
        return None
    seen = replace(
        found.seen,
        title=then.title,
        gain_ns=left_ns,
        gain_how=_LEFT if then.is_waiting else _MOVES,
        estimate_ns=None,
        code="",
        without=(),
        less=None,
    )
    return Found(replace(found.check, code=then.code, unless=""), seen, left_ns)


def _knowing(found: Found, told: FromJob) -> Found:
    """What is advised on communication says what its job tells of it."""
    if told.communication is None or found.check.view != _TELLS:
        return found
    return replace(found, seen=replace(found.seen, what=f"{found.seen.what} {from_all_ranks(told.communication)}"))
