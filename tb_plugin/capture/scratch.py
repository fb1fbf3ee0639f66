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
    from collections.abc import Callable, Iterator

_FIRST_ROOM_BYTES: Final = 2 << 30
"""Room that must be free for a first profile: a million events with verbose stacks take 0.8 GB."""


def fill(write: Callable[[str], object], parent: Path) -> Unfinished:
    """A new folder in `parent` with what `write(path)` wrote. OSError when nothing was written."""
    made = Unfinished.made(parent)
    try:
        path = made.folder / unfinished.TRACE
        write(str(path))
        _check_written(path, parent)
    except BaseException:
        made.remove()
        raise
    return made


def _check_written(path: Path, parent: Path) -> None:
    """The C++ writer says only on stderr that it failed, and returns as if it had not."""
    if not path.is_file() or path.stat().st_size == 0:
        raise OSError(f"torch wrote no file into {parent}")


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


def choose_folder(wanted: Path | None, largest_bytes: int) -> Path:
    """Where to put the next file, after one of `largest_bytes`: memory where there is plenty, else the temporary folder."""
    if wanted is not None:
        wanted.mkdir(parents=True, exist_ok=True)
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
