"""Profiles that were recorded and are no files yet: each lies in a folder on a fast local disk that outlives its job.

    tb_plugin_scratch_x7/                in shared memory or a temporary folder, for its owner alone
        lock                             held by whoever works on it, and free as soon as they are dead
        trace.json                       torch's JSON
        order.json                       what is to become of it; not there before trace.json is whole
    LOGDIR/run/.w.17900.unfinished       says from within the log directory where that folder is
    LOGDIR/run/.tb_plugin_scratch_x7/    such a folder, where it fits nowhere else

Whoever holds the lock may finish or remove the folder, nobody else. What is in it: `capture/order.py`.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

PREFIX: Final = "tb_plugin_scratch_"
MEMORY_FOLDER: Final = Path("/dev/shm")
TRACE: Final = "trace.json"
ORDER: Final = "order.json"
NOTE_ENDING: Final = ".unfinished"
_LOCK: Final = "lock"
KEPT_DAYS: Final = 7
"""What could not be finished for so long never will be: whoever sweeps next removes it."""
_GIVEN_UP_AFTER_S: Final = KEPT_DAYS * 24 * 3600.0
_BEING_MADE_S: Final = 60.0
"""A folder is locked microseconds after it is made; this is for a machine that stood still in between."""
_BEING_MADE_ELSEWHERE_S: Final = 3600.0
"""Of a folder in a log directory that another host writes to, perhaps without locks and by another clock."""
_LOOKED_AT_S: Final = 5.0
"""Who looks whether a folder is free holds its lock for microseconds; this is for one that was stopped while looking."""


class Unfinished:
    """A folder and the lock on it: ours until we let go, or until we and the processes that inherited `fd` are dead."""

    def __init__(self, folder: Path, fd: int) -> None:
        self.folder = folder
        self.fd = fd

    @classmethod
    def made(cls, parent: Path, *, is_hidden: bool = False) -> Unfinished:
        """A new one, in our hands; hidden where files are looked for by whoever shows them."""
        folder = Path(tempfile.mkdtemp(prefix="." * is_hidden + PREFIX, dir=parent))
        (folder / _LOCK).touch(mode=0o600)
        (folder / _LOCK).write_text(socket.gethostname(), encoding="utf-8")
        # Another job's sweep may be looking whether it is free: every rank of a host makes one at the end of its first cycle.
        taken = cls.taken(folder, patience_s=_LOOKED_AT_S)
        if taken is None:
            raise OSError(f"{folder} could not be locked")
        return taken

    @classmethod
    def taken(cls, folder: Path, *, patience_s: float = 0.0) -> Unfinished | None:
        """One that is there; None when somebody else works on it for longer than that, or it is gone."""
        try:
            fd = os.open(folder / _LOCK, os.O_RDWR)
        except OSError:
            return None
        until = time.monotonic() + patience_s
        while not (locked := _lock(fd)) and time.monotonic() < until:
            time.sleep(0.05)
        # Between opening and locking, whoever held it may have finished and removed it.
        if locked and _is_at(fd, folder / _LOCK):
            return cls(folder, fd)
        os.close(fd)
        return None

    def let_go(self) -> None:
        """Others may take it, once those who inherited `fd` are done with it too."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.let_go()
        shutil.rmtree(self.folder, ignore_errors=True)  # Windows keeps a file that is open


def json_target(folder: Path) -> Path | None:
    """The file that is to be made of it; None while it is being recorded, or when that was broken off."""
    try:
        return Path(json.loads((folder / ORDER).read_bytes())["json_target"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def has_no_place(target: Path) -> bool:
    """Whether it can never be written as things stand: a file is where one of its folders should be."""
    return any(parent.is_file() for parent in target.parents)


def is_below(target: Path, tops: Sequence[Path]) -> bool:
    """Whether a file belongs into one of these log directories, by its path alone: its disk may be one that hangs."""
    return any(target.is_relative_to(spelling) for top in tops for spelling in (Path(os.path.abspath(top)), top.resolve()))  # noqa: PTH100


def is_ours(folder: Path) -> bool:
    """Whether this is such a folder and nobody else can have put anything into it."""
    try:
        status = folder.lstat()
    except OSError:
        return False
    return folder.name.removeprefix(".").startswith(PREFIX) and (sys.platform == "win32" or status.st_uid == os.getuid())


def found_in(parents: Iterable[Path]) -> list[Path]:
    """Our own folders directly below these, in no order."""
    found = []
    for parent in dict.fromkeys(parents):
        with suppress(OSError):
            found += [folder for start in ("", ".") for folder in parent.glob(start + PREFIX + "*") if is_ours(folder)]
    return found


def usual_parents() -> tuple[Path, Path]:
    return MEMORY_FOLDER, Path(tempfile.gettempdir())


def is_hopeless(folder: Path) -> bool:
    """Whether nothing can be made of it: a recording that was broken off, or what failed for a week."""
    try:
        age_s = time.time() - max(path.stat().st_mtime for path in (folder, *folder.iterdir()))
        made_here = (folder / _LOCK).read_text(encoding="utf-8", errors="replace") in ("", socket.gethostname())
    except FileNotFoundError:  # its maker may have died before it had a lock
        made_here = True
    except OSError:
        return False
    broken_off = json_target(folder) is None and age_s > (_BEING_MADE_S if made_here else _BEING_MADE_ELSEWHERE_S)
    return broken_off or age_s > _GIVEN_UP_AFTER_S


def remove_hopeless(folder: Path) -> None:
    if is_hopeless(folder):
        with suppress(OSError):
            (folder / _LOCK).touch(mode=0o600)  # its maker may have died before
        taken = Unfinished.taken(folder)
        if taken is not None:
            taken.remove()


@dataclass(frozen=True, kw_only=True)
class Note:
    """What the log directory says of a profile that is not finished."""

    host: str
    folder: str

    @staticmethod
    def beside(json_target: Path) -> Path:
        """A hidden name, which no scan takes for a profile."""
        return json_target.with_name(f".{json_target.name.rpartition('.pt.')[0]}{NOTE_ENDING}")

    @classmethod
    def of(cls, folder: Path) -> Note:
        return cls(host=socket.gethostname(), folder=str(folder))

    @classmethod
    def read(cls, path: Path) -> Note | None:
        try:
            values = json.loads(path.read_bytes())
            return cls(host=str(values["host"]), folder=str(values["folder"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    @property
    def is_here(self) -> bool:
        return self.host == socket.gethostname()

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")


def is_free(folder: Path) -> bool:
    """Whether nobody works on it."""
    taken = Unfinished.taken(folder)
    if taken is not None:
        taken.let_go()
    return taken is not None


def profile_name(note: Path) -> str:
    """`w.17900` of `.w.17900.unfinished`."""
    return note.name.removeprefix(".").removesuffix(NOTE_ENDING)


def is_note(file_name: str) -> bool:
    return file_name.startswith(".") and file_name.endswith(NOTE_ENDING)


def is_hidden_folder(name: str) -> bool:
    return name.startswith("." + PREFIX)


def is_left(name: str) -> bool:
    """Whether it is the name of a note or of a hidden folder."""
    return is_note(name) or is_hidden_folder(name)


def left_below(top: Path) -> Iterator[Path]:
    """Notes in a log directory, and our own folders hidden there."""
    for folder, names_of_folders, names in os.walk(top):
        hidden = list(filter(is_hidden_folder, names_of_folders))
        names_of_folders[:] = [name for name in names_of_folders if name not in hidden]
        yield from (Path(folder, name) for name in sorted(names) if is_note(name))
        yield from (path for name in sorted(hidden) if is_ours(path := Path(folder, name)))


def _is_at(fd: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), path.stat())
    except OSError:
        return False


if sys.platform == "win32":

    def _lock(fd: int) -> bool:
        import msvcrt

        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:

    def _lock(fd: int) -> bool:
        import fcntl

        try:
            # Not fcntl's own locks: those do not pass to a child.
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            pass  # a file system without locks, which somebody has chosen: a profile made twice is better than none
        return True
