"""Converted profiles on disk, outside the logdir: the second opening of a JSON profile takes a tenth of the time.

    $XDG_CACHE_HOME/torch-tb-plugin/
        3f0c...e1.pt.profile.pb          named by a hash of path, size, time and the reader's code: a changed file is a new name
        .3f0c...e1.pt.profile.pb.9a.tmp  being written; left behind only by a crash, and removed a day later

Anything here may be deleted at any time. The total is bounded; what was not used for longest goes first.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tb_plugin.runs.source import READING, fingerprint_of

if TYPE_CHECKING:
    from tb_plugin.runs.catalogue import ProfileFile

DIRECTORY_VARIABLE = "TB_PLUGIN_CACHE_DIR"
MAX_BYTES = 8 << 30
_ABANDONED_AFTER_S = 24 * 3600
_SUFFIX = ".pt.profile.pb"


class ProfileCache:
    """Where converted profiles lie. `directory` None means the user's cache directory."""

    def __init__(self, directory: Path | None = None, *, max_bytes: int = MAX_BYTES) -> None:
        self._given = directory
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._directory: Path | None = None

    def path_of(self, file: ProfileFile) -> Path:
        """Where the converted form of this file, as it is now, lies or will lie."""
        path = os.path.abspath(file.path)  # noqa: PTH100 - links stay links
        described = f"{fingerprint_of(*READING)}|{path}|{file.size_bytes}|{file.mtime_ns}"
        return self._home() / f"{hashlib.sha256(described.encode(errors='surrogateescape')).hexdigest()[:40]}{_SUFFIX}"

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

    def _home(self) -> Path:
        with self._lock:
            if self._directory is None:
                self._directory = _writable(self._given or _user_directory())
            return self._directory

    def prune(self, keep: Path) -> None:
        """Removes abandoned scratch files, and the entries unused for longest while all are larger than allowed."""
        entries: list[tuple[float, int, Path]] = []
        with suppress(OSError), os.scandir(keep.parent) as listing:
            for entry in listing:
                with suppress(OSError):
                    status = entry.stat()
                    if entry.name.endswith(".tmp") and time.time() - status.st_mtime > _ABANDONED_AFTER_S:
                        Path(entry.path).unlink()
                    elif entry.name.endswith(_SUFFIX):
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


def _writable(directory: Path) -> Path:
    with suppress(OSError):
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.access(directory, os.W_OK | os.X_OK):
            return directory
    return _temporary_directory()


def _temporary_directory() -> Path:
    """One per user below the system's temporary directory, unless somebody else made it first: they could plant profiles."""
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    directory = Path(tempfile.gettempdir()) / f"torch-tb-plugin-{user}"
    with suppress(OSError):
        directory.mkdir(mode=0o700, exist_ok=True)
        status = directory.lstat()
        if not directory.is_symlink() and (not hasattr(os, "getuid") or status.st_uid == os.getuid()):
            return directory
    return Path(tempfile.mkdtemp(prefix="torch-tb-plugin-"))
