"""Replies that are about files and failures rather than about a profile's contents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from tb_plugin import __version__, views
from tb_plugin.runs.names import SEARCHED

if TYPE_CHECKING:
    from tb_plugin.runs.catalogue import Worker
    from tb_plugin.runs.store import ProfileStore


class SpanState(msgspec.Struct, frozen=True, kw_only=True):
    """One profile and how far its loading is. `found`: nobody asked yet."""

    name: str
    state: Literal["found", "queued", "loading", "ready", "failed"]
    progress: float  # 0 to 1
    stage: str
    error: str | None
    size_bytes: int  # of all its files
    files: list[str]  # the one to open first, first


class WorkerState(msgspec.Struct, frozen=True, kw_only=True):
    """Spans in numeric order. `rank` is null until a profile of this worker was opened."""

    name: str
    rank: int | None
    spans: list[SpanState]


class RunState(msgspec.Struct, frozen=True, kw_only=True):
    """A directory that holds profiles. Workers in natural order."""

    name: str
    workers: list[WorkerState]


class ViewInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A question that can be asked of each profile."""

    id: str
    title: str
    question: str


class RunsReply(msgspec.Struct, frozen=True, kw_only=True):
    """What was searched and found. `problems` are sentences about directories that could not be read."""

    logdirs: list[str]
    scanning: bool
    searched: list[str]
    problems: list[str]
    version: str
    views: list[ViewInfo]
    runs: list[RunState]


class WaitReply(msgspec.Struct, frozen=True, kw_only=True):
    """The profile is not open yet: ask again."""

    state: Literal["queued", "loading"]
    progress: float  # 0 to 1
    stage: str


class ErrorInfo(msgspec.Struct, frozen=True, kw_only=True):
    """`kind` is a class of base/errors.py, `message` one sentence for a person."""

    kind: str
    message: str


class ErrorReply(msgspec.Struct, frozen=True, kw_only=True):
    """The one shape of every error."""

    error: ErrorInfo


def runs_reply(store: ProfileStore) -> RunsReply:
    catalogue = store.catalogue()
    return RunsReply(
        logdirs=[logdir.shown for logdir in store.watch.logdirs],
        scanning=store.watch.scanning,
        searched=list(SEARCHED),
        problems=list(catalogue.problems),
        version=__version__,
        views=[ViewInfo(id=view.id, title=view.title, question=view.question) for view in views.ALL],
        runs=[RunState(name=run.name, workers=[_worker(store, worker) for worker in run.workers]) for run in catalogue.runs],
    )


def _worker(store: ProfileStore, worker: Worker) -> WorkerState:
    rank: int | None = None
    spans: list[SpanState] = []
    for span in worker.spans:
        now = store.look(span)
        rank = now.rank if now.rank is not None else rank
        spans.append(
            SpanState(
                name=span.name,
                state=now.state,
                progress=round(now.progress, 3),
                stage=now.stage,
                error=now.error,
                size_bytes=sum(file.size_bytes for file in span.files),
                files=[file.name for file in span.files],
            )
        )
    return WorkerState(name=worker.name, rank=rank, spans=spans)
