"""Where each rank's times lie on the job's clock, and which rows of several are one collective: what joins their profiles."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.job.job import job_of
from tb_plugin.job.rows import shift_of
from tb_plugin.views.ranks.names import names_of
from tb_plugin.views.ranks.of_job import jobs_of
from tb_plugin.views.ranks.off_host import on_own_clocks, on_unfit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tb_plugin.job.job import Job
    from tb_plugin.question.joint import Member
    from tb_plugin.trace.rank.summary import RankSummary
    from tb_plugin.views.ranks.result import RanksParams


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
    out_of: dict[int, list[int]] = field(default_factory=dict)  # arrows from the last to come, by row of the profile
    into: dict[int, list[int]] = field(default_factory=dict)
    told: dict[int, dict[str, int]] = field(default_factory=dict)  # of a collective, by row of the profile


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
    """From the one that came last to each other member; of collectives that are on one clock."""
    rows, instances = job.rows, job.instances
    use = np.flatnonzero(job.waits.is_known & (rows.row != NONE))
    last = instances.last[job.matched.of[use]]
    keep = (last != use) & (rows.row[last] != NONE)
    for number, (row, of_last) in enumerate(zip(use[keep].tolist(), last[keep].tolist(), strict=True), 1):
        ranks[rows.rank[of_last]].out_of.setdefault(int(rows.row[of_last]), []).append(number)
        ranks[rows.rank[row]].into.setdefault(int(rows.row[row]), []).append(number)


def _tell_waits(job: Job, ranks: list[RankOnClock]) -> None:
    """Of each member that has an event; what follows an arrival that is not here is wait or transfer, not told apart."""
    rows, waits, last = job.rows, job.waits, job.instances.last
    for row in np.flatnonzero(waits.is_known & (rows.row != NONE)).tolist():
        of_last, untold = int(last[job.matched.of[row]]), int(waits.untold[row])
        ranks[int(rows.rank[row])].told[int(rows.row[row])] = {
            "wait_ns": int(waits.wait[row]),
            **({"wait_or_transfer_ns": untold} if untold else {"transfer_ns": int(waits.transfer[row])}),
            **({} if of_last == NONE else {"last_rank": job.of.numbers[int(rows.rank[of_last])]}),
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
