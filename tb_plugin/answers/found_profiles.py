"""Which profiles a question about several is about: of each run, worker or job the spans that `Over` says."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from tb_plugin.runs import rounds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tb_plugin.question.joint import Joint, Over
    from tb_plugin.runs.catalogue import Catalogue, Run, Span, Worker
    from tb_plugin.runs.store import ProfileStore


class FoundProfile(NamedTuple):
    """A span, and where it stands. `job`: of its run the workers that are its job. `why_left`: why it is named, and not asked."""

    run: Run
    job: Run
    worker: Worker
    span: Span
    why_left: str | None = None
    older: tuple[str, ...] = ()
    n_recordings: int = 1
    n_others: int = 0


def is_asked(one: FoundProfile, joint: Joint[Any, Any, Any]) -> bool:
    """A summary without its profile answers what it was made for, and nothing else."""
    return one.why_left is None and (one.span.is_asked or (one.span.is_summary and joint.of_each.is_beside))


def profiles(catalogue: Catalogue, over: Over, store: ProfileStore) -> Iterator[FoundProfile]:
    for run, job in ((whole, job) for whole in catalogue.runs for job in whole.by_job()):
        if over == "jobs":
            for worker, asked, _, older, left in rounds.by_default(job, store.has_failed):
                yield from (FoundProfile(run, job, worker, span, older=older) for span in asked)
                yield from (FoundProfile(run, job, worker, span, why_left=why) for span, why in left)
            continue
        n_others = len(job.workers) - 1 if over == "runs" and job.is_no_job else 0
        for worker in (job.opens(store.has_failed),) if over in ("runs", "history") else job.workers:
            for span in worker.spans if over in ("spans", "history") else (worker.opens(store.has_failed),):
                of = replace(job, workers=(worker,)) if n_others else job
                n_recordings = rounds.n_recordings(of) if over == "runs" else 1
                yield FoundProfile(run, of, worker, span, n_recordings=n_recordings, n_others=n_others)
