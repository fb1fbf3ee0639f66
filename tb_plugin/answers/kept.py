"""Answers in memory, as bytes: people go back and forth between views, and several look at one profile."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from tb_plugin.base import fast_gzip

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


def packed(data: bytes, media: str) -> Body:
    is_gzip = len(data) >= _MIN_GZIP_BYTES and not media.startswith(("image/png", "font/"))
    return Body(data=fast_gzip.compress(data) if is_gzip else data, media=media, is_gzip=is_gzip)


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
