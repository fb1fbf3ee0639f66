"""What its job tells of one profile, for the views of that alone: whom its rank waits for, and its clock. `view/ranks/in_job`.

One rank's profile cannot tell waiting from moving data. So what it advises on communication is told again from here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.findings.from_job import FromJob
from tb_plugin.job.ranks.rows import shift_of
from tb_plugin.views.ranks.basis.analysed import Analysed, analysed, jobs_among
from tb_plugin.views.ranks.basis.by_dimension import wait_of_parts
from tb_plugin.views.ranks.basis.last_ranks import last_ranks
from tb_plugin.views.ranks.basis.names import together as come_together
from tb_plugin.views.ranks.basis.names import waited
from tb_plugin.views.ranks.basis.names import whom as who_came
from tb_plugin.views.ranks.basis.of_job import OfJob, profiles_of
from tb_plugin.views.ranks.basis.on_job import on_job
from tb_plugin.views.ranks.basis.whole import whole_told
from tb_plugin.views.ranks.told.blame import blamed, together
from tb_plugin.views.ranks.told.in_time import in_time
from tb_plugin.views.ranks.told.sentences import late_in_words
from tb_plugin.views.ranks.told.slow_links import first_told

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Int64Array
    from tb_plugin.job.job import Job
    from tb_plugin.question.joint import Member
    from tb_plugin.trace.rank.summary import RankSummary
    from tb_plugin.views.ranks.result import Blamed, Together

_WORTH: Final = 0.01  # of the step
_MOSTLY: Final = 0.5


class InJobParams(OfJob, frozen=True, kw_only=True):
    """Which profile: of a run, its worker and span."""


class OwnClock(msgspec.Struct, frozen=True, kw_only=True):
    """A time t of the profile is t - `ahead_ns` - `drift` x (t - `at_ns`) on the job's clock, since the job's base."""

    clock: str  # the first profile on it: those of which one is told are on one clock
    at_ns: int  # a time of the profile
    ahead_ns: int
    drift: float  # ns a ns
    error_ns: int  # one sigma there


class InJob(FromJob, frozen=True, kw_only=True):
    """All None where there is nobody to wait for, or nothing could be matched. Times are exposed, means of its steps."""

    run: str | None
    worker: str | None
    waited_for: list[int]  # the rank it waits for most in collectives, or those that come last together: not by that to blame
    wait_ns: int | None
    transfer_ns: int | None
    is_mostly_waiting: bool  # of what no kernel hides of its collectives
    clock: OwnClock | None  # None of nobody's job


_NOBODY: Final = InJob(
    run=None,
    worker=None,
    rank=None,
    sentence=None,
    communication=None,
    steps=[],
    waits_ns=[],
    moves_ns=[],
    late=[],
    waited_for=[],
    wait_ns=None,
    transfer_ns=None,
    is_mostly_waiting=False,
    clock=None,
)


def in_job(members: Sequence[Member[RankSummary]], params: InJobParams) -> InJob:
    """Of the job that the profile belongs to."""
    mine = [member for member in members if params.run in (None, member.run)]
    for recorded in jobs_among(profiles_of(mine)):
        for one in recorded:
            if len(recorded) > 1 and params.is_of(one.worker, one.span):
                of = analysed(recorded)
                place = next(at for at, rank in enumerate(of.job.of.ranks) if rank.of.worker == one.worker)
                return msgspec.structs.replace(_told(of, place), run=one.run, worker=one.worker, clock=_clock(of.job, place))
    return _NOBODY


def _clock(job: Job, place: int) -> OwnClock:
    """At the middle of what its clock was solved of."""
    clocks, on = job.clocks, job.places.of_rank[[place]]
    own = clocks.middle_ns[on] - shift_of(job.of.ranks[place], job.table.base_ns)
    component = clocks.component[job.places.of_rank]
    first = job.of.ranks[int(np.flatnonzero(component == component[place])[0])].of
    return OwnClock(
        clock=f"{first.worker} {first.span}",
        at_ns=int(own[0]),
        ahead_ns=int((own - on_job(job, place, own))[0]),
        drift=float(clocks.drift[on][0]),
        error_ns=round(float(clocks.error_at(on, clocks.middle_ns[on])[0])),
    )


class _Waits(NamedTuple):
    """Of a rank: means of its steps, ns. Whom it waits for is told of collectives: a receive posted early waits by design."""

    step: float
    wait: float
    transfer: float
    untold: float
    of_pairs: float  # of `wait`: in sends and receives
    most: tuple[int, ...]  # places of the rank, or of those that came last together; none: nobody
    most_share: float  # of its wait in collectives

    @property
    def shown(self) -> float:
        """What no kernel hides."""
        return self.wait + self.transfer + self.untold


def _told(of: Analysed, place: int) -> InJob:
    number = of.job.of.numbers[place]
    waits = _waits(of, place) if of.job.has_waits else None
    if waits is None:
        return msgspec.structs.replace(_NOBODY, rank=number)
    blame = blamed(of)
    joint = together(of, blame)
    first = sorted(of.job.of.numbers[one] for one in waits.most)
    is_worth = waits.wait + waits.transfer >= _WORTH * waits.step
    known = np.flatnonzero(np.isfinite(of.own.wait[place]))
    steps: list[int] = of.own.number[known].tolist()
    waits_at_all = is_worth and waits.wait >= _WORTH * waits.step
    is_late = any(number in one.ranks for one in blame)
    return msgspec.structs.replace(
        _NOBODY,
        rank=number,
        sentence=_sentence(of, number, waits, first, blame, joint) if is_worth or is_late else None,
        communication=_communication(of, waits, first) if is_worth else None,
        steps=steps,
        waits_ns=of.own.wait[place, known].round().astype(np.int64).tolist(),
        moves_ns=(of.own.parts["transfer"] + of.own.untold)[place, known].round().astype(np.int64).tolist(),
        late=in_time(of, blame, joint, steps, number) if waits_at_all else [],
        waited_for=first,
        wait_ns=whole_told(waits.wait, waits.untold),
        transfer_ns=whole_told(waits.transfer, waits.untold),
        is_mostly_waiting=is_worth and waits.wait > _MOSTLY * waits.shown,
    )


def _waits(of: Analysed, place: int) -> _Waits | None:
    """None of a rank without a step that counts."""
    own, job = of.own, of.job
    known = np.isfinite(own.wait[place])
    if not known.any():
        return None
    mine = job.rows_of(place)
    mine = mine[np.isin(job.rows.step[mine], own.number[known]) & job.waits.is_known[mine]]
    of_pairs, by_last = _by_who_came_last(of, place, mine)
    most, longest = max(by_last.items(), key=lambda each: each[1], default=((), 0.0))
    wait = float(own.wait[place, known].mean())
    return _Waits(
        step=float(own.step[place, known].mean()),
        wait=wait,
        transfer=float(own.parts["transfer"][place, known].mean()),
        untold=float(own.untold[place, known].mean()),
        of_pairs=of_pairs,
        most=most,
        most_share=longest / (wait - of_pairs) if longest > 0 else 0.0,
    )


def _by_who_came_last(of: Analysed, place: int, mine: Int64Array) -> tuple[float, dict[tuple[int, ...], float]]:
    """(in sends and receives, in collectives by who came last to them), means of its steps, ns: with those to which it came last
    itself, or of which that is not known, they sum to its wait.
    """
    rows, waits = of.job.rows, of.job.waits
    last = last_ranks(of.job, of.job.matched.of[mine])
    is_pair, is_own = rows.is_between_two[mine].tolist(), waits.is_last[mine].tolist()
    parts: dict[tuple[int, ...] | None, int] = {None: 0, (): 1}  # sends and receives, and nobody
    keys = [None if pair else () if own else tuple(who) for pair, own, who in zip(is_pair, is_own, last, strict=True)]
    part = np.array([parts.setdefault(key, len(parts)) for key in keys], np.int64)
    wait = wait_of_parts(of, place, mine, part, len(parts)).tolist()
    return wait[0], {key: wait[nth] for key, nth in parts.items() if key and wait[nth] > 0}


def _sentence(of: Analysed, number: int, waits: _Waits, first: list[int], blame: list[Blamed], joint: Together | None) -> str:
    """`Rank 4 waits 5.51 ms a step (11 % of it) for other ranks, 96 % of that for rank 5. Rank 5 (node1) computes 25 % ...`"""
    own = next((nth for nth, one in enumerate(blame) if number in one.ranks), None)
    if own is not None:
        return f"The other ranks wait for this one: {late_in_words(of, own, blame, joint)}"
    if waits.wait < _WORTH * waits.step:
        return (
            f"Rank {number} hardly waits for others ({_per(of, waits.wait, is_wait=True)}): what its collectives take is moving "
            f"data, {_per(of, waits.transfer)} ({percent(waits.transfer / waits.step)} of it) with nothing beside"
            f"{_not_told_apart(waits)}."
        )
    whom = f", {percent(waits.most_share)} of that for {who_came(first)}{come_together(first)}" if first else ""
    said = f"Rank {number} waits {_per(of, waits.wait)} ({percent(waits.wait / waits.step)} of it) for other ranks"
    in_collectives = waits.wait - waits.of_pairs
    if waits.of_pairs >= _WORTH * waits.wait:
        said += f": {format_ns(round(waits.of_pairs))} in {_pairs(of)}"
        said += f", {format_ns(round(in_collectives))} in collectives" if in_collectives >= _WORTH * waits.wait else ""
    said += whom if in_collectives >= _WORTH * waits.wait else ""
    why = late_in_words(of, 0, blame, joint) if blame else first_told(of)
    return f"{said}. {why}" if why else f"{said}."


def _communication(of: Analysed, waits: _Waits, first: list[int]) -> str:
    """Whether hiding or shrinking it can help."""
    shown = waits.shown
    moved = whole_told(waits.transfer, waits.untold)
    parts = (
        f"Of {_per(of, shown)} in collectives with nothing beside, {waited(waits.wait, of.clock_error_ns)} "
        f"({percent(waits.wait / shown)}) wait for other ranks{'' if moved is None else f' and {format_ns(moved)} move data'}"
        f"{_not_told_apart(waits)}."
    )
    if waits.wait <= _MOSTLY * shown:
        return parts
    whom = f", most for {who_came(first)}{come_together(first)}" if first else ""
    if waits.of_pairs > _MOSTLY * waits.wait:
        whom = f" in {_pairs(of)}"
    return f"Mostly waiting{whom}: larger buckets or overlap gain at most what moves data. {parts}"


def _not_told_apart(waits: _Waits) -> str:
    return f", {format_ns(round(waits.untold))} are not told apart" if waits.untold >= _WORTH * waits.shown else ""


def _pairs(of: Analysed) -> str:
    return "sends and receives" if of.pipeline is None else "sends and receives (the pipeline's bubble)"


def _per(of: Analysed, ns: float, *, is_wait: bool = False) -> str:
    return f"{waited(ns, of.clock_error_ns) if is_wait else format_ns(round(ns))}{' a step' if of.job.of.have_steps else ''}"


def text(reply: InJob) -> str:
    return "\n".join(filter(None, (reply.sentence, reply.communication))) or "Its job tells nothing of it."
