"""Which run, and which of its jobs, a question is about. Every question of the view takes these two words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import msgspec

from tb_plugin.base.errors import FormatError, NotFoundError
from tb_plugin.job.ranks import RankProfile
from tb_plugin.job.recordings import recordings
from tb_plugin.views.ranks.analysed import Analysed, analysed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.question.joint import Member
    from tb_plugin.trace.rank.summary import RankSummary

_UNIX_TIME_NS: Final = 10**17
"""Times before (1973) are of a clock that is not Unix time."""


class OfJob(msgspec.Struct, frozen=True, kw_only=True):
    """Which run, and which job of it."""

    run: Annotated[str | None, msgspec.Meta(description="which run of a log directory; by default the one with the newest")] = (
        None
    )
    worker: Annotated[
        str | None, msgspec.Meta(description="of several jobs in the run the one that holds this profile; by default the largest")
    ] = None


def takes(params: OfJob, run: str, _worker: str, _span: str) -> bool:
    """All of the run: which of them are one job is found out by asking all."""
    return params.run is None or run == params.run


def jobs_of(
    members: Sequence[Member[RankSummary]], params: OfJob
) -> tuple[str | None, list[Member[RankSummary]], list[list[RankProfile]]]:
    """(run, its members, its jobs): the one that is asked about first. None before a rank has answered.

    NotFoundError for a worker that is not there, FormatError where none of the run's profiles can be read.
    """
    run, mine = members_of(members, params.run, params.worker)
    if params.worker is not None and mine and all(member.worker != params.worker for member in mine):
        raise NotFoundError(f"run {run} has no worker {params.worker!r}; it has {', '.join(one.worker for one in mine[:8])}")
    jobs = recordings(profiles_of(mine))
    if params.worker is not None:
        jobs.sort(key=lambda job: all(one.worker != params.worker for one in job))
    if not jobs and mine and all(member.is_final for member in mine):
        raise _no_rank(run, mine)
    return run, mine, jobs


def analysed_of(members: Sequence[Member[RankSummary]], params: OfJob) -> tuple[str | None, Analysed | None]:
    """(run, the job that is asked about); None before a rank has answered. Errors as `jobs_of`."""
    run, _, jobs = jobs_of(members, params)
    return run, analysed(jobs[0]) if jobs else None


def members_of(
    members: Sequence[Member[RankSummary]], run: str | None, worker: str | None = None
) -> tuple[str | None, list[Member[RankSummary]]]:
    """The run, by default that with the newest profile (where one is named: that has it), and its members."""
    if run is None:
        run = _newest([member for member in members if member.worker == worker] or members)
    return run, [member for member in members if member.run == run]


def profiles_of(mine: Sequence[Member[RankSummary]]) -> list[RankProfile]:
    """Of those that have answered."""
    return [one for member in mine if (one := profile_of(member)) is not None]


def profile_of(member: Member[RankSummary]) -> RankProfile | None:
    if member.answer is None:
        return None
    return RankProfile(run=member.run, worker=member.worker, span=member.span, label=member.label, summary=member.answer)


def _no_rank(run: str | None, mine: Sequence[Member[RankSummary]]) -> FormatError:
    return FormatError(f"run {run}, {mine[0].label}", mine[0].reason or "cannot be read")


def _newest(members: Sequence[Member[RankSummary]]) -> str | None:
    """The first of the table of runs: the one whose first profile began last."""
    began: dict[str, int] = {}
    for member in members:
        began.setdefault(member.run, _began(member))
    return max(began, key=began.__getitem__) if began else None


def _began(member: Member[RankSummary]) -> int:
    base_ns = member.answer.base_ns if member.answer else 0
    return base_ns if base_ns > _UNIX_TIME_NS else member.recorded_ns
