"""What directories hold, kept from scan to scan: one that has not changed is not listed again.

A name that comes, goes or changes its place changes the time of its directory, and nothing else does: what is written into a file
is seen by looking at the file. Of a hundred thousand checkpoints and logs beside the profiles nothing is kept.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_SETTLED_NS: Final = 2 * 10**9
"""A directory that changed so lately may change again without another time: clocks of file systems tick slowly."""


class Listed(NamedTuple):
    """A file or a folder in a directory."""

    name: str
    path: str
    is_link: bool


class Listing(NamedTuple):
    """In the order of their names, without files and hidden folders that nobody wants: one that is wanted is among the files.
    `hidden`: those of the files that are, a few of thousands. `odd`: of wanted names, and no files, as a link to nothing, a pipe
    or a folder, which is among the folders, too.
    """

    folders: tuple[Listed, ...]
    files: tuple[Listed, ...]
    hidden: tuple[Listed, ...]
    odd: tuple[Listed, ...]


class Listings:
    """`is_wanted` says by its name whether a file, or a hidden folder, can matter. For one scan at a time."""

    def __init__(self, is_wanted: Callable[[str], bool]) -> None:
        self._is_wanted = is_wanted
        self._known: dict[str, tuple[tuple[int, ...], Listing]] = {}

    def of(self, path: str, status: os.stat_result) -> Listing:
        """What a directory of this status holds. OSError where it cannot be read."""
        stamp = (status.st_dev, status.st_ino, status.st_mtime_ns)
        known = self._known.get(path)
        if known is not None and known[0] == stamp:
            return known[1]
        listing = self._read(path)
        if time.time_ns() - status.st_mtime_ns > _SETTLED_NS:
            self._known[path] = (stamp, listing)
        return listing

    def keep(self, paths: Iterable[str]) -> None:
        """Forgets all others: they are gone."""
        self._known = {path: self._known[path] for path in paths if path in self._known}

    def _read(self, path: str) -> Listing:
        folders, files, odd = list[Listed](), list[Listed](), list[Listed]()
        with os.scandir(path) as listing:
            for entry in listing:
                listed = Listed(entry.name, entry.path, entry.is_symlink())
                is_wanted = self._is_wanted(entry.name)
                try:
                    is_folder, is_file = entry.is_dir(), is_wanted and entry.is_file()
                except OSError:  # links in a circle, a disk that fails: who looks at it hears why, and the others stand
                    is_folder, is_file = False, is_wanted
                is_hidden = entry.name.startswith(".")
                if is_folder and not is_hidden:
                    folders.append(listed)
                elif is_file or (is_folder and is_wanted):
                    files.append(listed)
                if is_wanted and not is_file and not is_hidden:
                    odd.append(listed)
        hidden = sorted(file for file in files if file.name.startswith("."))
        return Listing(tuple(sorted(folders)), tuple(sorted(files)), tuple(hidden), tuple(sorted(odd)))
