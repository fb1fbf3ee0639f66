"""Where each rank's times lie on the job's clock, and which rows of several are one collective: what joins their profiles."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.strides import in_strides
from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import distinct
from tb_plugin.job.job import job_of
from tb_plugin.job.ranks.rows import shift_of
from tb_plugin.views.ranks.basis.last_ranks import last_ranks
from tb_plugin.views.ranks.basis.names import names_of
from tb_plugin.views.ranks.basis.of_job import jobs_of
from tb_plugin.views.ranks.missing.off_host import on_own_clocks, on_unfit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tb_plugin.job.job import Job
    from tb_plugin.question.joint import Member
    from tb_plugin.trace.rank.summary import RankSummary
    from tb_plugin.views.ranks.result import RanksParams


_MOST_ARROWS: Final = 4
"""Of more that came last together none is drawn: from each of them to each other one would hide what is below."""


@dataclass(frozen=True, kw_only=True)
class RankOnClock:
    """`at` takes a time of the profile, ns since its base, to Unix time on the job's clock. Not below 0."""

    number: int
    run: str
    worker: str
    span: str
    host: str
    n_events: int
    at: Callable[[int], int]
    out_of: dict[int, list[int]] = field(default_factory=dict)  # arrows from who came last, by row of the profile
    into: dict[int, list[int]] = field(default_factory=dict)
    told: dict[int, dict[str, int | str]] = field(default_factory=dict)  # of a collective, by row of the profile


@dataclass(frozen=True, kw_only=True)
class OnOneClock:
    """In the order of ranks. `notes`: what is not on one clock, in sentences."""

    ranks: list[RankOnClock]
    notes: list[str]


def on_one_clock(members: Sequence[Member[RankSummary]], params: RanksParams) -> OnOneClock:
    """Of profiles that have all answered or failed. Errors as `jobs_of`."""
    _, mine, jobs = jobs_of(members, params)
    job = job_of(jobs[0])
    found = [_rank(job, place) for place in range(len(job.of.ranks))]
    _draw_arrows(job, found)
    _tell_waits(job, found)
    inside = {(rank.worker, rank.span) for rank in found}
    return OnOneClock(ranks=found, notes=_notes(job, [one for one in mine if (one.worker, one.span) not in inside]))


def _rank(job: Job, place: int) -> RankOnClock:
    rank = job.of.ranks[place]
    own, base, clocks = shift_of(rank, job.table.base_ns), job.table.base_ns, job.clocks
    on = job.places.of_rank[place]
    ahead, middle = int(clocks.ahead_ns[on]), int(clocks.middle_ns[on])
    rest, drift = float(clocks.rest_ns[on]), float(clocks.drift[on])

    def at(time_ns: int) -> int:
        local = time_ns + own
        return max(base + local - ahead - round(rest + drift * (local - middle)), 0)

    of = rank.of
    return RankOnClock(
        number=rank.number,
        run=of.run,
        worker=of.worker,
        span=of.span,
        host=job.of.hosts[rank.host],
        n_events=rank.summary.n_events,
        at=at,
    )


def _draw_arrows(job: Job, ranks: list[RankOnClock]) -> None:
    """From each of those that came last to each member that waited; of collectives that are on one clock."""
    rows, waits = job.rows, job.waits
    use = np.flatnonzero(waits.is_known & (rows.row != NONE))
    use = use[np.argsort(job.matched.of[use], kind="stable")]
    number = 0
    for its in np.split(use, np.flatnonzero(np.diff(job.matched.of[use])) + 1):
        last, others = its[waits.is_last[its]].tolist(), its[~waits.is_last[its]].tolist()
        for of_last in last if len(last) <= _MOST_ARROWS else ():
            for row in others:
                number += 1
                ranks[rows.rank[of_last]].out_of.setdefault(int(rows.row[of_last]), []).append(number)
                ranks[rows.rank[row]].into.setdefault(int(rows.row[row]), []).append(number)


def _tell_waits(job: Job, ranks: list[RankOnClock]) -> None:
    """Of each member that has an event; what follows an arrival that is not here is wait or transfer, not told apart."""
    rows, waits = job.rows, job.waits
    use = np.flatnonzero(waits.is_known & (rows.row != NONE))
    instances = distinct(job.matched.of[use])
    last = dict(zip(instances.tolist(), last_ranks(job, instances), strict=True))
    for row in use.tolist():
        untold = int(waits.untold[row])
        numbers = sorted(job.of.numbers[place] for place in last[int(job.matched.of[row])])
        ranks[int(rows.rank[row])].told[int(rows.row[row])] = {
            "wait_ns": int(waits.wait[row]),
            **({"wait_or_transfer_ns": untold} if untold else {"transfer_ns": int(waits.transfer[row])}),
            **({"last_rank": numbers[0]} if len(numbers) == 1 else {"last_ranks": in_strides(numbers)}),
        }


def _notes(job: Job, apart: list[Member[RankSummary]]) -> list[str]:
    said = [one.rstrip(".") for are_tied in (False, True) for one in on_own_clocks(job, are_tied=are_tied)]
    if job.clock_refused is not None:
        said.append(f"{job.clock_refused}; each {'clock' if job.places.off else 'host'} stands on its own")
    elif unfit := on_unfit(job):
        said.append(unfit)
    elif len(np.unique(job.clocks.component[: len(job.of.hosts)])) > 1:
        said.append("no collective ties some hosts to the others: they stand on clocks of their own")
    for rank in job.of.ranks:
        cut = ["the file is cut off: what comes later is not in it"] if rank.summary.is_cut_off else []
        said += [f"rank {rank.number}: {why}" for why in (*cut, *rank.summary.damage)]
    why_not: dict[str, list[str]] = {}
    for one in apart:
        why_not.setdefault(one.reason or "of another job, or the same rank once more", []).append(one.label)
    return [*said, *(f"not in it: {names_of(labels)}: {why}" for why, labels in why_not.items())]
