"""Files that somebody compressed: how they begin, and what is in the first bytes of them."""

from __future__ import annotations

import io
import zlib
from typing import IO, Final

from tb_plugin.base import fast_gzip

GZIP: Final = b"\x1f\x8b"
ZSTD: Final = b"\x28\xb5\x2f\xfd"
_PIECE: Final = 1 << 20


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


def last_plain(file: IO[bytes], size: int, most: int) -> bytes:
    """The last bytes of a file, unpacked; nothing of one that unpacks to more than `most`, or is damaged."""
    start = file.read(len(ZSTD)) if file.seek(0) == 0 else b""
    if not start.startswith((GZIP, ZSTD)):
        file.seek(max(file.seek(0, io.SEEK_END) - size, 0))
        return file.read(size)
    if start.startswith(ZSTD):
        return b""
    stream, tail, n_bytes, piece = fast_gzip.decompressor(), b"", 0, start
    try:
        while not stream.eof and n_bytes <= most and piece:
            unpacked = stream.decompress(piece, _PIECE)
            n_bytes += len(unpacked)
            tail = (tail + unpacked)[-size:]
            piece = stream.unconsumed_tail or file.read(_PIECE)
    except fast_gzip.DamageError:
        return b""
    return tail if stream.eof else b""


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
