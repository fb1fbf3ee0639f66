"""Files that somebody compressed: how they begin, and what is in the first bytes of them."""

from __future__ import annotations

import contextlib
import io
from typing import IO, Final

from tb_plugin.formats.gunzip import GZIP, Gunzip

ZSTD: Final = b"\x28\xb5\x2f\xfd"
_PIECE: Final = 1 << 20


def plain(raw: bytes, most: int) -> bytes:
    """The first bytes of a file, unpacked; of damaged ones what can be had."""
    if raw.startswith(GZIP):
        return Gunzip(io.BytesIO(raw)).piece(most)
    if raw.startswith(ZSTD):
        import zstandard

        try:
            return zstandard.ZstdDecompressor().stream_reader(raw).read(most)
        except zstandard.ZstdError:
            return zstd_before_damage(io.BytesIO(raw), 0)[:most]
    return raw


def zstd_before_damage(file: IO[bytes], n_bytes: int) -> bytes:
    """Where the library finds damage behind so many plain bytes: what it had made by then and keeps, all but one byte."""
    import zstandard

    if not file.seekable():
        return b""
    file.seek(0)
    unpacked, parts = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True), []
    with contextlib.suppress(zstandard.ZstdError):
        while n_bytes > 0 and (again := unpacked.read(min(n_bytes, _PIECE))):
            n_bytes -= len(again)
        while byte := unpacked.read(1):
            parts.append(byte)
    return b"".join(parts)


def last_plain(file: IO[bytes], size: int, most: int) -> bytes:
    """The last bytes of a file, unpacked; nothing of one that unpacks to more than `most`, or is damaged."""
    start = file.read(len(ZSTD)) if file.seek(0) == 0 else b""
    if not start.startswith((GZIP, ZSTD)):
        file.seek(max(file.seek(0, io.SEEK_END) - size, 0))
        return file.read(size)
    if start.startswith(ZSTD):
        return b""
    file.seek(0)
    unpacked, tail, n_bytes = Gunzip(file), b"", 0
    while n_bytes <= most and (piece := unpacked.piece(_PIECE)):
        n_bytes += len(piece)
        tail = (tail + piece)[-size:]
    return b"" if n_bytes > most or unpacked.damage else tail


def why_empty(raw: bytes, *, is_all: bool) -> str:
    """Of the first bytes of a file in which `plain` finds nothing; `is_all`: it has no others."""
    if not raw.startswith(GZIP):
        return "the file is empty"
    unpacked = Gunzip(io.BytesIO(raw))
    unpacked.piece(1)
    if (unpacked.damage is None or unpacked.ends_early) and not is_all:
        return f"nothing is packed into the first {len(raw) >> 10} kB of this gzip file"
    if unpacked.ends_early:
        return f"the file is cut off after {len(raw)} bytes: its gzip stream ends before any text"
    return unpacked.damage or "nothing was packed into this gzip file"
