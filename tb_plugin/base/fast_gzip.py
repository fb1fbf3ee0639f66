"""gzip by Intel's library, `isal`, where there is a wheel of it; else by the standard library, several times slower.

Both write and read the same, up to how well it is compressed.
"""

from __future__ import annotations

import gzip
import zlib
from typing import IO, Any, Final


def _isal() -> tuple[Any, Any]:
    try:
        from isal import igzip, isal_zlib
    except ImportError:
        return None, None
    return igzip, isal_zlib


_igzip, _isal_zlib = _isal()

HAS_ISAL: Final = _igzip is not None

DamageError: Final[type[Exception]] = _isal_zlib.error if HAS_ISAL else zlib.error
"""What a decompressor raises."""

_DEFLATE = -15  # wbits: neither header nor checksum
_SLOW_LEVEL = 1  # of zlib: what it gains above that is not worth the wait
_REPLY_LEVEL = 1  # of igzip's 0 to 3
_FILE_LEVEL = 2  # of igzip: 1.8 GB/s, four times as fast as zlib's 1, and as small; 3 is three times slower for 4 % less


def compress(data: bytes) -> bytes:
    """The whole of something small, as fast as it can be."""
    packed: bytes = _igzip.compress(data, _REPLY_LEVEL) if HAS_ISAL else gzip.compress(data, _SLOW_LEVEL)
    return packed


def smallest(data: bytes) -> bytes:
    """What is packed once and sent often: a tenth smaller than `compress` makes it, 20 times as slow. The same makes the same."""
    return gzip.compress(data, 9, mtime=0)


def decompress(data: bytes) -> bytes:
    plain: bytes = _igzip.decompress(data) if HAS_ISAL else gzip.decompress(data)
    return plain


def packed(file: IO[bytes]) -> Any:
    """A file to write into, whose gzipped bytes go to `file`. The same content makes the same bytes."""
    if HAS_ISAL:
        return _igzip.IGzipFile(fileobj=file, mode="wb", compresslevel=_FILE_LEVEL, mtime=0)
    return gzip.GzipFile(fileobj=file, mode="wb", compresslevel=_SLOW_LEVEL, mtime=0)


def deflate_decompressor() -> Any:
    """For what is between header and checksum of a gzip member: an object as `zlib.decompressobj` makes it."""
    return _isal_zlib.decompressobj(_DEFLATE) if HAS_ISAL else zlib.decompressobj(_DEFLATE)


def crc32(data: bytes | memoryview, before: int) -> int:
    """The checksum of gzip, of what has the checksum `before` and `data` behind it."""
    checksum: int = _isal_zlib.crc32(data, before) if HAS_ISAL else zlib.crc32(data, before)
    return checksum
