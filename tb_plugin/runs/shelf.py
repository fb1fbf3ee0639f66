"""What was worked out of a large profile and is wanted again: columns in the cache, mapped as the profile's own are."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from tb_plugin.base.errors import FormatError
from tb_plugin.formats.stored import column_file

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.runs.cache import ProfileCache
    from tb_plugin.trace.kept import Columns

WORTH_IT_EVENTS: Final = 50_000
"""Of a profile: of smaller ones all is worked out as fast as it is read."""


class CacheShelf:
    """Beside one entry of the cache."""

    def __init__(self, cache: ProfileCache, entry: Path) -> None:
        self._cache = cache
        self._entry = entry

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
