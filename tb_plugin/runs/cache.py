"""What profiles became, on disk, outside the logdir: opened again they are there at once.

    $XDG_CACHE_HOME/torch-tb-plugin/
        3f0c...e1.pt.columns             named by a hash of path, size, times, inode and our code: a changed file is a new name
        9d21...5b.beside.columns         worked out of one profile: the timeline's index
        77ab...02.answer.json            told of one profile to a joint question (`answers/members.py`), or what a view opens with
        .3f0c...e1.pt.columns.9a.tmp     being written; left behind only by a crash, and removed a day later

Anything here may be deleted at any time, and nothing may be changed: columns are mapped by those who look at them. The total is
bounded; what was not used for longest goes first.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tb_plugin.base.progress import silent
from tb_plugin.formats.stored.mapped import ENDING
from tb_plugin.runs import file_lock
from tb_plugin.runs.source import READING, fingerprint_of

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from tb_plugin.base.progress import OnProgress
    from tb_plugin.runs.catalogue import ProfileFile

DIRECTORY_VARIABLE = "TB_PLUGIN_CACHE_DIR"
MAX_BYTES = 8 << 30
_ABANDONED_AFTER_S = 24 * 3600
_OLDER_SUFFIX = ".pt.profile.pb"  # of earlier versions, which kept stored profiles
_ANSWER_SUFFIX = ".answer.json"
_BESIDE_SUFFIX = ".beside.columns"
_LOCK_SUFFIX = ".lock"


class ProfileCache:
    """Where converted profiles lie. `directory` None means the user's cache directory."""

    def __init__(self, directory: Path | None = None, *, max_bytes: int = MAX_BYTES) -> None:
        self._given = directory
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self.problem: str | None = None  # in a sentence, once it was used: why it lies elsewhere
        self._directory: Path | None = None

    def path_of(self, file: ProfileFile) -> Path:
        """Where the converted form of this file, as it is now, lies or will lie."""
        path = os.path.abspath(file.path)  # noqa: PTH100 - links stay links
        described = f"{fingerprint_of(*READING)}|{path}|{file.size_bytes}|{file.mtime_ns}|{file.changed_ns}|{file.inode}"
        return self._place(described, ENDING)

    def answer_path(self, described: str) -> Path:
        """Where an answer lies or will lie; `described` says all that it depends on."""
        return self._place(described, _ANSWER_SUFFIX)

    def beside(self, entry: Path, name: str) -> Path:
        """Where columns of this name lie or will lie, that our code as it is now works out of an entry."""
        return self._place(f"{fingerprint_of()}|{entry.name}|{name}", _BESIDE_SUFFIX)

    def turn(self, entry: Path, on_progress: OnProgress = silent) -> AbstractContextManager[None]:
        """Who makes this entry: one at a time, of all servers that share the cache."""
        return file_lock.held(entry.with_name(f".{entry.name}{_LOCK_SUFFIX}"), on_progress)

    def touch(self, path: Path) -> None:
        """Marks an entry as just used."""
        with suppress(OSError):
            os.utime(path)

    def use_fallback(self) -> bool:
        """Moves to the temporary directory, after the first choice had no space; False when we are there already."""
        with self._lock:
            fallback = _temporary_directory()
            if self._directory == fallback:
                return False
            self._directory = fallback
            return True

    def _place(self, described: str, suffix: str) -> Path:
        return self._home() / f"{hashlib.sha256(described.encode(errors='surrogateescape')).hexdigest()[:40]}{suffix}"

    def _home(self) -> Path:
        with self._lock:
            if self._directory is None:
                wanted = self._given or _user_directory()
                why_not = _why_not(wanted)
                self._directory = wanted if why_not is None else _temporary_directory()
                if why_not is not None:
                    self.problem = f"{wanted}: {why_not}; what is converted is kept in {self._directory} instead"
            return self._directory

    def prune(self, keep: Path) -> None:
        """Removes abandoned scratch files, and the entries unused for longest while all are larger than allowed."""
        entries: list[tuple[float, int, Path]] = []
        with suppress(OSError), os.scandir(keep.parent) as listing:
            for entry in listing:
                with suppress(OSError):
                    status = entry.stat()
                    if entry.name.endswith((".tmp", _LOCK_SUFFIX)) and time.time() - status.st_mtime > _ABANDONED_AFTER_S:
                        Path(entry.path).unlink()
                    elif entry.name.endswith((ENDING, _ANSWER_SUFFIX, _BESIDE_SUFFIX, _OLDER_SUFFIX)):
                        entries.append((status.st_mtime, status.st_size, Path(entry.path)))
        total = sum(size for _, size, _ in entries)
        for _, size, path in sorted(entries):
            if total <= self._max_bytes:
                break
            if path != keep:
                with suppress(OSError):  # somebody else removed it, or reads it on Windows
                    path.unlink()
                total -= size


def _user_directory() -> Path:
    named = os.environ.get(DIRECTORY_VARIABLE)
    if named:
        return Path(named).expanduser()
    base = os.environ.get("XDG_CACHE_HOME")
    with suppress(RuntimeError):  # no home directory, as in some containers
        return (Path(base) if base else Path.home() / ".cache") / "torch-tb-plugin"
    return _temporary_directory()


def _why_not(directory: Path) -> str | None:
    """Why nothing is kept here: who can write to it can plant profiles, and has them shown as those of others."""
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = directory.stat()
    except OSError as error:
        return error.strerror or str(error)
    if hasattr(os, "getuid") and status.st_uid != os.getuid():
        return "this directory belongs to somebody else"
    if os.name != "nt" and status.st_mode & stat.S_IWOTH:
        return "everybody can write to this directory"
    return None if os.access(directory, os.W_OK | os.X_OK) else "this directory cannot be written to"


def _temporary_directory() -> Path:
    """One per user below the system's temporary directory, unless somebody else made it first: they could plant profiles."""
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    directory = Path(tempfile.gettempdir()) / f"torch-tb-plugin-{user}"
    with suppress(OSError):
        directory.mkdir(mode=0o700, exist_ok=True)
        if not directory.is_symlink() and _why_not(directory) is None:
            return directory
    return Path(tempfile.mkdtemp(prefix="torch-tb-plugin-"))
