"""Files that somebody dropped on the page: in a folder of this server's own, gone when it ends. Nothing is made before the first.

A file is looked at (64 kB) before it is shown, and read like any other: by a child under limits (docs/design/009). Of files
that come together those of ranks of one job, as their first bytes tell, are one run.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tb_plugin.base.errors import FormatError, TbPluginError, UsageError
from tb_plugin.base.units import format_bytes
from tb_plugin.formats import reader
from tb_plugin.formats.glance import glance
from tb_plugin.runs import names
from tb_plugin.runs.logdirs import Logdir

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tb_plugin.formats.glance import Glance

NOT_TAKEN_VARIABLE: Final = "TB_PLUGIN_NO_DROP"
"""In the environment, set and not 0: TensorBoard has no options of ours."""

PREFIX: Final = "dropped"
"""Stands before the runs' names."""

MAX_BYTES: Final = 2 << 30  # of one file
MAX_BYTES_IN_ALL: Final = 4 << 30
MAX_FILES: Final = 64
_LEFT_FREE_BYTES: Final = 1 << 30  # others write to this disk too
_CHUNK_BYTES: Final = 1 << 20
_FEWEST_RANKS: Final = 2
_LONGEST_NAME: Final = 120
_STRANGE: Final = re.compile(r"[^\w.@+=-]+")
_PERFETTO: Final = re.compile(r"(.+)\.pftrace(\.gz)?\Z", re.IGNORECASE)


def are_taken() -> bool:
    """Whether the environment lets the page send files."""
    return os.environ.get(NOT_TAKEN_VARIABLE, "0") in ("", "0")


class Dropped:
    """Safe to use from any thread; one file arrives at a time."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._arriving = threading.Lock()
        self._folder: tempfile.TemporaryDirectory[str] | None = None  # removes itself when the interpreter ends

    def take(self, name: str, n_bytes: int, read: Callable[[int], bytes], beside: str | None = None) -> tuple[Logdir, Path]:
        """Keeps a file of `n_bytes`, of which `read` gives the next; (the log directory that it is in, its path).

        `beside`: the run of a file that came with it, or "" for the first of several.

        UsageError where there is no room or the name is none of a profile's, FormatError where the content is none.
        """
        name = _safe(name)
        kept_as = _found_as(name)
        if names.parse(kept_as) is None:
            raise UsageError(f"{name}: profiles are called {', '.join((*names.SEARCHED, *names.OPENED, '*.pftrace'))}")
        if n_bytes > self._max_bytes:
            raise UsageError(f"{name} has {format_bytes(n_bytes)}; what is dropped may have {format_bytes(self._max_bytes)}")
        if not self._arriving.acquire(blocking=False):
            raise UsageError("another file is arriving; try again when it is there")
        try:
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(prefix="tb-plugin-dropped-", ignore_cleanup_errors=True)
            top = Path(self._folder.name)
            self._check_room(top, name, n_bytes)
            with _kept(top, kept_as) as path:
                _receive(path, n_bytes, read)
                reason = reader.why_not(path)
                if reason is not None:
                    raise FormatError(name, reason)
            if beside is not None:
                path = _with_its_job(top, path, beside.removeprefix(f"{PREFIX}/"))
            return Logdir(shown="files dropped on the page", path=str(top), prefix=PREFIX), path
        except OSError as error:
            raise TbPluginError(f"{name} cannot be kept: {error.strerror or error}") from error
        finally:
            self._arriving.release()

    def close(self) -> None:
        """Removes all of it."""
        with self._arriving:
            if self._folder is not None:
                self._folder.cleanup()
                self._folder = None

    def _check_room(self, top: Path, name: str, n_bytes: int) -> None:
        there = [path.stat().st_size for path in top.glob("*/*")]
        if len(there) >= MAX_FILES or sum(there) + n_bytes > MAX_BYTES_IN_ALL:
            raise UsageError(
                f"no room for {name}: {len(there)} files of {format_bytes(sum(there))} were dropped since the server began; "
                f"it takes {MAX_FILES} and {format_bytes(MAX_BYTES_IN_ALL)}; put more into the log directory"
            )
        if shutil.disk_usage(top).free - n_bytes < _LEFT_FREE_BYTES:
            raise UsageError(f"no room for {name}: the server's disk for temporary files is nearly full")


def _with_its_job(top: Path, path: Path, beside: str) -> Path:
    """Where it is then: in the folder called `beside`, if that has other ranks of as large a job, else where it was; of a rank
    that is the first in a folder called by the job.
    """
    own = glance(path, far=True)
    if own.rank is None or (own.world_size or 0) < _FEWEST_RANKS:
        return path
    folder = next((each for each in top.iterdir() if each.name == beside), None)
    if folder is None:
        folder = _new_folder(top, f"{own.world_size}_ranks")
    elif (folder / path.name).exists() or not all(_are_of_one_job(own, glance(each, far=True)) for each in folder.iterdir()):
        return path
    moved = path.rename(folder / path.name)
    path.parent.rmdir()
    return moved


def _are_of_one_job(one: Glance, other: Glance) -> bool:
    return other.rank is not None and other.rank != one.rank and other.world_size == one.world_size


def _new_folder(top: Path, name: str) -> Path:
    folder = next(path for n in range(1, MAX_FILES + 2) if not (path := top / (name if n == 1 else f"{name}-{n}")).exists())
    folder.mkdir()
    return folder


@contextmanager
def _kept(top: Path, name: str) -> Iterator[Path]:
    """Where a file goes: in a folder of its own, which is its run. When the block fails, nothing is left."""
    parsed = names.parse(name)
    folder = _new_folder(top, name if parsed is None else parsed.stem)
    try:
        yield folder / name
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _receive(path: Path, n_bytes: int, read: Callable[[int], bytes]) -> None:
    """Under a hidden name until it is complete: a scan may come by."""
    hidden = path.with_name(f".{path.name}")
    with hidden.open("xb") as file:
        left = n_bytes
        while left > 0:
            data = read(min(left, _CHUNK_BYTES))
            if not data:
                raise UsageError(f"{path.name} did not arrive whole: {format_bytes(n_bytes - left)} of {format_bytes(n_bytes)}")
            file.write(data)
            left -= len(data)
    hidden.rename(path)


def _found_as(name: str) -> str:
    """The name to keep a file under. Perfetto's are looked for in no log directory; whoever drops one wants to see it.

    UsageError that says how to get what reads it.
    """
    match = _PERFETTO.match(name)
    if match is None:
        return name
    from tb_plugin.formats.perfetto import messages

    messages.messages()
    return f"{match[1]}.pftrace.pb"


def _safe(name: str) -> str:
    """The last part of a path of any system, without what no file should be called. Endings stay."""
    last = re.split(r"[/\\]", name)[-1]
    return _STRANGE.sub("_", last).lstrip(".-")[-_LONGEST_NAME:] or "file"
