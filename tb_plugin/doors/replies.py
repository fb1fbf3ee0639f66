"""Replies that are about files and failures rather than about a profile's contents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from tb_plugin import __version__, views
from tb_plugin.answers.budget import Working
from tb_plugin.question.joint import Joint
from tb_plugin.runs.dumps import read_folders
from tb_plugin.runs.marks import marks_of
from tb_plugin.runs.names import DUMP, OPENED, SEARCHED
from tb_plugin.runs.rounds import by_default
from tb_plugin.trace.scope.recorded import HOW_TO_RECORD
from tb_plugin.trace.scope.recording import is_cut_off
from tb_plugin.trace.so_far import SoFar
from tb_plugin.views.ranks.hang.hang import Hangs, hangs_of

if TYPE_CHECKING:
    from tb_plugin.runs.catalogue import Run, Span, Worker
    from tb_plugin.runs.loading import Loading
    from tb_plugin.runs.store import ProfileStore
    from tb_plugin.trace.model import Trace


class SpanState(msgspec.Struct, frozen=True, kw_only=True):
    """One profile and how far its loading is. `found`: nobody asked yet."""

    name: str
    label: str | None  # what the name says beside the time: "iteration 100", "DECODE"
    time_ms: int | None  # since 1970, if the name or the first bytes tell
    foreign: bool  # a Chrome trace of another tool than torch
    no_profile: bool  # dumps of flight recorders (api/v1/hang reads them) or the summary of a rank alone: Ranks shows it
    is_dumps: bool  # no profile, but what `api/v1/hang` reads: of its run no question about ranks has an answer
    was: list[str] | None  # run, worker and span in older links, where those were others
    state: Literal["found", "queued", "loading", "ready", "failed"]
    is_cut_off: bool  # it was read, and ends before the profile does
    progress: float  # 0 to 1
    stage: str
    error: str | None
    size_bytes: int  # of all its files
    files: list[str]  # the one to open first, first


class WorkerState(msgspec.Struct, frozen=True, kw_only=True):
    """Spans in the order of their recording. `rank` is null until the name or the content tells; content overrules."""

    name: str
    label: str  # for people: "rank 3", "TP 0", "node7, process 4242"
    rank: int | None
    rank_from: Literal["name", "content"] | None
    place: dict[str, int]  # in the mesh, from the name: {"tp": 0, "dp": 1}
    note: str | None  # a sentence where name and content differ
    opens: str  # the span to show when none is named
    in_ranks: str  # the span that Ranks shows its job with when none is named
    spans: list[SpanState]


class RunState(msgspec.Struct, frozen=True, kw_only=True):
    """A directory that holds profiles, mostly. Workers in natural order, those of other tools last."""

    name: str
    opens: str  # the worker to show when none is named
    workers: list[WorkerState]


class ViewInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A question that can be asked of each profile, or `of_many`: of the log directory."""

    id: str
    title: str
    question: str
    of_many: bool


class RunsReply(msgspec.Struct, frozen=True, kw_only=True):
    """What was searched and found. `problems` are sentences about what could not be read."""

    logdirs: list[str]
    scanning: bool
    searched: list[str]  # names of profiles
    looked_into: list[str]  # names of files of which the content says what they are
    problems: list[str]
    takes_files: bool  # from the page, as of a profile that is dropped on it
    how_to_record: str  # lines of Python, for who has no profile yet
    version: str
    views: list[ViewInfo]
    opens: str | None  # the run to show when none is named; null when there is none but those of other tools
    runs: list[RunState]


class WaitReply(msgspec.Struct, frozen=True, kw_only=True):
    """The profile is not open yet: ask again. `so_far` is of the part of the file that is read, and no answer."""

    state: Literal["queued", "loading"]
    progress: float  # 0 to 1
    stage: str
    seconds_left: float | None  # at the pace so far
    so_far: SoFar | None


class WorkReply(msgspec.Struct, frozen=True, kw_only=True):
    """Answers about a profile that are being worked out, begun first first."""

    working: list[Working]


class CancelReply(msgspec.Struct, frozen=True, kw_only=True):
    """Whether there was anything to end."""

    was_working: bool


class DropReply(msgspec.Struct, frozen=True, kw_only=True):
    """As what a file is shown that was dropped on the page."""

    run: str
    worker: str
    span: str


class ErrorInfo(msgspec.Struct, frozen=True, kw_only=True):
    """`kind` is a class of base/errors.py, `message` one sentence for a person."""

    kind: str
    message: str


class ErrorReply(msgspec.Struct, frozen=True, kw_only=True):
    """The one shape of every error."""

    error: ErrorInfo


def runs_reply(store: ProfileStore, takes_files: bool) -> RunsReply:
    catalogue = store.catalogue()
    opens = catalogue.opens(store.has_failed)
    return RunsReply(
        logdirs=[logdir.shown for logdir in store.watch.logdirs],
        scanning=store.watch.scanning,
        searched=list(SEARCHED),
        looked_into=[*OPENED, f"{DUMP}*"],
        problems=[
            *catalogue.problems,
            *marks_of(store.watch.logdirs).problems,
            *([] if store.cache.problem is None else [store.cache.problem]),
        ],
        takes_files=takes_files,
        how_to_record=HOW_TO_RECORD,
        version=__version__,
        views=[
            ViewInfo(id=view.id, title=view.title, question=view.question, of_many=isinstance(view.main, Joint))
            for view in views.ALL
        ],
        opens=None if opens is None else opens.name,
        runs=[_run(store, run) for run in catalogue.runs],
    )


def hang_reply(store: ProfileStore, name: str) -> Hangs:
    """Of dumps beside the run's profiles, and in each folder below. NotFoundError for a run that is not there."""
    run, _, _ = store.catalogue().choose(name)
    folders = {Path(file.path).parent for worker in run.workers for span in worker.spans for file in span.files}
    sizes = {size for worker in run.workers if (size := worker.job.world_size) is not None}
    return hangs_of(read_folders(sorted(folders)), sizes)


def _run(store: ProfileStore, run: Run) -> RunState:
    in_ranks = {of.worker.name: of.likely.name for job in run.by_job() for of in by_default(job, store.has_failed)}
    workers = [_worker(store, worker, in_ranks[worker.name]) for worker in run.workers]
    return RunState(name=run.name, opens=run.opens(store.has_failed).name, workers=workers)


def _worker(store: ProfileStore, worker: Worker, in_ranks: str) -> WorkerState:
    now = {span.name: store.look(span) for span in worker.spans}
    opened = [each.value.info.rank for each in now.values() if each.value is not None and each.value.info.rank is not None]
    who = worker.identity(opened[-1] if opened else None)
    return WorkerState(
        name=worker.name,
        label=who.label,
        rank=who.rank,
        rank_from=who.rank_from,
        place=dict(worker.place),
        note=who.note,
        opens=worker.opens(store.has_failed).name,
        in_ranks=in_ranks,
        spans=[_span(span, now[span.name]) for span in worker.spans],
    )


def _span(span: Span, now: Loading[Trace]) -> SpanState:
    return SpanState(
        name=span.name,
        label=span.label,
        time_ms=None if span.dated_ns is None else span.dated_ns // 10**6,
        foreign=span.foreign,
        no_profile=span.why_no_profile is not None,
        is_dumps=span.is_dumps,
        was=None if span.was is None else list(span.was),
        state=now.state,
        is_cut_off=now.value is not None and is_cut_off(now.value),
        progress=round(now.progress, 3),
        stage=now.stage,
        error=now.error,
        size_bytes=span.size_bytes,
        files=[file.name for file in span.files],
    )
