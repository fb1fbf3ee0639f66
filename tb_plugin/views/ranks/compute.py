"""All ranks of a run: how long a step is, who is waited for, why, and what can be trusted. Pure, of the ranks' summaries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import numpy as np
from msgspec.structs import replace

from tb_plugin.compute.whole_mean import whole_mean
from tb_plugin.findings.words import counted
from tb_plugin.job.own.own_time import told_shares
from tb_plugin.job.ranks.ranks import number_of
from tb_plugin.job.recordings.copies import is_copy, is_in_its_groups
from tb_plugin.job.recordings.recordings import is_beyond, may_be_mixed, named_otherwise
from tb_plugin.question.question import NoParams
from tb_plugin.trace.track_names import natural
from tb_plugin.views.ranks.basis.analysed import Analysed, analysed
from tb_plugin.views.ranks.basis.of_job import jobs_of, other_runs, which_of
from tb_plugin.views.ranks.basis.whole import whole_told
from tb_plugin.views.ranks.missing.absent import absent_rows
from tb_plugin.views.ranks.missing.missing import missing_ranks
from tb_plugin.views.ranks.missing.not_replayed import on_left_out, on_no_path
from tb_plugin.views.ranks.missing.notes import notes, on_clocks
from tb_plugin.views.ranks.only import narrowed
from tb_plugin.views.ranks.result import JobOfRun, Lead, RankMember, RanksParams, RanksTable, StepParts
from tb_plugin.views.ranks.rows.collective_rows import collective_rows, dimension_rows
from tb_plugin.views.ranks.rows.host_rows import host_rows, link_rows
from tb_plugin.views.ranks.rows.path_rows import path_ahead_ns, path_rows
from tb_plugin.views.ranks.rows.pipeline_rows import pipeline_figures, stage_rows
from tb_plugin.views.ranks.rows.rank_rows import rank_rows, step_rows
from tb_plugin.views.ranks.told.blame import blamed, lost_of, mean_of, means_of, together
from tb_plugin.views.ranks.told.doubts import doubts
from tb_plugin.views.ranks.told.lead_places import placed
from tb_plugin.views.ranks.told.moving_data import moving_data
from tb_plugin.views.ranks.told.sentences import further, sentences
from tb_plugin.views.ranks.told.slow_links import first_told
from tb_plugin.views.ranks.told.told_ideal import ideal_of, ideal_steps, is_least
from tb_plugin.views.ranks.told.uneven_stages import uneven_stages

if TYPE_CHECKING:
    from collections.abc import Sequence

    import msgspec

    from tb_plugin.job.ranks.ranks import RankProfile
    from tb_plugin.question.joint import Member, Over
    from tb_plugin.trace.rank.summary import RankSummary

_NOTHING: Final = "No rank has answered yet."


class OfSpan(Protocol):
    """Params that may name a span."""

    @property
    def span(self) -> str | None:
        """By default that of the recording that most ranks have."""


def over(params: OfSpan) -> Over:
    """All recordings where one is named: which spans belong to it is found out by asking all."""
    return "jobs" if params.span is None else "spans"


def asked(_params: msgspec.Struct) -> NoParams:
    return NoParams()


def join(members: Sequence[Member[RankSummary]], params: RanksParams) -> RanksTable:
    """Of the run and the job that are asked about; the other jobs are said.

    Errors as `jobs_of` and `narrowed`.
    """
    run, mine, jobs = jobs_of(members, params)
    others = others_of(mine, jobs)
    if not jobs:
        return _empty(params, run, others)
    noted = [(member.label, member.note) for member in mine if member.note is not None]
    table = _table(params, run, analysed(jobs[0]), _jobs(jobs), others, noted)
    which = [said for said in (other_runs(members, params), which_of(jobs, params)) if said is not None]
    first = next((one for one in mine if (one.worker, one.span) == (table.ranks[0].worker, table.ranks[0].span)), None)
    spans = list(first.other_spans) if first is not None and params.span is None else []
    table = replace(table, notes=[*which, *table.notes], other_spans=spans)
    return narrowed(table, params)


def others_of(mine: Sequence[Member[RankSummary]], jobs: Sequence[Sequence[RankProfile]]) -> list[RankMember]:
    """Profiles of the run that are not of the first job, and why."""
    chosen = {(one.worker, one.span) for one in jobs[0]} if jobs else set()
    apart = _why_apart(jobs)
    return [
        RankMember(
            worker=member.worker,
            span=member.span,
            label=member.label,
            state=member.state,
            reason=apart.get((member.worker, member.span), member.reason),
        )
        for member in mine
        if (member.worker, member.span) not in chosen
    ]


def _jobs(jobs: Sequence[Sequence[RankProfile]]) -> list[JobOfRun]:
    """The first one is shown. Of two recordings of the same workers the title says the span."""
    found = []
    for job in jobs:
        workers = sorted((one.worker for one in job), key=natural)
        first = next(one for one in job if one.worker == workers[0])
        is_again = any(one.worker == first.worker for other in jobs if other is not job for one in other)
        title = f"{workers[0]} to {workers[-1]}, {len(job)} profiles" if len(job) > 1 else workers[0]
        title += f", {first.span}" if is_again else ""
        found.append(JobOfRun(worker=first.worker, span=first.span, title=title, is_shown=job is jobs[0]))
    return sorted(found, key=lambda one: (natural(one.worker), natural(one.span)))


def _why_apart(jobs: Sequence[Sequence[RankProfile]]) -> dict[tuple[str, str], str]:
    """By worker and span: why a profile is not of the first job, and how the one that it is of is shown."""
    said = {}
    shown = {one.worker for one in jobs[0]} if jobs else set()
    for job in jobs[1:]:
        spans = {one.worker: one.span for one in job}
        workers = sorted(spans, key=natural)
        asked = f"span {spans[workers[0]]}" if workers[0] in shown else f"worker {workers[0]}"
        for one in job:
            said[one.worker, one.span] = f"{_why(one, job, jobs[0])}; shown with {asked}"
    return said


def _why(one: RankProfile, its: Sequence[RankProfile], first: Sequence[RankProfile]) -> str:
    """`its`: the job of `one`; `first`: the job that is shown."""
    size, shown = one.summary.world_size, first[0].summary.world_size
    if size is not None and shown is not None and size != shown:
        return f"of a job of {counted(size, 'rank')}, this one has {shown}"
    twice = next((other for other in first if number_of(one) is not None and number_of(other) == number_of(one)), None)
    if twice is not None and len(its) == 1:
        false = "" if is_in_its_groups(one) else ", whose process groups are another rank's: its number is false"
        if not false and (named := named_otherwise(one)) is not None:
            false = f": it is named as rank {named}, and says that it is rank {number_of(one)}"
        return f"rank {number_of(one)} is there twice: {twice.shown} is used, and {one.shown} is not{false}"
    if len(its) == 1 and is_beyond(one):
        whose = "" if is_in_its_groups(one) else ", and its process groups are another rank's"
        return f"{one.shown} says rank {number_of(one)}, which a job of {size} does not have{whose}: its number is false"
    if may_be_mixed(one, first):
        return "the same rank at the same time; these may be two jobs, and nothing tells their files apart"
    real = next((other for other in first if is_copy(one, other)), None) if len(its) == 1 else None
    if real is not None:
        whose = "" if is_in_its_groups(one) else ", and so are its process groups"
        return f"the recording of rank {number_of(real)} once more, under another number: its kernels are the same{whose}"
    if len(its) == 1 and one.summary.damage:
        return "its file is damaged, which may be why its times fit no others'"
    if {number_of(each) for each in its}.isdisjoint(number_of(each) for each in first):
        return "recorded at another time by its clock, and nothing ties the two: another job, or a clock that is off"
    return "another job, or another recording of the same rank"


def _table(
    params: RanksParams,
    run: str | None,
    of: Analysed,
    jobs: list[JobOfRun],
    others: list[RankMember],
    noted: list[tuple[str, str]],
) -> RanksTable:
    job, found = of.job, of.job.matched
    parts, blame = _parts(of), blamed(of)
    longest = _longest(of)
    quick, joint = means_of(of.without_slow_link), together(of, blame)
    stages, path, ahead_ns = stage_rows(of), path_rows(of), path_ahead_ns(of)
    pipeline, moved, ideal = pipeline_figures(of), moving_data(of), ideal_of(of)
    ranks, steps = rank_rows(of), step_rows(of, blame)
    uneven = uneven_stages(of, stages, blame)
    more = further(of, pipeline, stages, path, ahead_ns, blame, is_uneven_told=uneven is not None)
    said = sentences(of, others, parts, blame, joint, moved, ranks, steps, uneven, more)
    by_dimension = dimension_rows(of)
    return RanksTable(
        by=params.by,
        run=run,
        n_ranks=len(job.of.ranks) - len(job.of.beyond) or len(job.of.ranks),
        world_size=job.of.world_size,
        n_steps=len(of.own.number) if job.of.have_steps else 0,
        missing_ranks=missing_ranks(of, others),
        layout=of.layout.sizes,
        sentences=[sentence for sentence, _ in said],
        leads=[placed(of, lead) for _, lead in said],
        notes=notes(of, others, noted),
        clock_notes=[*on_clocks(job), *on_left_out(of), *(on_no_path(of) if of.not_replayed == "untied" else [])],
        doubts=doubts(of, blame),
        other_spans=[],
        longest_step_ns=longest,
        parts=parts,
        job_step_ns=mean_of(of.job_steps),
        n_matched=int((found.is_matched & ~job.is_refused).sum()),
        n_complete=int((found.is_matched & found.is_complete & ~job.is_refused).sum()),
        n_incomplete=sum(row.n_incomplete for row in by_dimension),
        n_mismatches=int(found.is_mismatch.sum()),
        sigma_ns=None if job.clocks.sigma_ns is None else round(job.clocks.sigma_ns),
        clock_error_ns=of.told_clock_error_ns,
        blamed=blame,
        together=joint,
        slow_link=first_told(of),
        slow_link_was_ns=quick.was if quick else None,
        slow_link_without_ns=quick.would_be if quick else None,
        slow_link_without_least_ns=quick.least if quick else None,
        moving=moved,
        ideal_was_ns=ideal.was if ideal else None,
        ideal_ns=ideal.would_be if ideal else None,
        ideal_least_ns=ideal.least if ideal else None,
        slowdown=lost_of(ideal.was, ideal.would_be) if ideal else None,
        is_slowdown_least=is_least(ideal),
        ideal_steps=ideal_steps(of),
        pipeline=pipeline,
        dimensions=by_dimension,
        ranks=ranks,
        absent=absent_rows(of, others),
        steps=steps,
        collectives=collective_rows(of),
        links=link_rows(of),
        hosts=host_rows(of),
        stages=stages,
        path=path,
        path_ahead_ns=ahead_ns,
        jobs=jobs,
        others=others,
    )


def _parts(of: Analysed) -> StepParts | None:
    own = of.own
    if not np.isfinite(own.step).any():
        return None
    shares = np.concatenate(told_shares(of.job, of.exposed)).sum(axis=1)
    wait, transfer, untold = whole_mean(shares).tolist()
    recorded = np.isfinite(own.step)
    others = np.column_stack([own.parts[name][recorded] for name in ("computation", "copy", "idle")])
    computation, copy, idle = whole_mean(others.astype(np.int64)).tolist()
    is_known, communication = of.job.has_waits, wait + transfer + untold
    return StepParts(
        computation_ns=computation,
        wait_ns=whole_told(wait, untold) if is_known else None,
        transfer_ns=whole_told(transfer, untold) if is_known else None,
        bubble_wait_ns=_bubble_wait(of, wait) if is_known and wait else None,
        untold_ns=untold if is_known else communication,
        communication_ns=communication,
        copy_ns=copy,
        idle_ns=idle,
        step_ns=computation + communication + copy + idle,
    )


def _bubble_wait(of: Analysed, wait: int) -> int | None:
    """Mean over ranks and steps. Of a step no more than its exposed wait: while something else moves data, it is transfer."""
    if of.pipeline is None:
        return None
    known = np.isfinite(of.own.step)
    waiting = np.minimum(of.pipeline.waiting, of.own.wait)[known]
    return min(round(float(waiting.mean())), wait) if np.isfinite(waiting).all() else None


def _longest(of: Analysed) -> int | None:
    step = of.own.step
    known = np.isfinite(step).any(axis=0)
    return round(float(np.median(np.nanmax(step[:, known], axis=0)))) if known.any() else None


def _empty(params: RanksParams, run: str | None, others: list[RankMember]) -> RanksTable:
    return RanksTable(
        by=params.by,
        run=run,
        n_ranks=0,
        world_size=None,
        n_steps=0,
        missing_ranks=None,
        layout={},
        sentences=[_NOTHING],
        leads=[Lead()],
        notes=[],
        clock_notes=[],
        doubts=[],
        other_spans=[],
        longest_step_ns=None,
        parts=None,
        job_step_ns=None,
        n_matched=0,
        n_complete=0,
        n_incomplete=0,
        n_mismatches=0,
        sigma_ns=None,
        clock_error_ns=None,
        blamed=[],
        together=None,
        slow_link=None,
        slow_link_was_ns=None,
        slow_link_without_ns=None,
        slow_link_without_least_ns=None,
        moving=None,
        ideal_was_ns=None,
        ideal_ns=None,
        ideal_least_ns=None,
        slowdown=None,
        is_slowdown_least=False,
        ideal_steps=None,
        pipeline=None,
        dimensions=[],
        ranks=[],
        absent=[],
        steps=[],
        collectives=[],
        links=[],
        hosts=[],
        stages=[],
        path=[],
        path_ahead_ns=None,
        jobs=[],
        others=others,
    )
