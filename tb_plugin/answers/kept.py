"""Answers as bytes: in memory, since people go back and forth between views and several look at one profile; and on disk those
with which each view of a large profile opens, so that it is there at once when it is looked at again.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tb_plugin.base import fast_gzip
from tb_plugin.formats import whole_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from tb_plugin.runs.cache import ProfileCache

MAX_BYTES: Final = 64 << 20
_MIN_GZIP_BYTES: Final = 1000


@dataclass(frozen=True, kw_only=True)
class Body:
    """Bytes to send. Compressed once, not per request; what is small, or compressed by its nature, is plain."""

    data: bytes
    media: str
    is_gzip: bool

    def plain(self) -> bytes:
        return fast_gzip.decompress(self.data) if self.is_gzip else self.data

    def gzipped(self) -> bytes:
        return self.data if self.is_gzip else fast_gzip.compress(self.data)


def packed(data: bytes, media: str, compress: Callable[[bytes], bytes] = fast_gzip.compress) -> Body:
    is_gzip = len(data) >= _MIN_GZIP_BYTES and not media.startswith(("image/png", "font/"))
    return Body(data=compress(data) if is_gzip else data, media=media, is_gzip=is_gzip)


class KeptAnswers:
    """The least recently used goes first."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._n_bytes = 0
        self._lock = threading.Lock()
        self._bodies: OrderedDict[str, Body] = OrderedDict()

    def get(self, tag: str) -> Body | None:
        with self._lock:
            body = self._bodies.get(tag)
            if body is not None:
                self._bodies.move_to_end(tag)
            return body

    def put(self, tag: str, body: Body) -> None:
        with self._lock:
            if tag in self._bodies or len(body.data) > self._max_bytes // 4:
                return
            self._bodies[tag] = body
            self._n_bytes += len(body.data)
            while self._n_bytes > self._max_bytes:
                self._n_bytes -= len(self._bodies.popitem(last=False)[1].data)


class StoredAnswers:
    """In the cache of converted profiles. A tag covers the files and all of our code, so what stands there is still right."""

    def __init__(self, cache: ProfileCache) -> None:
        self._cache = cache

    def get(self, tag: str, media: str) -> Body | None:
        path = self._cache.answer_path(tag)
        with suppress(OSError, EOFError, fast_gzip.DamageError):
            data = path.read_bytes()
            fast_gzip.decompress(data)  # a damaged one is none
            self._cache.touch(path)
            return Body(data=data, media=media, is_gzip=True)
        return None

    def put(self, tag: str, body: Body) -> None:
        """A full disk stops nobody."""
        with suppress(OSError), whole_file.written(self._cache.answer_path(tag)) as file:
            file.write(body.gzipped())
