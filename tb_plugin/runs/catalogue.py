"""What a scan found, as values: runs, their workers, their spans, and the files of each. Nothing here touches a disk."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Protocol, TypeVar

from tb_plugin.base.errors import NotFoundError
from tb_plugin.base.readable import is_readable, readable_name
from tb_plugin.runs.jobs import ONLY_JOB, OneJob

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


NO_PROFILE: Final = "dumps of flight recorders and no profile: Ranks > Hang, or `tb-plugin hang FOLDER`, says who did not come"

ONLY_SUMMARY: Final = "its profile is not here, only the summary of its rank: Ranks shows what that holds"


class _Named(Protocol):
    @property
    def name(self) -> str: ...


N = TypeVar("N", bound=_Named)


class Address(NamedTuple):
    """The three names that a link holds."""

    run: str
    worker: str
    span: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ProfileFile:
    """One file as it was when it was looked at. Equal values mean an unchanged file."""

    path: str
    size_bytes: int
    mtime_ns: int
    changed_ns: int = 0
    """When its content, name or owner last changed: nobody sets that back, as `cp -p` and `touch -r` do with the time above."""
    inode: int = 0
    """Which file it is: another one of the same name has another."""

    @staticmethod
    def of(path: str, status: os.stat_result) -> ProfileFile:
        """A file of this status."""
        return ProfileFile(
            path=path,
            size_bytes=status.st_size,
            mtime_ns=status.st_mtime_ns,
            changed_ns=status.st_ctime_ns,
            inode=status.st_ino,
        )

    def is_still(self, status: os.stat_result) -> bool:
        """Whether the file of its path is unchanged, and so what `of` would give."""
        return (
            self.mtime_ns == status.st_mtime_ns
            and self.changed_ns == status.st_ctime_ns
            and self.size_bytes == status.st_size
            and self.inode == status.st_ino
        )

    @property
    def name(self) -> str:
        """As it is shown and asked for; its file is at `path`."""
        return readable_name(os.path.basename(self.path))  # noqa: PTH119 - asked of thousands of files, a Path takes ten times as long


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """One profile of one worker: its files hold the same recording, the best one to open first."""

    name: str
    files: tuple[ProfileFile, ...]
    label: str | None = None
    """What the name says beside the time: "iteration 100", "DECODE"."""
    time_ns: int | None = None
    """When it was recorded, if the name says so."""
    began_ns: int | None = None
    """The same, if its first bytes say so."""
    memory_only: bool = False
    foreign: bool = False
    """A Chrome trace of another tool."""
    is_dumps: bool = False
    """Dumps of flight recorders, one file a rank, where a job left no profile: `hang` reads them."""
    is_summary: bool = False
    """The summary of a rank whose profile is not here any more: Ranks reads it."""
    summary: ProfileFile | None = None
    """That of its rank beside the profile, where one lies there: who keeps what it says asks again once it is another."""
    was: Address | None = None
    """Its names in links made before frameworks were known, where those were others."""

    @property
    def is_asked(self) -> bool:
        """Whether it is a profile of torch, which questions are about."""
        return not self.foreign and self.why_no_profile is None

    @property
    def why_no_profile(self) -> str | None:
        """A sentence where its files are none, and lead to Ranks."""
        return NO_PROFILE if self.is_dumps else ONLY_SUMMARY if self.is_summary else None

    @property
    def size_bytes(self) -> int:
        """Of all its files."""
        return sum(file.size_bytes for file in self.files)

    @property
    def key(self) -> str:
        """Says which span this is, also after its files have changed."""
        folder, name = os.path.split(self.files[0].path)  # asked of every profile of a log directory, as the name above
        return f"{folder}|{name.partition('.pt.')[0]}"

    @property
    def dated_ns(self) -> int | None:
        """The time in the name, or else in its first bytes. The one rule for which profile is newer, and for what is shown."""
        return self.began_ns if self.time_ns is None else self.time_ns

    @property
    def when_ns(self) -> int:
        """The same; where neither is told, when it was written."""
        return max(file.mtime_ns for file in self.files) if self.dated_ns is None else self.dated_ns


class Identity(NamedTuple):
    """Who a worker is, for people. `note` says that name and content differ."""

    label: str
    rank: int | None
    rank_from: Literal["name", "content"] | None
    note: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Worker:
    """One process that recorded: a rank of a training job, mostly."""

    name: str
    spans: tuple[Span, ...]
    named_rank: int | None = None
    content_rank: int | None = None
    place: tuple[tuple[str, int], ...] = ()
    """Coordinates in the mesh: (("tp", 0), ("dp", 1))."""
    group: str = ""
    """Stands before the rank: a role, or a job, where the run has several."""
    about: str = ""
    """Stands behind the rank: place, host and process, replica."""
    job: OneJob = ONLY_JOB
    """Which of its run's."""
    opens_with: str = ""
    """The name of its span of the recording that most of its job have (`rounds.py`): Ranks shows that, and so does all else."""

    @property
    def foreign(self) -> bool:
        return all(span.foreign for span in self.spans)

    def identity(self, opened_rank: int | None = None) -> Identity:
        """`opened_rank` is what the whole profile said, once somebody opened it. Content overrules the name."""
        content = self.content_rank if opened_rank is None else opened_rank
        rank = self.named_rank if content is None else content
        about = self.about or ("" if self.named_rank is not None else self.name)
        label = " · ".join(filter(None, (self.group, "" if rank is None else f"rank {rank}", about)))
        note = None
        if content is not None and self.named_rank not in (None, content):
            note = f"named rank {self.named_rank}, but the profile says rank {content}: that is shown"
        source: Literal["name", "content"] | None = "content" if content is not None else None if rank is None else "name"
        return Identity(label or self.name, rank, source, note)

    def opens(self, failed: Callable[[Span], bool]) -> Span:
        """Of torch rather than another tool's, whole rather than memory only, one that did not fail; of such the span of the
        recording that most of its job have, else the newest.
        """
        if len(self.spans) == 1:
            return self.spans[0]

        def rank(span: Span) -> tuple[bool, ...]:
            return not span.foreign, span.is_asked, not span.memory_only, not failed(span), span.name == self.opens_with

        return max(self.spans[::-1], key=rank)


@dataclass(frozen=True, kw_only=True)
class Run:
    """What one training job or server recorded: a directory that holds profiles, mostly."""

    name: str
    workers: tuple[Worker, ...]

    @property
    def foreign(self) -> bool:
        return all(worker.foreign for worker in self.workers)

    @property
    def newest_ns(self) -> int:
        return max((span.when_ns for worker in self.workers for span in worker.spans if not span.foreign), default=0)

    def by_job(self) -> tuple[Run, ...]:
        """Of each of its jobs the workers, the largest job first; of most runs itself."""
        if len(self.workers) == 1 or len({worker.job.place for worker in self.workers}) < 2:
            return (self,)
        places = sorted({worker.job.place for worker in self.workers})
        return tuple(replace(self, workers=tuple(one for one in self.workers if one.job.place == place)) for place in places)

    @cached_property  # each of its ranks says it in each answer
    def n_ranks(self) -> int:
        """Workers with a file that is not empty; of a job whose size is known, one rank that several say they are counts once."""
        there = [worker for worker in self.workers if any(file.size_bytes for span in worker.spans for file in span.files)]
        if not self.workers or self.workers[0].job.world_size is None:
            return len(there)
        ranks = [worker.identity().rank for worker in there]
        return len({*ranks} - {None}) + ranks.count(None)

    @property
    def is_no_job(self) -> bool:
        """Several files that nothing says are ranks: recordings of one process each, of whatever, that lie in one folder."""
        return len(self.workers) > 1 and all(
            (one.job.world_size or 1) == 1 and not one.identity().rank  # alone it is rank 0 of one
            for one in self.workers
        )

    def opens(self, failed: Callable[[Span], bool] = lambda _: False) -> Worker:
        """The first worker; of torch rather than of another tool, one that can be read, a whole profile rather than memory."""

        def rank(worker: Worker) -> tuple[bool, bool, bool]:
            own = [span for span in worker.spans if span.is_asked]
            usable = [span for span in own if not failed(span)]
            return not worker.foreign, bool(usable), any(not span.memory_only for span in usable or own)

        if len(self.workers) == 1:  # most have one, with many spans
            return self.workers[0]
        best = next((worker for worker in self.workers if all(rank(worker))), None)  # the first, mostly, of thousands
        return max(self.workers, key=rank) if best is None else best

    def is_usable(self, failed: Callable[[Span], bool]) -> bool:
        """Whether a profile of torch in it did not fail."""
        return any(span.is_asked and not failed(span) for worker in self.workers for span in worker.spans)


@dataclass(frozen=True, kw_only=True)
class Catalogue:
    """Runs and workers in natural order, those of other tools last; spans in the order of their recording.

    `problems` are sentences about what was not read, `unfinished` notes and hidden folders of profiles that are not complete.
    """

    runs: tuple[Run, ...] = ()
    problems: tuple[str, ...] = ()
    unfinished: tuple[str, ...] = ()

    def spans(self) -> Iterator[Span]:
        for run in self.runs:
            for worker in run.workers:
                yield from worker.spans

    def opens(self, failed: Callable[[Span], bool] = lambda _: False) -> Run | None:
        """The run with the newest profile that can be read; of equally new ones the last. Never one of other tools alone."""
        own = (run for run in self.runs[::-1] if not run.foreign)
        return max(own, key=lambda run: (run.is_usable(failed), run.newest_ns), default=None)

    def choose(
        self,
        run: str | None = None,
        worker: str | None = None,
        span: str | None = None,
        *,
        failed: Callable[[Span], bool] = lambda _: False,
    ) -> tuple[Run, Worker, Span]:
        """The named span; for what is not named the newest run, its first worker, its span of the recording that most of its
        workers have, of equal ones the newest, of those that did not fail.

        This is the one rule: the page, HTTP and the shell all open with what it says. Names of older links are known.
        """
        run, worker, span = (_as_listed(name) for name in (run, worker, span))
        try:
            found_run = self._run(run, failed)
            in_run = f"in run {found_run.name!r}"
            found_worker = found_run.opens(failed) if worker is None else _pick(found_run.workers, worker, "worker", in_run)
            of_worker = f"of worker {found_worker.name!r}"
            found_span = found_worker.opens(failed) if span is None else _pick(found_worker.spans, span, "span", of_worker)
        except NotFoundError:
            found = self._by_old_name(run, worker, span)
            if found is None:
                raise
            return found
        return found_run, found_worker, found_span

    def _run(self, name: str | None, failed: Callable[[Span], bool]) -> Run:
        if name is not None:
            return _pick(self.runs, name, "run", "here")
        newest = self.opens(failed)
        if newest is None:
            others = f"; name a run to see what another tool wrote: {_some(self.runs)}" if self.runs else ""
            raise NotFoundError(f"there is no profile of torch here{others}")
        return newest

    def which_else(self, run: str, worker: str | None, span: str | None, shown: Worker) -> str | None:
        """Where workers of several jobs have the name in a link: which one is shown, and which are the others, in a sentence."""
        alike = [one.name for of in self.runs if of.name == run for one in of.workers if _was(one, worker, span)]
        if worker is None or shown.name == worker or len(alike) < 2:
            return None
        others = ", ".join(name for name in alike if name != shown.name)
        return f"{worker} is several workers here: shown is {shown.name}, not {others}."

    def _by_old_name(self, *names: str | None) -> tuple[Run, Worker, Span] | None:
        for run in self.runs:
            for worker in run.workers:
                for span in worker.spans:
                    if span.was and all(name in (None, old) for name, old in zip(names, span.was, strict=True)):
                        return run, worker, span
        return None


def _was(worker: Worker, *names: str | None) -> bool:
    return any(
        span.was and all(name in (None, old) for name, old in zip(names, span.was[1:], strict=True)) for span in worker.spans
    )


def _as_listed(name: str | None) -> str | None:
    """A shell completes what is on the disk."""
    return name if name is None or is_readable(name) else readable_name(name)


def _pick(items: Sequence[N], name: str, what: str, where: str) -> N:
    if not items:
        raise NotFoundError(f"there is no {what} {where}")
    for item in items:
        if item.name == name:
            return item
    raise NotFoundError(f"there is no {what} {name!r} {where}; there is {_some(items)}")


def _some(items: Iterable[N]) -> str:
    listed = sorted(item.name for item in items)
    return ", ".join(listed[:5]) + (f" and {len(listed) - 5} more" if len(listed) > 5 else "")
