"""The profiles of some logdirs: find them, ask for one, look at how far it is. What every front door talks to."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tb_plugin.base.errors import FormatError, NotFoundError, TbPluginError
from tb_plugin.formats import profile_pb, reader
from tb_plugin.runs.cache import ProfileCache
from tb_plugin.runs.child import Converter
from tb_plugin.runs.loading import MAX_OPEN_BYTES, Loader, Loading
from tb_plugin.runs.source import fingerprint_of
from tb_plugin.trace.model import Issue, Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tb_plugin.runs.catalogue import Catalogue, ProfileFile, Span
    from tb_plugin.runs.watch import Watch

_READING_SHARE = 0.9
"""Of the progress shown, the part that belongs to the child; the rest is opening what it wrote."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A span somebody asked for. `fingerprint` is another one when the files have changed."""

    span: Span
    fingerprint: str


class ProfileStore:
    """Starts nothing until it is asked. Safe to use from any thread."""

    def __init__(self, watch: Watch, *, cache: ProfileCache | None = None, max_open_bytes: int = MAX_OPEN_BYTES) -> None:
        self.watch = watch
        self._cache = cache or ProfileCache()
        self._converter = Converter()
        self._loader = Loader(self._open, max_open_bytes=max_open_bytes)

    def catalogue(self, wait_s: float = 0.3) -> Catalogue:
        catalogue = self.watch.catalogue(wait_s)
        if not self.watch.scanning:
            self._loader.forget_others(catalogue.spans())
        return catalogue

    def find(self, run: str | None, worker: str | None, span: str | None) -> Asked:
        """The span of these names with its files as they are now, or NotFoundError."""
        chosen = self._choose(run, worker, span)
        files = tuple(found for file in chosen.files if (found := _look_again(file)) is not None)
        if not files:
            raise NotFoundError(f"{chosen.files[0].name} was deleted")
        chosen = replace(chosen, files=files)
        digest = hashlib.sha256(repr((fingerprint_of(), files)).encode(errors="surrogateescape"))
        return Asked(span=chosen, fingerprint=digest.hexdigest()[:20])

    def ask(self, asked: Asked) -> Loading:
        """How far its loading is; starts it."""
        return self._loader.ask(asked.span)

    def look(self, span: Span) -> Loading:
        """How far its loading is; starts nothing."""
        return self._loader.look(span)

    def close(self) -> None:
        """Ends threads and children. Servers need not call it: nothing here keeps a process alive."""
        self._converter.close()
        self._loader.close()
        self.watch.close()

    def _choose(self, run: str | None, worker: str | None, span: str | None) -> Span:
        if run and worker and span:
            # What is known needs no scan: the timeline asks many times a second.
            with suppress(NotFoundError):
                return self.watch.known.choose(run, worker, span)[2]
        try:
            return self.watch.catalogue(0.3).choose(run, worker, span)[2]
        except NotFoundError:
            if not self.watch.scanning:
                raise
        # The first scan of a large logdir: what a link names may not have been reached yet.
        return self.watch.catalogue(5.0).choose(run, worker, span)[2]

    def _open(self, files: tuple[ProfileFile, ...], on_progress: Callable[[float, str], None]) -> Trace:
        return open_best(files, lambda file: self._open_file(file, on_progress))

    def _open_file(self, file: ProfileFile, on_progress: Callable[[float, str], None]) -> Trace:
        if file.name.endswith(".pb"):
            return reader.read(file.path, on_progress)
        cached = self._cache.path_of(file)
        trace = _read_cached(cached)
        if trace is None:
            self._convert(file, on_progress)
            cached = self._cache.path_of(file)
            on_progress(_READING_SHARE, "opening")
            trace = profile_pb.read(cached)
        self._cache.touch(cached)
        return trace

    def _convert(self, file: ProfileFile, on_progress: Callable[[float, str], None]) -> None:
        def report(fraction: float, stage: str) -> None:
            on_progress(fraction * _READING_SHARE, stage)

        target = self._cache.path_of(file)
        try:
            self._converter.convert(Path(file.path), target, report)
            self._cache.prune(keep=target)
        except TbPluginError as error:
            # A full home directory is common on clusters, and must not stop anybody from looking.
            full = "No space left" in str(error) or "quota" in str(error).lower()
            if not full or not self._cache.use_fallback():
                raise
            self._convert(file, on_progress)


def open_best(files: Sequence[ProfileFile], open_file: Callable[[ProfileFile], Trace]) -> Trace:
    """The first file that can be opened, with an issue for each better one that could not."""
    broken: list[FormatError] = []
    for file in files:
        try:
            trace = open_file(file)
        except FormatError as error:
            broken.append(error)
            continue
        issues = tuple(
            Issue(kind="file_not_readable", text=f"{Path(error.path).name} cannot be read, shown is {file.name}: {error.reason}")
            for error in broken
        )
        return replace(trace, issues=(*issues, *trace.issues)) if issues else trace
    raise (
        broken[0]
        if len(broken) == 1
        else FormatError(broken[0].path, "; ".join(f"{Path(error.path).name}: {error.reason}" for error in broken))
    )


def _read_cached(path: Path) -> Trace | None:
    """None when there is no entry, or one that cannot be read and is made anew."""
    if not path.exists():
        return None
    try:
        return profile_pb.read(path)
    except (FormatError, OSError):
        path.unlink(missing_ok=True)
        return None


def _look_again(file: ProfileFile) -> ProfileFile | None:
    try:
        status = os.stat(file.path)  # noqa: PTH116 - as in the scan
    except OSError:
        return None
    return replace(file, size_bytes=status.st_size, mtime_ns=status.st_mtime_ns)
