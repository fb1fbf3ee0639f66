"""Which run, and which job or recording of it, a question is about. Every question of the view takes these words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Final, Protocol

import msgspec

from tb_plugin.base.errors import FormatError, NotFoundError
from tb_plugin.job.ranks.ranks import RankProfile
from tb_plugin.trace.kept import LastAnswers
from tb_plugin.trace.track_names import natural
from tb_plugin.views.ranks.basis.analysed import Analysed, analysed, jobs_among, objects_of
from tb_plugin.views.ranks.basis.names import by_reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.question.joint import Member
    from tb_plugin.trace.rank.summary import RankSummary

_PARTED: Final = re.compile(r"(@of\d+)?(@rank\d+)?\Z")
"""What `runs/gather.py` puts behind a name under which several ranks or jobs wrote; a link may have it without."""

_MOST_RUNS: Final = 5
_UNIX_TIME_NS: Final = 10**17
"""Times before (1973) are of a clock that is not Unix time."""

_LAST_PROFILES: Final[LastAnswers[tuple[int, ...], tuple[Sequence[Member[RankSummary]], Sequence[RankProfile]]]] = LastAnswers(2)
"""Of the run that is looked at, and of one beside it."""


class OfJob(msgspec.Struct, frozen=True, kw_only=True):
    """Which run, and which job of it, or which recording of the job."""

    run: Annotated[str | None, msgspec.Meta(description="which run of a log directory; by default the one with the newest")] = (
        None
    )
    worker: Annotated[
        str | None,
        msgspec.Meta(description="of several jobs in the run the one that holds this profile; by default that of its first"),
    ] = None
    span: Annotated[
        str | None,
        msgspec.Meta(
            description="of several recordings the one that holds this span; by default that of most ranks, the newest of such"
        ),
    ] = None

    def is_of(self, worker: str, span: str) -> bool:
        """Whether it is the profile that is named, or one of those: of several jobs each may have a worker of that name."""
        is_its_worker = self.worker is None or self.worker in (worker, _PARTED.sub("", worker))
        return is_its_worker and self.span in (None, span)

    def is_named(self, worker: str, span: str) -> bool:
        """Whether it alone is."""
        return self.worker == worker and self.span in (None, span)


class RunNamed(Protocol):
    """Params that may name a run."""

    @property
    def run(self) -> str | None:
        """By default all of them are asked."""


def takes(params: RunNamed, run: str, _worker: str, _span: str) -> bool:
    """All of the run: which of them are one job is found out by asking all."""
    return params.run is None or run == params.run


def chosen_by(params: RunNamed) -> str | None:
    """All that `takes` goes by."""
    return params.run


def jobs_of(
    members: Sequence[Member[RankSummary]], params: OfJob
) -> tuple[str | None, list[Member[RankSummary]], list[list[RankProfile]]]:
    """(run, its members, its jobs): the one that is asked about first. None before a rank has answered.

    Where nothing is named that is the job of the first profile, with which the page opens, that is of a job with another one.
    NotFoundError for a worker or span that is not there, FormatError where none of the run's profiles can be read.
    """
    run, mine = members_of(members, params)
    if mine and not any(params.is_of(member.worker, member.span) for member in mine):
        there = [one.worker if params.span is None else f"{one.worker} {one.span}" for one in mine]
        raise NotFoundError(f"run {run} has no {_named(params)}; it has {', '.join(dict.fromkeys(there[:8]))}")
    jobs = jobs_among(profiles_of(mine))
    if len(jobs) > 1 and params.worker is None and params.span is None:
        of_several = {one.worker for job in jobs if len(job) > 1 for one in job}
        first = next((member.worker for member in mine if member.answer is not None and member.worker in of_several), None)
        params = msgspec.structs.replace(params, worker=first)
    if len(jobs) > 1:  # else thousands of names are compared for nothing
        jobs.sort(key=lambda job: -max(params.is_of(one.worker, one.span) + params.is_named(one.worker, one.span) for one in job))
    if not jobs and mine and all(member.is_final for member in mine):
        raise _no_rank(run, mine)
    return run, mine, jobs


def analysed_of(members: Sequence[Member[RankSummary]], params: OfJob) -> tuple[str | None, Analysed | None]:
    """(run, the job that is asked about); None before a rank has answered. Errors as `jobs_of`."""
    run, _, jobs = jobs_of(members, params)
    return run, analysed(jobs[0]) if jobs else None


def members_of(members: Sequence[Member[RankSummary]], params: OfJob) -> tuple[str | None, list[Member[RankSummary]]]:
    """The run, by default that with the newest profile (where one is named: that has it), and its members."""
    run = params.run
    if run is None:
        run = _newest([member for member in members if params.is_of(member.worker, member.span)] or members)
    return run, [member for member in members if member.run == run]


def which_of(jobs: Sequence[Sequence[RankProfile]], params: OfJob) -> str | None:
    """Where a worker of each of several jobs may be meant: which one the first job, which is shown, has, in a sentence. Where
    none is named: which of several jobs it is.
    """
    if params.worker is None and params.span is None:
        return _first_of(jobs)
    alike = [list(dict.fromkeys(one.worker for one in job if params.is_of(one.worker, one.span))) for job in jobs]
    names = [name for of in alike for name in of]
    if params.worker is None or params.worker in names or len(names) < 2:
        return None
    return f"{params.worker} is several workers here: shown is the job of {names[0]}, not of {', '.join(names[1:])}."


def _first_of(jobs: Sequence[Sequence[RankProfile]]) -> str | None:
    shown, *others = [sorted({one.worker for one in job}, key=natural) for job in jobs]
    apart = [workers for workers in others if len(workers) > 1 and workers[0] not in shown]
    if not apart:
        return None
    said = " or ".join(f"worker {of[0]} (that of {len(of)} profiles)" for of in apart[:_MOST_RUNS])
    return f"{1 + len(apart)} jobs are in this run. Shown is that of its first profile, {shown[0]}; another is shown with {said}."


def _named(params: OfJob) -> str:
    said = {"worker": params.worker, "span": params.span}
    return " with ".join(f"{name} {value!r}" for name, value in said.items() if value is not None)


def profiles_of(mine: Sequence[Member[RankSummary]]) -> Sequence[RankProfile]:
    """Of those that have answered. Of the same members the same objects, by which others know them."""
    profiles = _LAST_PROFILES.get(
        objects_of(mine), lambda: (mine, [one for each in mine if (one := profile_of(each)) is not None])
    )
    return profiles[1]


def profile_of(member: Member[RankSummary]) -> RankProfile | None:
    if member.answer is None:
        return None
    return RankProfile(
        run=member.run, worker=member.worker, span=member.span, label=member.label, summary=member.answer, file=member.file
    )


def _no_rank(run: str | None, mine: Sequence[Member[RankSummary]]) -> FormatError:
    said = by_reason([(member.label, member.reason or "cannot be read") for member in mine], "{who}: {why}")
    if len(mine) == 1:
        return FormatError(f"run {run}, {mine[0].label}", mine[0].reason or "cannot be read")
    return FormatError(f"run {run}", f"none of its {len(mine)} profiles can be read. {'; '.join(said)}")


def _newest(members: Sequence[Member[RankSummary]]) -> str | None:
    """The first of the table of runs, the one whose first profile began last, of those with a rank that answers or may yet."""
    return next(iter(_newest_first(members)), None)


def _newest_first(members: Sequence[Member[RankSummary]]) -> list[str]:
    """Runs; those of which no profile can be read come last."""
    began: dict[str, int] = {}
    can_tell: set[str] = set()
    for member in members:
        began.setdefault(member.run, _began(member))
        if member.answer is not None or not member.is_final:
            can_tell.add(member.run)
    return sorted(began, key=lambda run: (run not in can_tell, -began[run]))


def other_runs(members: Sequence[Member[RankSummary]], params: OfJob) -> str | None:
    """Where no run was named and there are others: which one is shown, and which can be, in a sentence."""
    runs = _newest_first(members)
    if params.run is not None or params.worker is not None or params.span is not None or len(runs) < 2:
        return None
    others = runs_in_words([member for member in members if member.run != runs[0]])
    return f"{len(runs)} runs are here. Shown is the newest that can be read, {runs[0]}; by its name any other: {others}."


def runs_in_words(members: Sequence[Member[RankSummary]]) -> str:
    """The newest first, the first few of them; empty of nobody."""
    runs = _newest_first(members)
    return ", ".join(runs[:_MOST_RUNS]) + (f" and {len(runs) - _MOST_RUNS} more" if len(runs) > _MOST_RUNS else "")


def _began(member: Member[RankSummary]) -> int:
    base_ns = member.answer.base_ns if member.answer else 0
    return base_ns if base_ns > _UNIX_TIME_NS else member.recorded_ns
