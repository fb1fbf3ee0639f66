"""Where torch exports to: a fast local folder that outlives the job, so that whoever comes next can finish the profile."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tb_plugin.base import unfinished
from tb_plugin.base.unfinished import Unfinished

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tb_plugin.capture.facts import Profiler

_FIRST_ROOM_BYTES: Final = 2 << 30
"""Room that must be free for a first profile: a million events with verbose stacks take 0.8 GB."""

_END_BYTES: Final = 64


class Export:
    """One cycle's export, as often as it takes. torch's C++ writer works once, also where it failed; its Python writer again."""

    def __init__(self, prof: Profiler, *, by_python: bool) -> None:
        self._prof = prof
        self._is_first = True
        self.by_python = by_python
        """What was written last is from torch's Python writer."""

    def __call__(self, path: str) -> None:
        self.by_python = self.by_python or not self._is_first
        is_first, self._is_first = self._is_first, False
        try:
            self._prof.export_chrome_trace(path, **({"use_python_export": True} if self.by_python else {}))
        except TypeError as error:
            if is_first:
                raise
            raise OSError("this torch exports a profile only once") from error


def fill(write: Callable[[str], object], parents: Iterable[Path], log_directory: Path) -> Unfinished:
    """A new folder with what `write(path)` wrote, in the first of `parents` that takes it, or hidden in the log directory.

    OSError, with the reason of each, when none did.
    """
    reasons = []
    for parent in dict.fromkeys((*parents, log_directory)):
        try:
            return _filled(write, parent, is_hidden=parent == log_directory)
        except OSError as error:
            reasons.append(f"{parent}: {error.strerror or error}")
    raise OSError(f"its export fits nowhere ({'; '.join(reasons)})")


def _filled(write: Callable[[str], object], parent: Path, *, is_hidden: bool) -> Unfinished:
    parent.mkdir(parents=True, exist_ok=True)
    made = Unfinished.made(parent, is_hidden=is_hidden)
    try:
        path = made.folder / unfinished.TRACE
        write(str(path))
        _check_written(path)
    except BaseException:
        _empty(made.folder)
        made.remove()
        raise
    return made


def _empty(folder: Path) -> None:
    """A file that torch could not finish stays open until its next export: removed alone, it would still fill the disk."""
    with suppress(OSError):
        for path in folder.iterdir():
            os.truncate(path, 0)


def _check_written(path: Path) -> None:
    """The C++ writer says only on stderr that it failed, and returns as if it had not."""
    if not path.is_file() or path.stat().st_size == 0:
        raise OSError("torch wrote no file")
    with path.open("rb") as file:
        file.seek(-min(_END_BYTES, path.stat().st_size), os.SEEK_END)
        if not file.read().rstrip().endswith(b"}"):
            raise OSError("torch's file is cut off")


@contextmanager
def standard_descriptors_taken() -> Iterator[None]:
    """A job may have closed stdin, stdout or stderr: a file that got such a number would be written into by whoever prints."""
    taken = []
    try:
        while (fd := os.open(os.devnull, os.O_RDWR)) <= 2:
            taken.append(fd)
        os.close(fd)
        yield
    finally:
        for fd in taken:
            os.close(fd)


def choose_folders(wanted: Path | None, largest_bytes: int) -> tuple[Path, ...]:
    """Where to put the next file, after one of `largest_bytes`, and where else if it does not fit there."""
    return _best_folder(wanted, largest_bytes), Path(tempfile.gettempdir())


def _best_folder(wanted: Path | None, largest_bytes: int) -> Path:
    """What the user wants; else memory where there is plenty, else the temporary folder."""
    if wanted is not None:
        return wanted
    room = max(_FIRST_ROOM_BYTES, 4 * largest_bytes)
    # Shared memory counts as the job's memory: never take what the job may need itself.
    if _free_bytes(unfinished.MEMORY_FOLDER) >= room and _memory_left_bytes() >= 2 * room:
        return unfinished.MEMORY_FOLDER
    return Path(tempfile.gettempdir())


def _free_bytes(folder: Path) -> int:
    if not os.access(folder, os.W_OK | os.X_OK):
        return 0
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return 0


def _memory_left_bytes() -> int:
    """What this job can still take: the machine's available memory, or its control group's where that is less."""
    left = 0
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                left = int(line.split()[1]) * 1024
    group = Path("/sys/fs/cgroup")
    with suppress(OSError, ValueError):  # "max" is no limit
        limit = int((group / "memory.max").read_text(encoding="ascii"))
        left = min(left, limit - int((group / "memory.current").read_text(encoding="ascii")))
    return left
