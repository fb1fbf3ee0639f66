"""Fast local files between the training loop and the writer, that vanish with the last process that holds them.

The C++ exporter wants a name to write to. Once it is done the file is opened and its name removed at once, so that a
killed job leaves nothing behind; readers, the child process too, get it as `/dev/fd/N`. Outside Linux the name stays until
`close`, and what a killed job leaves is swept by the next one.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

_PREFIX: Final = "tb_plugin_scratch_"
_MEMORY_FOLDER: Final = Path("/dev/shm")
_FIRST_ROOM_BYTES: Final = 2 << 30
"""Room that must be free for a first profile: a million events with verbose stacks take 0.8 GB."""
_ABANDONED_AFTER_S: Final = 3600.0
"""No export takes so long: a named file this old belongs to a job that was killed while exporting."""


class Scratch:
    """An open scratch file. `path` is how to open it again, here or in a child that inherits `fd`."""

    def __init__(self, path: Path, mode: str = "rb") -> None:
        self._folder: Path | None = path.parent
        self._file: BinaryIO = path.open(mode)  # type: ignore[assignment]  # the mode is always binary
        self.path = str(path)
        alias = f"/dev/fd/{self.fd}"
        # On Linux opening it gives a file with a place of its own; elsewhere a duplicate, or there is none.
        if sys.platform == "linux" and Path(alias).exists():
            self.path = alias
            self._remove_folder()

    @property
    def fd(self) -> int:
        return self._file.fileno()

    @property
    def n_bytes(self) -> int:
        return os.fstat(self.fd).st_size

    @property
    def file(self) -> BinaryIO:
        """The file itself, at whatever place it was left; `rewind` first where that matters."""
        return self._file

    def rewind(self) -> None:
        self._file.flush()
        self._file.seek(0)

    def close(self) -> None:
        self._file.close()
        self._remove_folder()

    def _remove_folder(self) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None


def fill(write: Callable[[str], object], folder: Path) -> Scratch:
    """A scratch file in `folder` written by `write(path)`. OSError when nothing was written."""
    place = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=folder))
    try:
        path = place / "trace.json"
        write(str(path))
        _check_written(path)
        return Scratch(path)
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise


def _check_written(path: Path) -> None:
    """The C++ writer says only on stderr that it failed, and returns as if it had not."""
    if not path.is_file() or path.stat().st_size == 0:
        raise OSError(f"torch wrote no file into {path.parent.parent}")


def empty(folder: Path) -> Scratch:
    """A new scratch file to write into and to read again."""
    place = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=folder))
    return Scratch(place / "part", "w+b")


def choose_folder(wanted: Path | None, largest_bytes: int) -> Path:
    """Where to put the next file, after one of `largest_bytes`: memory where there is plenty, else the temporary folder."""
    if wanted is not None:
        wanted.mkdir(parents=True, exist_ok=True)
        return wanted
    room = max(_FIRST_ROOM_BYTES, 4 * largest_bytes)
    # Shared memory counts as the job's memory: never take what the job may need itself.
    if _free_bytes(_MEMORY_FOLDER) >= room and _memory_left_bytes() >= 2 * room:
        return _MEMORY_FOLDER
    return Path(tempfile.gettempdir())


def sweep(folder: Path) -> None:
    """Removes what jobs left that were killed in the middle of an export."""
    oldest = time.time() - _ABANDONED_AFTER_S
    for place in folder.glob(_PREFIX + "*"):
        with suppress(OSError):
            newest = max(path.stat().st_mtime for path in (place, *place.iterdir()))
            if newest < oldest and (os.name != "posix" or place.stat().st_uid == os.getuid()):
                shutil.rmtree(place, ignore_errors=True)


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
