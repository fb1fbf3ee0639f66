"""Walks logdirs and finds profiles. Standard library only, so that TensorBoard may ask while it starts."""

from __future__ import annotations

import os
from collections import deque
from pathlib import PurePath
from typing import TYPE_CHECKING

from tb_plugin.runs import names
from tb_plugin.runs.catalogue import Catalogue, ProfileFile, Run, Span, Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from threading import Event

    from tb_plugin.runs.logdirs import Logdir

MAX_PROBLEMS = 20

_Files = list[tuple[names.ProfileName, ProfileFile]]


class Recogniser:
    """Says by content whether a `*.json` is a profile, and reads each file's head only once."""

    def __init__(self) -> None:
        self._known: dict[ProfileFile, bool] = {}

    def __call__(self, file: ProfileFile) -> bool:
        known = self._known.get(file)
        if known is None:
            # Here, not above: the reader needs NumPy, and most logdirs never need the reader.
            from tb_plugin.formats import reader

            known = self._known[file] = reader.sniff(file.path) is not None
        return known


class Scan:
    """One pass over all logdirs. `catalogue()` is what has been found so far; running `run()` once makes it complete."""

    def __init__(self, logdirs: Sequence[Logdir], is_profile: Callable[[ProfileFile], bool]) -> None:
        self._logdirs = logdirs
        self._is_profile = is_profile
        self._found: dict[str, _Files] = {}  # by run
        self._problems: list[str] = []

    def run(self, stop: Event) -> Iterator[None]:
        """Yields after each directory that holds profiles."""
        for logdir in self._logdirs:
            if logdir.problem is not None:
                self._problems.append(logdir.problem)
                continue
            # Two ways into one directory show it once; in two logdirs it is shown twice, as the user asked.
            for relative, entries in self._walk(logdir):
                if stop.is_set():
                    return
                if self._collect(logdir, relative, entries):
                    yield

    def catalogue(self) -> Catalogue:
        runs = tuple(_run(name, self._found[name]) for name in sorted(self._found, key=names.natural_key))
        return Catalogue(runs=runs, problems=tuple(self._problems[:MAX_PROBLEMS]))

    def _walk(self, logdir: Logdir) -> Iterator[tuple[str, list[os.DirEntry[str]]]]:
        """Directories below `logdir` with their files. Real ones come before links, so a link is never the only name."""
        pending: deque[tuple[str, str]] = deque([(logdir.path, "")])
        linked: deque[tuple[str, str]] = deque()
        seen: set[tuple[int, int]] = set()
        while pending or linked:
            path, relative = pending.popleft() if pending else linked.popleft()
            files: list[os.DirEntry[str]] = []
            try:
                status = os.stat(path)  # noqa: PTH116 - this is the inner loop of a scan
                if (status.st_dev, status.st_ino) in seen:
                    continue
                seen.add((status.st_dev, status.st_ino))
                with os.scandir(path) as listing:
                    entries = sorted((entry for entry in listing if not entry.name.startswith(".")), key=lambda entry: entry.name)
                for entry in entries:
                    if entry.is_dir():
                        below = f"{relative}/{entry.name}" if relative else entry.name
                        (linked if entry.is_symlink() else pending).append((entry.path, below))
                    elif entry.is_file():
                        files.append(entry)
            except OSError as error:
                self._problems.append(f"{logdir.shown}{relative and '/' + relative}: {error.strerror or error}")
                continue
            yield relative, files

    def _collect(self, logdir: Logdir, relative: str, entries: list[os.DirEntry[str]]) -> bool:
        found: _Files = []
        for entry in entries:
            name = names.parse(entry.name)
            if name is None:
                continue
            try:
                status = entry.stat()
            except OSError:
                continue  # deleted under our hands: it is not there
            file = ProfileFile(path=entry.path, size_bytes=status.st_size, mtime_ns=status.st_mtime_ns)
            if name.sure or self._is_profile(file):
                found.append((name, file))
        if found:
            self._found[self._run_name(logdir, relative)] = found
        return bool(found)

    def _run_name(self, logdir: Logdir, relative: str) -> str:
        parts = [part for part in (logdir.prefix, relative) if part]
        if parts:
            return "/".join(parts)
        # Files in the logdir itself. A folder of the same name below it keeps the name.
        own = PurePath(logdir.path).name or "."
        return "." if os.path.isdir(os.path.join(logdir.path, own)) else own  # noqa: PTH112, PTH118


def _run(name: str, files: _Files) -> Run:
    workers: dict[str, dict[str, list[ProfileFile]]] = {}
    for who, file in files:
        workers.setdefault(who.worker, {}).setdefault(who.span, []).append(file)
    ordered = sorted(workers.items(), key=lambda item: names.natural_key(item[0]))
    return Run(name=name, workers=tuple(Worker(name=worker, spans=_spans(spans)) for worker, spans in ordered))


def _spans(spans: dict[str, list[ProfileFile]]) -> tuple[Span, ...]:
    return tuple(
        Span(name=name, files=tuple(sorted(spans[name], key=lambda file: names.opening_key(file.name))))
        for name in sorted(spans, key=names.span_key)
    )
