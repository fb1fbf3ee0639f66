"""Files that somebody compressed: how they begin, and what is in the first bytes of them."""

from __future__ import annotations

import zlib
from typing import Final

GZIP: Final = b"\x1f\x8b"
ZSTD: Final = b"\x28\xb5\x2f\xfd"


def plain(raw: bytes, most: int) -> bytes:
    """The first bytes of a file, unpacked; of damaged ones what can be had."""
    if raw.startswith(GZIP):
        try:
            return zlib.decompressobj(wbits=31).decompress(raw, most)
        except zlib.error:
            return b""
    if raw.startswith(ZSTD):
        import zstandard

        try:
            return zstandard.ZstdDecompressor().stream_reader(raw).read(most)
        except zstandard.ZstdError:
            return b""
    return raw


def why_empty(raw: bytes) -> str:
    """Of the first bytes of a file in which `plain` finds nothing."""
    if not raw.startswith(GZIP):
        return "the file is empty"
    stream = zlib.decompressobj(wbits=31)
    try:
        stream.decompress(raw)
    except zlib.error as error:
        return f"the gzip stream is damaged ({error})"
    return "nothing was packed into this gzip file" if stream.eof else "the file is cut off: its gzip stream ends before any text"
