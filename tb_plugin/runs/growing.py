"""Which files are still being written: those whose size was another one a moment ago.

Also those of which that cannot be told: on a disk that counts whole seconds a file that is written again in the same second, to
the same size, has the stamp that it had. What is read of it then would be kept as what it is later.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.runs.catalogue import ProfileFile

AT_REST_AFTER_S = 3.0
"""A file of the same size for so long is taken as complete: writers pause, and compress in pieces."""

_SECOND_NS: Final = 1_000_000_000


class _Seen(NamedTuple):
    size_bytes: int
    since: float  # time.monotonic()
    has_grown: bool


class Growing:
    """Sizes as they were when somebody asked: ages are little to go by, clocks of shared disks go wrong. Thread-safe."""

    def __init__(self, *, at_rest_after_s: float = AT_REST_AFTER_S) -> None:
        self._at_rest_after_s = at_rest_after_s
        self._lock = threading.Lock()
        self._seen: dict[str, _Seen] = {}

    def size_so_far(self, files: Sequence[ProfileFile]) -> int | None:
        """Bytes of these files where one of them is still being written; None where all are at rest, or are seen first."""
        now = time.monotonic()
        with self._lock:
            growing = [self._is_growing(file, now) for file in files]
        return sum(file.size_bytes for file in files) if any(growing) else None

    def forget_others(self, paths: set[str]) -> None:
        """Of files that are gone nothing is kept."""
        with self._lock:
            for path in self._seen.keys() - paths:
                del self._seen[path]

    def _is_growing(self, file: ProfileFile, now: float) -> bool:
        before = self._seen.get(file.path)
        if before is None or before.size_bytes != file.size_bytes:
            before = self._seen[file.path] = _Seen(file.size_bytes, now, before is not None)
        return (before.has_grown and now - before.since < self._at_rest_after_s) or self._is_too_young_to_tell(file)

    def _is_too_young_to_tell(self, file: ProfileFile) -> bool:
        counts_seconds = file.mtime_ns % _SECOND_NS == 0 and file.changed_ns % _SECOND_NS == 0
        return counts_seconds and 0 <= time.time() - file.mtime_ns / _SECOND_NS < self._at_rest_after_s
