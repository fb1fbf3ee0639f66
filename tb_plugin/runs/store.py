"""The profiles of some logdirs: find them, ask for one, look at how far it is. What every front door talks to."""

from __future__ import annotations

import hashlib
import os
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakValueDictionary

import msgspec

from tb_plugin.base import devices_file, progress
from tb_plugin.base.errors import FormatError, NotFoundError, TbPluginError
from tb_plugin.base.units import format_bytes
from tb_plugin.formats.stored import mapped
from tb_plugin.runs import discover
from tb_plugin.runs.cache import ProfileCache
from tb_plugin.runs.catalogue import Address, ProfileFile
from tb_plugin.runs.child import Children
from tb_plugin.runs.dropped import Dropped
from tb_plugin.runs.growing import Growing
from tb_plugin.runs.loading import CANCELLED, MAX_OPEN_BYTES, CancelledError, Loader, Loading, alone
from tb_plugin.runs.shelf import WORTH_IT_EVENTS, CacheShelf
from tb_plugin.runs.source import fingerprint_of
from tb_plugin.trace import compact
from tb_plugin.trace.kept import put_beside
from tb_plugin.trace.model import TABLES, Issue, Trace
from tb_plugin.trace.so_far import SoFar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tb_plugin.base.progress import OnProgress
    from tb_plugin.runs.catalogue import Catalogue, Span
    from tb_plugin.runs.watch import Watch

T = TypeVar("T")

_CONVERTED = 0.99
"""Of the time, the part that belongs to the child; the rest is opening what it wrote."""

_SEEN_WITHIN_S = 10.0
"""For a scan to pass a file that was dropped. Of a logdir that takes longer the page shows it a little later."""

KEPT_BYTES_PER_EVENT = 40
"""What all views and the timeline keep of a trace (`trace.kept`), measured on real traces: 32 to 37 bytes an event."""


MAPPED_BYTES = 16 << 20
"""What a mapped profile counts for at least: it holds up to four descriptors of about a thousand, so that 128 may be open."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A span somebody asked for. `fingerprint` is another one when the files have changed."""

    span: Span
    fingerprint: str


class ProfileStore:
    """Starts nothing until it is asked. Safe to use from any thread."""

    def __init__(self, watch: Watch, *, cache: ProfileCache | None = None, max_open_bytes: int = MAX_OPEN_BYTES) -> None:
        self.watch = watch
        self.dropped = Dropped()
        self.cache = cache or ProfileCache()
        self._converting: WeakValueDictionary[str, _Turn] = WeakValueDictionary()
        self._lock = threading.Lock()
        self._growing = Growing()
        self._looked_over: Catalogue | None = None  # for what is gone
        self._so_far: dict[str, SoFar] = {}  # by the path of a file that is read now
        self._cancelled: set[ProfileFile] = set()  # of what somebody cancelled, until somebody has it read again
        self.children = Children()
        self._loader = Loader(alone(self._open), size_of=n_bytes, max_open_bytes=max_open_bytes)

    def catalogue(self, wait_s: float = 0.3) -> Catalogue:
        catalogue = self.watch.catalogue(wait_s)
        if not self.watch.scanning and catalogue is not self._looked_over:
            self._looked_over = catalogue
            self._loader.forget_others(span.key for span in catalogue.spans())
            self._growing.forget_others({file.path for span in catalogue.spans() for file in span.files})
        return catalogue

    def find(self, run: str | None, worker: str | None, span: str | None) -> Asked:
        """The span of these names with its files as they are now, or NotFoundError."""
        chosen = self._choose(run, worker, span)
        files = tuple(found for file in chosen.files if (found := _look_again(file)) is not None)
        if not files:
            raise NotFoundError(f"{chosen.files[0].name} was deleted")
        chosen = replace(chosen, files=files)
        digest = hashlib.sha256(repr((fingerprint_of(), devices_file.digest(), files)).encode(errors="surrogateescape"))
        return Asked(span=chosen, fingerprint=digest.hexdigest()[:20])

    def ask(self, asked: Asked, *, again: bool = False) -> Loading[Trace]:
        """How far its loading is; starts it, also where that has failed before if it is to be tried `again`."""
        if asked.span.why_no_profile is not None:
            return self.look(asked.span)
        written = self._growing.size_so_far(asked.span.files)
        if written is not None:  # what is read of it now is read for nothing
            self._end_opening(asked.span)
            return Loading(state="loading", stage=f"written a moment ago, {format_bytes(written)} so far")
        if again:
            self._cancelled.difference_update(asked.span.files)
        return self._loader.ask(asked.span.key, asked.span.files, again=again)

    @property
    def n_opened(self) -> int:
        """How many openings have ended, well or not: for `wait`."""
        return self._loader.n_ended

    def wait(self, n_opened: int, timeout_s: float) -> None:
        """Until another opening than these ends."""
        self._loader.wait(n_opened, timeout_s)

    def so_far(self, span: Span) -> SoFar | None:
        """What is known of it while it is read."""
        return next((found for file in span.files if (found := self._so_far.get(file.path)) is not None), None)

    def cancel(self, span: Span) -> bool:
        """Ends its opening, for all who wait; False when it is not being opened.

        Until somebody asks for it `again` nobody reads it, whatever it is wanted for.
        """
        new = set(span.files) - self._cancelled
        self._cancelled |= new  # first: who reads it too is told why that ends
        was_opening = self._end_opening(span)
        if not was_opening:
            self._cancelled -= new
        return was_opening

    def was_cancelled(self, files: Sequence[ProfileFile]) -> bool:
        """Whether somebody ended the opening of these files, as they are, and nobody has begun it again."""
        return not self._cancelled.isdisjoint(files)

    def _end_opening(self, span: Span) -> bool:
        was_opening = self._loader.cancel(span.key)
        if was_opening:
            for file in span.files:
                self.children.cancel(Path(file.path))
        return was_opening

    def look(self, span: Span) -> Loading[Trace]:
        """How far its loading is; starts nothing."""
        if span.why_no_profile is not None:
            return Loading(state="failed", error=span.why_no_profile)
        return self._loader.look(span.key, span.files)

    def passed_over(self, run: str | None, worker: str | None, span: str | None, shown: Span) -> str | None:
        """Of names that leave something open: what would be shown but cannot be read, or is meant as well, in a sentence."""
        with suppress(NotFoundError):
            of_run, of_worker, first = self.watch.known.choose(run, worker, span)
            now = self.look(first)
            if now.state == "failed" and first.key != shown.key:
                return f"{first.files[0].name} cannot be read ({now.error}): shown is {shown.files[0].name}."
            return self.watch.known.which_else(of_run.name, worker, span, of_worker)
        return None

    def is_opening(self) -> bool:
        """Whether a profile is being opened."""
        return self._loader.is_busy

    def drop(self, name: str, n_bytes: int, read: Callable[[int], bytes], beside: str | None = None) -> Address:
        """Shows a file that somebody sends, and says as what. Errors as `Dropped.take`."""
        logdir, path = self.dropped.take(name, n_bytes, read, beside)
        found = discover.search([logdir])  # alone: the others may be large
        self.watch.search_too(logdir, _SEEN_WITHIN_S)
        for run in found.runs:
            for worker in run.workers:
                for span in worker.spans:
                    if any(file.path == str(path) for file in span.files):
                        return Address(run.name, worker.name, span.name)
        raise FormatError(path.name, "it is not a profile that can be read here")

    def close(self) -> None:
        """Ends threads and children. Servers need not call it: nothing here keeps a process alive."""
        self.children.close()
        self._loader.close()
        self.watch.close()
        self.dropped.close()

    def _choose(self, run: str | None, worker: str | None, span: str | None) -> Span:
        if run and worker and span:
            # What is known needs no scan: the timeline asks many times a second.
            with suppress(NotFoundError):
                return self.watch.known.choose(run, worker, span)[2]
        with suppress(NotFoundError):
            return self.watch.catalogue(0.3).choose(run, worker, span, failed=self.has_failed)[2]
        # It may be new, or the first scan of a large logdir has not reached it yet.
        return self.watch.look_again(5.0).choose(run, worker, span, failed=self.has_failed)[2]

    def has_failed(self, span: Span) -> bool:
        """Whether it cannot be read; one that somebody cancelled can."""
        now = self.look(span)
        return now.state == "failed" and not now.is_cancelled

    def _open(self, files: tuple[ProfileFile, ...], on_progress: OnProgress) -> Trace:
        return open_best(files, lambda file: self._open_file(file, on_progress))

    def stored(self, file: ProfileFile, on_progress: OnProgress) -> Path:
        """The columns of a file, in the cache: read by a child where that was not done before."""
        with self._turn(file.path, on_progress) as tell:  # whoever comes second finds what the first has written
            target = self.cache.path_of(file)
            with self.cache.turn(target, tell):
                if not target.exists():
                    if self.was_cancelled((file,)):  # while this one waited
                        raise CancelledError(CANCELLED)
                    self._convert(file, tell)
                    target = self.cache.path_of(file)
        self.cache.touch(target)
        return target

    def _open_file(self, file: ProfileFile, on_progress: OnProgress) -> Trace:
        stored = self.stored(file, progress.part(on_progress, 0.0, _CONVERTED))
        on_progress(_CONVERTED, "opening")
        trace = _read_cached(self.cache, stored)
        return _mapped(self.cache, self.stored(file, on_progress)) if trace is None else trace

    def _convert(self, file: ProfileFile, on_progress: OnProgress) -> None:
        target = self.cache.path_of(file)
        try:
            self.children.convert(Path(file.path), target, on_progress, lambda told: self._note(file.path, told))
            self.cache.prune(keep=target)
        except TbPluginError as error:
            # A full home directory is common on clusters, and must not stop anybody from looking.
            full = "No space left" in str(error) or "quota" in str(error).lower()
            if not full or not self.cache.use_fallback():
                raise
            self._convert(file, on_progress)
        finally:
            self._so_far.pop(file.path, None)

    def _note(self, path: str, told: str) -> None:
        with suppress(msgspec.DecodeError):  # noise of a library
            self._so_far[path] = msgspec.json.decode(told, type=SoFar)

    @contextmanager
    def _turn(self, path: str, on_progress: OnProgress) -> Iterator[OnProgress]:
        with self._lock:
            turn = self._converting.get(path)
            if turn is None:
                turn = self._converting[path] = _Turn()
        with turn.heard_by(on_progress), turn.lock:
            yield turn.tell


class _Turn:
    """One file is converted by one at a time; who waits for it hears how far that is."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._hearing: list[OnProgress] = []
        self._told: tuple[float, str] | None = None

    def tell(self, share: float, stage: str) -> None:
        self._told = share, stage
        for hear in tuple(self._hearing):
            hear(share, stage)

    @contextmanager
    def heard_by(self, on_progress: OnProgress) -> Iterator[None]:
        if self._told is not None:
            on_progress(*self._told)
        self._hearing.append(on_progress)
        try:
            yield
        finally:
            self._hearing.remove(on_progress)


def open_best(files: Sequence[ProfileFile], open_file: Callable[[ProfileFile], Trace]) -> Trace:
    """The first file that can be opened, with an issue for each better one that could not."""
    trace, broken = first_readable(files, open_file)
    issues = tuple(Issue(kind="file_not_readable", text=text) for text in broken)
    return replace(trace, issues=(*issues, *trace.issues)) if issues else trace


def first_readable(files: Sequence[ProfileFile], use: Callable[[ProfileFile], T]) -> tuple[T, list[str]]:
    """What the first of a span's files gives that can be read, with a sentence for each better one; or FormatError."""
    broken: list[FormatError] = []
    for file in files:
        try:
            got = use(file)
        except FormatError as error:
            broken.append(error)
            continue
        return got, [f"{Path(error.path).name} cannot be read, shown is {file.name}: {error.reason}" for error in broken]
    if len(broken) == 1:
        raise broken[0]
    raise FormatError(broken[0].path, "; ".join(f"{Path(error.path).name}: {error.reason}" for error in broken))


def already_read(file: ProfileFile) -> Trace | None:
    """A profile as a server has read it into the user's cache; None where none has since the file changed last."""
    cache = ProfileCache()
    stored = cache.path_of(file)
    if not stored.exists():
        return None
    cache.touch(stored)
    return _read_cached(cache, stored)


def _read_cached(cache: ProfileCache, stored: Path) -> Trace | None:
    """None for an entry that cannot be read, or was taken away meanwhile: it is made anew."""
    try:
        return _mapped(cache, stored)
    except (FormatError, OSError):
        stored.unlink(missing_ok=True)
        return None


def _mapped(cache: ProfileCache, stored: Path) -> Trace:
    """With room beside it for what is worked out of it, where that is much."""
    trace = mapped.read(stored)
    if len(trace.events) >= WORTH_IT_EVENTS:
        put_beside(trace, CacheShelf(cache, stored, len(trace.events)))
    return trace


def _look_again(file: ProfileFile) -> ProfileFile | None:
    try:
        status = os.stat(file.path)  # noqa: PTH116 - as in the scan
    except OSError:
        return None
    return ProfileFile.of(file.path, status)


def n_bytes(trace: Trace) -> int:
    """Memory of an open Trace: its columns that are not mapped, its strings, its arguments, and what views will keep of it."""
    every = [column for table in TABLES for column in trace.table(table).columns_here().values()]
    in_memory = [column for column in every if not compact.is_mapped(column)]
    columns = sum(map(compact.n_bytes, in_memory))
    kept = KEPT_BYTES_PER_EVENT * len(trace.events) + sum(len(text) + 60 for text in trace.strings) + trace.args.n_bytes
    return columns + (kept if len(in_memory) == len(every) else max(kept, MAPPED_BYTES))
