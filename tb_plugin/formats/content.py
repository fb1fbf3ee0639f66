"""What a file begins with, unpacked: enough to know its format, whatever its name says. Standard library only."""

from __future__ import annotations

import codecs
from functools import cached_property
from typing import TYPE_CHECKING, Final

from tb_plugin.base.errors import FormatError
from tb_plugin.formats.packing import ZSTD, plain, why_empty

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

SQLITE: Final = b"SQLite format 3\x00"
STORED: Final = b"torch-tb-plugin profile"
_MAGIC_WITHIN = 64  # bytes from the start of a file
_HEAD_BYTES = 64 << 10
_BOM = b"\xef\xbb\xbf"
_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_FOREIGN: Final[tuple[tuple[bytes, str], ...]] = (
    (b"PK\x03\x04", "a zip archive; unpack it first"),
    (ZSTD, "compressed with zstd; unpack it first"),
    (b"\xfd7zXZ\x00", "compressed with xz; unpack it first"),
    (b"BZh", "compressed with bzip2; unpack it first"),
    *((first, "compressed with zlib; unpack it first") for first in (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")),
    (b"\x80", "a Python pickle that is no memory snapshot"),
    (b"<", "a text of HTML or XML"),
    *((mark, "text in UTF-32, not UTF-8; save it as UTF-8") for mark in (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)),
    *((mark, "text in UTF-16, not UTF-8, as PowerShell's `>` writes; save it as UTF-8") for mark in _UTF16),
    (b"version https://git-lfs.github.com/spec/", "a Git LFS pointer: run git lfs pull"),
)


def is_stored(head: bytes) -> bool:
    """Whether a file begins as the stored profile does."""
    return head[:1] == b"\n" and STORED in head[:_MAGIC_WITHIN]


class Content:
    """The first 64 kB of a file, or of what is in it. OSError when it cannot be read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with path.open("rb") as file:
            raw = file.read(_HEAD_BYTES)
        self.head = plain(raw, _HEAD_BYTES)
        """Of a damaged gzip file what can be had."""
        # The length behind a stored profile's first byte may look like the beginning of JSON.
        self.text = self.head if is_stored(self.head) else self.head.removeprefix(_BOM).lstrip()
        if raw.startswith(ZSTD) and not self.is_json:  # no other reader unpacks it
            self.head = self.text = raw
        self.is_packed = self.head is not raw
        self._empty = "" if self.head else why_empty(raw, is_all=len(raw) < _HEAD_BYTES)

    @property
    def is_json(self) -> bool:
        """An object or a list, sound or not."""
        return self.text[:1] in (b"{", b"[")

    @cached_property
    def tables(self) -> frozenset[str]:
        """Those of an SQLite database; none in any other file. FormatError when it cannot be opened."""
        if not self.head.startswith(SQLITE):
            return frozenset()
        try:
            from tb_plugin.formats.nvidia import sqlite_tables
        except ImportError as error:  # some builds of Python have no sqlite3
            raise FormatError(str(self.path), f"an SQLite database, which this Python cannot read ({error})") from error
        if self.is_packed:
            raise FormatError(str(self.path), "a compressed SQLite database; unpack it first")
        with sqlite_tables.opened(self.path) as tables:
            return tables.names

    def seems(self, known: Iterable[str]) -> str:
        """What a file that is none of the formats with these titles is."""
        if not self.head:
            return self._empty
        if not self.text:
            return "nothing but white space"
        if self.is_json:
            return 'JSON that does not begin as a trace does, with "traceEvents"'
        if self.head.startswith(SQLITE):
            some = ", ".join(sorted(self.tables)[:3]) or "none"
            expected = "StringTable as nvprof writes it, or StringIds as nsys does, beside CUPTI_ACTIVITY_KIND_... or NVTX_EVENTS"
            return f"an SQLite database with the tables {some}; expected {expected}"
        found = (what for magic, what in _FOREIGN if self.head.startswith(magic))
        return next(found, f"none of the formats that are read ({'; '.join(known)})")
