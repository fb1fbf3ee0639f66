"""What was worked out of a large profile and is wanted again: columns in the cache, mapped as the profile's own are."""

from __future__ import annotations

import mmap
import os
import tempfile
import threading
import weakref
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.errors import FormatError
from tb_plugin.base.local_disk import is_local
from tb_plugin.formats.stored import column_file

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.formats.stored.column_file import Column
    from tb_plugin.runs.cache import ProfileCache
    from tb_plugin.trace.kept import Columns

WORTH_IT_EVENTS: Final = 50_000
"""Of a profile: of smaller ones all is worked out as fast as it is read."""

ROOM_BYTES_PER_EVENT: Final = 256
"""All views, a what-if and a flame graph together keep 90 to 110 of real profiles; unpacked columns up to 40."""

_ALIGNED: Final = 64


class CacheShelf:
    """Beside one entry of the cache, of a profile with so many events."""

    def __init__(self, cache: ProfileCache, entry: Path, n_events: int) -> None:
        self._cache = cache
        self._entry = entry
        self._lock = threading.Lock()
        self._room = Room(entry.parent, ROOM_BYTES_PER_EVENT * n_events)

    def take(self, name: str) -> Columns | None:
        path = self._cache.beside(self._entry, name)
        with suppress(OSError, FormatError):  # a damaged one is none, and written anew
            found = column_file.read(path).by_name
            self._cache.touch(path)
            return found
        return None

    def keep(self, name: str, columns: Columns) -> Columns:
        path = self._cache.beside(self._entry, name)
        with suppress(OSError, FormatError):  # a full disk stops nobody
            column_file.write(path, columns)
            return column_file.read(path).by_name
        return columns

    def put_away(self, column: Column) -> Column:
        with self._lock:
            return self._room.put(column)


class Room:
    """A file without a name, which ends with those who read it: what the system takes of its pages it finds there again."""

    def __init__(self, folder: Path, most_bytes: int) -> None:
        self._folder = folder
        self._left = most_bytes
        self._place = 0
        self._mapped: mmap.mmap | None = None
        self._file: IO[bytes] | None = None

    def put(self, column: Column) -> Column:
        """The column there; itself where there is no room."""
        size = column.nbytes
        if size > self._left:
            return column
        try:
            if self._file is None:
                self._open()
            is_there = self._write(np.ascontiguousarray(column))
        except OSError:  # a full disk
            is_there = False
        if not is_there:
            self._left = 0
            return column
        put: Column = np.ndarray(column.shape, column.dtype, self._mapped, self._place)
        aligned = size + -size % _ALIGNED
        self._place += aligned
        self._left -= aligned
        return put

    def _open(self) -> None:
        if is_local(self._folder):
            self._file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115 - it stays open
            weakref.finalize(self, self._file.close)
            self._file.truncate(self._left)  # it takes no more of the disk than is written
            self._mapped = mmap.mmap(self._file.fileno(), self._left, access=mmap.ACCESS_READ)

    def _write(self, column: Column) -> bool:
        if self._file is None:
            return False
        return os.pwrite(self._file.fileno(), column.reshape(-1).view(np.uint8).data, self._place) == column.nbytes
