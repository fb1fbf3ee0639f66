"""Walks logdirs and finds profiles. Standard library only, so that TensorBoard may ask while it starts."""

from __future__ import annotations

import os
import stat
import time
from collections import deque
from pathlib import Path, PurePath
from threading import Event
from typing import TYPE_CHECKING, NamedTuple

from tb_plugin.base import unfinished
from tb_plugin.base.readable import readable, readable_name
from tb_plugin.runs import frameworks, names
from tb_plugin.runs.catalogue import Catalogue, ProfileFile, Run, Span, Worker
from tb_plugin.runs.gather import FoundFile, gather, run_key
from tb_plugin.runs.heads import Heads
from tb_plugin.runs.listings import Listings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tb_plugin.runs.listings import Listed
    from tb_plugin.runs.logdirs import Logdir

MAX_PROBLEMS = 20
_MEGATRON = "torch_profile"
_BEING_FINISHED_S = 60.0
"""A profile that waits for its files no longer than this is nobody's problem."""


def search(logdirs: Sequence[Logdir]) -> Catalogue:
    """All that is in these logdirs, with the ranks that the files' first bytes tell. Takes as long as it takes."""
    heads = Heads()
    scan = Scan(logdirs, heads, listings())
    for _ in scan.run(Event()):
        pass
    for file in scan.unread():
        heads.read(file)
    return scan.catalogue()


def listings() -> Listings:
    """Of files whose names can be those of profiles, or tell about one."""
    return Listings(
        lambda name: (
            names.parse(name) is not None or names.is_archive(name) or names.may_be_dump(name) or unfinished.is_left(name)
        )
    )


class _Dumps(NamedTuple):
    """Dumps of flight recorders in one folder, and the run that the folder is."""

    run: str
    files: list[ProfileFile]

    @property
    def worker(self) -> Worker:
        files = tuple(sorted(self.files, key=lambda file: names.natural_key(file.name)))
        return Worker(name="dumps", spans=(Span(name=names.UNNAMED_SPAN, files=files, label="flight recorder", is_dumps=True),))


class _Gathered(NamedTuple):
    """A catalogue, and all that it was made of."""

    found: list[FoundFile]
    dumps: dict[str, _Dumps]
    problems: list[str]
    notes: list[str]
    n_heads: int
    catalogue: Catalogue


class Scan:
    """One pass over all logdirs. `catalogue()` is what has been found so far; running `run()` once makes it complete."""

    def __init__(self, logdirs: Sequence[Logdir], heads: Heads, known: Listings, before: Scan | None = None) -> None:
        """Files that have not changed since `before` are described as then, where one logdir says what they are called."""
        self._logdirs = logdirs
        is_same = before is not None and len(logdirs) == 1 and tuple(before._logdirs) == tuple(logdirs)
        self._before = {found.file.path: found for found in before._found} if before is not None and is_same else {}
        self._gathered: _Gathered | None = before._gathered if before is not None else None
        self._unread_before = {file.path for file in before.unread()} if before is not None else set[str]()
        self._may_be_unread: list[ProfileFile] = []  # all that are, and few others
        self._heads = heads
        self._listings = known
        self._walked: list[str] = []
        self._found: list[FoundFile] = []
        self._dumps: dict[str, _Dumps] = {}  # by folder
        self._npu_rank: dict[str, int] = {}  # by folder of torch_npu
        self._run_names: dict[tuple[Logdir, str], str] = {}
        self._problems: list[str] = []
        self._notes: list[str] = []

    def run(self, stop: Event) -> Iterator[None]:
        """Yields after each directory that holds profiles."""
        for logdir in self._logdirs:
            if logdir.problem is not None:
                self._problems.append(logdir.problem)
                continue
            n_before = len(self._found) + len(self._dumps)
            # Two ways into one directory show it once; in two logdirs it is shown twice, as the user asked.
            for relative, entries in self._walk(logdir):
                if stop.is_set():
                    return
                if self._collect(logdir, relative, entries):
                    yield
            if len(self._found) + len(self._dumps) == n_before:
                self._look_beside(logdir)
        self._listings.keep(self._walked)
        self._before = {}

    def catalogue(self) -> Catalogue:
        """With the ranks that are known by now. The same object while nothing has changed: who keeps answers goes by that."""
        of = _Gathered(
            [*self._found], {**self._dumps}, self._problems[:MAX_PROBLEMS], [*self._notes], self._heads.n_known, Catalogue()
        )
        if self._gathered is None or self._gathered[:-1] != of[:-1]:
            runs = self._with_dumps(gather(of.found, self._heads.known))
            catalogue = Catalogue(runs=runs, problems=tuple(of.problems), unfinished=tuple(of.notes))
            self._gathered = of._replace(catalogue=catalogue)
        return self._gathered.catalogue

    def unread(self) -> list[ProfileFile]:
        """Files whose first bytes nobody has looked at, because their name was enough to find them."""
        return [file for file in self._may_be_unread if self._heads.known(file) is None]

    def _walk(self, logdir: Logdir) -> Iterator[tuple[str, tuple[Listed, ...]]]:
        """Directories below `logdir` with their files. Real ones come before links, so a link is never the only name."""
        pending: deque[tuple[str, str]] = deque([(logdir.path, "")])
        linked: deque[tuple[str, str]] = deque()
        seen: set[tuple[int, int]] = set()
        while pending or linked:
            path, relative = pending.popleft() if pending else linked.popleft()
            try:
                status = os.stat(path)  # noqa: PTH116 - this is the inner loop of a scan
                if (status.st_dev, status.st_ino) in seen:
                    continue
                seen.add((status.st_dev, status.st_ino))
                found = self._listings.of(path, status)
                for file in found.hidden:
                    if unfinished.is_note(file.name):
                        self._note(logdir, relative, file)
                    elif unfinished.is_hidden_folder(file.name):
                        self._notes.append(file.path)
            except OSError as error:
                self._problems.append(f"{logdir.shown}{relative and '/' + relative}: {error.strerror or error}")
                continue
            self._walked.append(path)
            for folder in found.folders:
                name = readable_name(folder.name)
                below = f"{relative}/{name}" if relative else name
                (linked if folder.is_link else pending).append((folder.path, below))
            yield relative, (*found.files, *self._files_among(found.odd, logdir, relative))

    def _files_among(self, odd: Sequence[Listed], logdir: Logdir, relative: str) -> list[Listed]:
        """What a link leads to may have come since its folder was listed. What is none is said where its name is a profile's."""
        files: list[Listed] = []
        for entry in odd:
            own = readable_name(entry.name)
            name = names.parse(own)
            if name is None or not name.sure:
                continue
            try:
                mode = os.stat(entry.path).st_mode  # noqa: PTH116 - as above
            except OSError as error:
                mode, why = None, "a link to what is not there" if entry.is_link else error.strerror or str(error)
            if mode is not None and stat.S_ISREG(mode):
                files.append(entry)
                continue
            if mode is not None:
                why = "a folder by a profile's name" if stat.S_ISDIR(mode) else "no file, but a pipe or a device"
            self._problems.append(f"{logdir.shown}{relative and '/' + relative}/{own}: {why}")
        return files

    def _collect(self, logdir: Logdir, relative: str, entries: Sequence[Listed]) -> bool:
        n_before = len(self._found)
        dumps: list[ProfileFile] = []
        folder = self._run_name(logdir, relative) if entries else ""
        for entry in entries:
            if self._is_as_before(logdir, relative, folder, entry):
                continue
            own = readable_name(entry.name)
            name = names.parse(own)
            may_be_dump = names.may_be_dump(entry.name)
            if name is None and not may_be_dump and not names.is_archive(entry.name):
                continue
            try:
                status = os.stat(entry.path)  # noqa: PTH116 - as above
            except FileNotFoundError:
                continue  # deleted under our hands: it is not there
            except OSError as error:
                self._problems.append(f"{logdir.shown}{relative and '/' + relative}/{own}: {error.strerror or error}")
                continue
            before = self._before.get(entry.path)
            file = ProfileFile.of(entry.path, status)
            if before is not None and before.file == file:
                file = before.file
            if name is None:
                if may_be_dump:
                    dumps.append(file)
                else:
                    self._look_into(file, logdir, relative)
            elif name.is_summary:
                self._found.append(self._described(logdir, relative, name, file, before))
            elif name.sure or self._heads.recognise(file) is not None:
                found = self._described(logdir, relative, name, file, before)
                if name.sure and found.said.time_ns is None:  # which run is the newest must not change when ranks are read
                    self._heads.read(file, far=True)
                self._found.append(found)
                self._may_be_unread.append(file)
            elif (npu := frameworks.NPU_RANK.match(entry.name)) is not None:
                self._npu_rank[f"{logdir.path}/{relative}"] = int(npu[1])
            elif may_be_dump:
                dumps.append(file)
        dumps = [file for file in dumps if self._heads.is_dump(file)]
        if dumps:
            self._dumps[os.path.dirname(dumps[0].path)] = _Dumps(self._run_name(logdir, relative), dumps)  # noqa: PTH120
        return len(self._found) > n_before or bool(dumps)

    def _is_as_before(self, logdir: Logdir, relative: str, folder: str, entry: Listed) -> bool:
        """Whether it is a profile or a summary that has not changed; then it is found. `folder`: the run that that would be."""
        before = self._before.get(entry.path)
        if before is None or self._npu_rank:
            return False
        try:
            is_still = before.file.is_still(os.stat(entry.path))  # noqa: PTH116 - as above
        except OSError:
            return False
        said = before.said
        run = folder if said.run == relative else self._run_name(logdir, said.run)
        if not is_still or before.run != run or before.folder != folder or before.named_rank != said.rank:
            return False
        self._found.append(before)
        if entry.path in self._unread_before:
            self._may_be_unread.append(before.file)
        return True

    def _with_dumps(self, runs: tuple[Run, ...]) -> tuple[Run, ...]:
        """Dumps beside profiles, or one folder below, are asked for with their run; others are a run of their own."""
        with_profiles = {os.path.dirname(found.file.path) for found in self._found}  # noqa: PTH120
        made = {run.name: run for run in runs}
        for folder, dumps in self._dumps.items():
            if folder not in with_profiles and os.path.dirname(folder) not in with_profiles:  # noqa: PTH120
                before = made[dumps.run].workers if dumps.run in made else ()
                made[dumps.run] = Run(name=dumps.run, workers=(*before, dumps.worker))
        return tuple(made.values()) if len(made) == len(runs) else tuple(sorted(made.values(), key=run_key))

    def _described(
        self, logdir: Logdir, relative: str, name: names.FileName, file: ProfileFile, before: FoundFile | None
    ) -> FoundFile:
        said = frameworks.read(relative, name) if before is None else before.said
        own = self._run_name(logdir, relative)
        run = own if said.run == relative else self._run_name(logdir, said.run)
        rank = self._npu_rank.get(f"{logdir.path}/{relative.rpartition('/')[0]}")
        found = FoundFile(file, name, said, run, said.rank if rank is None else rank, own)
        return before if found == before else found

    def _look_into(self, file: ProfileFile, logdir: Logdir, relative: str) -> None:
        packed = self._heads.profile_in(file)
        if packed is not None:
            where = "/".join(filter(None, (logdir.shown, relative, file.name)))
            self._problems.append(f"{where}: a packed folder with {packed} in it; unpack it to see it here")

    def _note(self, logdir: Logdir, relative: str, entry: Listed) -> None:
        """A profile that is being finished, or whose job was killed with everything that could have finished it."""
        self._notes.append(entry.path)
        path = Path(entry.path)
        note = unfinished.Note.read(path)
        try:
            age_s = time.time() - path.stat().st_mtime
        except OSError:
            return  # finished under our hands
        if note is not None and age_s > _BEING_FINISHED_S:
            where = "/".join(filter(None, (logdir.shown, relative, readable(unfinished.profile_name(path)))))
            self._problems.append(
                f"{where}: its job ended before it was written; on {note.host}, `tb-plugin recover` finishes it"
            )

    def _look_beside(self, logdir: Logdir) -> None:
        """Megatron writes its profiles beside the folder that it names to TensorBoard."""
        beside = Path(logdir.path).parent / _MEGATRON
        if beside.is_dir():
            where = readable(str(beside))
            self._problems.append(f"{logdir.shown}: nothing in it, but {where} is there, where Megatron writes profiles")

    def _run_name(self, logdir: Logdir, relative: str) -> str:
        known = self._run_names.get((logdir, relative))
        if known is None:
            known = self._run_names[logdir, relative] = _run_name(logdir, relative)
        return known


def _run_name(logdir: Logdir, relative: str) -> str:
    parts = [part for part in (logdir.prefix, relative) if part]
    if parts:
        return "/".join(parts)
    # Files in the logdir itself. A folder of the same name below it keeps the name.
    own = PurePath(logdir.path).name or "."
    return "." if os.path.isdir(os.path.join(logdir.path, own)) else readable_name(own)  # noqa: PTH112, PTH118
