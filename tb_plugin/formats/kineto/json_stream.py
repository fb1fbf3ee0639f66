"""A Chrome JSON file as a stream: its head, chunks of whole events, its tail. No event is decoded here.

    {"schemaVersion": 1, "traceEvents": [   {...}, {...},   {...}, {...}   ], "traceName": "x"}
    head                                    chunk           chunk          tail

A chunk is cut where one event ends and the next begins, found by text (`}, {"ph"`). A cut inside an event (an argument
that is a list of objects which look like events) cannot go unnoticed: the chunk then is not JSON, and the reader takes
it apart again with `first_object`.
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import zstandard

from tb_plugin.base.errors import FormatError
from tb_plugin.formats.gunzip import GZIP, Gunzip
from tb_plugin.formats.packing import ZSTD, zstd_before_damage
from tb_plugin.trace.scope.recording import BEHIND, CHECKSUM

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tb_plugin.formats.issue_log import IssueLog

CHUNK_BYTES = 256 * 1024
"""Decoded objects of one chunk stay in the processor's cache; 64 kB to 256 kB measured best, 4 MB a third slower."""

_MAX_HEAD_BYTES = 64 * 1024 * 1024
_MAX_EVENT_BYTES = 16 * 1024 * 1024
_FIRST_BYTES = 8  # of text in two or four bytes a character one of the first is 0
_PADDING = b" \r\n\t\0"
_BETWEEN = b", \r\n\t"  # two events
_BOUNDARY_BYTES = 256  # more than lies between two events, unless that is all blanks
_OF_TORCH = re.compile(rb'"(?:schemaVersion|deviceProperties|distributedInfo|baseTimeNanoseconds)"')
_ARRAY_KEY = re.compile(rb'"traceEvents"\s*:\s*\[')
EVENT_BOUNDARY = re.compile(rb'\}\s*,\s*(?=\{\s*"(?:ph|name|cat|ts|pid|tid|args|dur|id|bp|s)"\s*:)')
_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]]', re.DOTALL)


class ByteSource:
    """The plain bytes of a file, unpacked on the way. Damage to the compressed stream ends the bytes and is remembered.

    What else is odd in it is counted in `issues`.
    """

    def __init__(self, path: Path, issues: IssueLog) -> None:
        self.path = path
        self.issues = issues
        self.damage: str | None = None
        self.size_bytes = path.stat().st_size
        self.consumed_bytes = 0

    @property
    def is_plain(self) -> bool:
        with self.path.open("rb") as file:
            return not file.read(len(ZSTD)).startswith((GZIP, ZSTD))

    def __iter__(self) -> Iterator[bytes]:
        with self.path.open("rb") as file:
            first = file.read(CHUNK_BYTES)
            if first.startswith(GZIP):
                yield from self._gunzip(file, first)
            elif first.startswith(ZSTD):
                file.seek(0)
                yield from self._unpack_zstd(file)
            else:
                file.seek(0)
                yield from self._blocks(file)

    def stretch(self, start: int, stop: int | None) -> Iterator[bytes]:
        """Of a plain file what lies between two multiples of CHUNK_BYTES, in the blocks of the whole. No stop: to its end."""
        with self.path.open("rb") as file:
            file.seek(start)
            yield from self._blocks(file, None if stop is None else (stop - start) // CHUNK_BYTES)

    def _blocks(self, file: BinaryIO, most: int | None = None) -> Iterator[bytes]:
        for _ in itertools.count() if most is None else range(most):
            block = file.read(CHUNK_BYTES)
            if not block:
                return
            self.consumed_bytes += len(block)
            yield block

    def _unpack_zstd(self, file: BinaryIO) -> Iterator[bytes]:
        unpacked, n_bytes = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True), 0
        try:
            while plain := unpacked.read(CHUNK_BYTES):
                self.consumed_bytes = file.tell()
                yield plain
                n_bytes += len(plain)
        except zstandard.ZstdError as error:
            yield zstd_before_damage(file, n_bytes)
            if "checksum" in str(error):
                self.issues.add(CHECKSUM, "the checksum of its zstd data does not fit: some of it may not be as written", 0)
            elif "Unknown frame" in str(error):
                self.issues.add(BEHIND, "what stands behind its zstd data is no zstd and left out", 0)
            else:
                self.damage = f"the zstd stream is damaged ({error})"

    def _gunzip(self, file: BinaryIO, first: bytes) -> Iterator[bytes]:
        unpacked = Gunzip(file, first)
        while plain := unpacked.piece(CHUNK_BYTES):
            self.consumed_bytes = unpacked.consumed_bytes
            yield plain
        self.damage = unpacked.damage
        unpacked.note_in(self.issues)


class _Growing:
    """Text that grows until an event ends in it. Looks at each new part once: an event may be larger than any block.

    Blocks of nothing but blanks are not kept: a file may have gigabytes of them.
    """

    def __init__(self, text: bytes) -> None:
        self._parts = [text]
        self._length = len(text)
        self._behind = b"", text  # what was added last, and the end of what stands before it
        self.n_skipped = 0
        self._is_new = True

    def __len__(self) -> int:
        return self._length

    def add(self, block: bytes) -> None:
        if block.isspace():
            self.n_skipped += len(block)
            return
        self._behind = self._parts[-1][-_BOUNDARY_BYTES:], block
        self._parts.append(block)
        self._length += len(block)

    def may_end_an_event(self) -> bool:
        """False where what was added last surely has no end of an event followed by another one."""
        was_new, self._is_new = self._is_new, False
        # Mostly one is in the block itself, and no copy of it is needed.
        return was_new or bool(EVENT_BOUNDARY.search(self._behind[1]) or EVENT_BOUNDARY.search(b"".join(self._behind)))

    def text(self) -> bytes:
        self._parts = [b"".join(self._parts)]
        return self._parts[0]

    @property
    def is_new(self) -> bool:
        """Nothing was looked for yet."""
        return self._is_new


class Seam(NamedTuple):
    """Where a stream stands between two blocks: all that decides how it goes on."""

    offset: int
    carry: bytes  # the text there, which ends no event yet
    n_skipped: int = 0
    is_new: bool = True
    ended: bool = False


class EventStream:
    """Iterates over chunks: the text of whole events, separated by commas, without brackets around them.

    `head` and `tail` are complete when the iteration is over; `ended` says whether the list of events was closed.
    Whoever decodes a chunk and finds the list's end inside it says so with `end_at`.

    A file may also be read in stretches, by several streams: `begin` or `begin_at`, then `chunks` of some blocks, then either the
    chunks of more blocks, or `go_on_from` a stream that was found to have begun at this one's `seam`, at last `rest`.
    """

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self.head = b""
        self.tail = b""
        self._n_tail_bytes = 0
        self.ended = False
        self.offset = 0
        """Place of the current chunk in the plain bytes."""
        self.is_last = False
        """Nothing follows the current chunk."""
        self._kept = b""
        self._carry = _Growing(b"")

    def keep(self, text: bytes) -> None:
        """The end of the current chunk is not a whole event: it comes again in front of the next one."""
        self._kept = text

    def end_at(self, rest: bytes) -> None:
        """The list of events ended; `rest` is the text behind its closing bracket."""
        self.ended = True
        self.tail = rest
        self._n_tail_bytes = len(rest)

    def cut_tail(self) -> int:
        """Ends the tail where the document does, once all is read; how many bytes follow there, 0 for none but blanks.

        A tail whose brackets do not close stays whole.
        """
        end = first_object(b"{" + self.tail) if self.head else 1  # of a list there is no tail
        if end is None:
            return 0
        behind, self.tail = self.tail[end - 1 :], self.tail[: end - 1]
        n_unread = self._n_tail_bytes - len(behind) - len(self.tail)
        return n_unread + len(behind) if behind.strip(_PADDING) else 0

    def __iter__(self) -> Iterator[bytes]:
        blocks = iter(self._source)
        self.begin(blocks)
        yield from self.chunks(blocks)
        yield from self.rest()

    def begin(self, blocks: Iterator[bytes]) -> None:
        """Reads the head, and the block in which it ends."""
        self._carry = _Growing(self._read_head(blocks))

    def begin_at(self, place: int) -> bool:
        """Stands where a stream does that has read a sound plain file up to there; False where that cannot be told."""
        block = next(self._source.stretch(place - CHUNK_BYTES, place), b"")
        cut = _last_boundary(block)
        if cut is None:
            return False
        self._carry = _Growing(block[cut:].lstrip(_BETWEEN))
        self.offset = place - len(self._carry)
        return True

    @property
    def seam(self) -> Seam:
        carry = self._carry
        return Seam(self.offset, carry.text(), carry.n_skipped, carry.is_new, self.ended)

    def go_on_from(self, other: EventStream) -> None:
        """Stands where a stream does that began at our seam."""
        self._carry, self.offset = other._carry, other.offset
        self.ended, self.tail, self._n_tail_bytes = other.ended, other.tail, other._n_tail_bytes

    def chunks(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """Those that end in these blocks."""
        for block in blocks:
            if self.ended:
                self._add_tail(block)
                continue
            carry = self._carry
            carry.add(block)
            if len(carry) > _MAX_EVENT_BYTES:
                self._source.damage = f"an event of more than {_MAX_EVENT_BYTES >> 20} MiB"
                self._carry = _Growing(b"")
                return
            if not carry.may_end_an_event():
                continue
            text = carry.text()
            cut = _last_boundary(text)
            if cut is None:
                continue
            n_read = len(text) + carry.n_skipped
            yield text[:cut]
            behind = text[cut:]
            if self._has_ended():  # the chunk's reader may have said so meanwhile
                self._add_tail(behind)
                continue
            # Kept text needs its comma back; without any, the one before the next event goes.
            self._carry = _Growing(self._kept + behind if self._kept else behind.lstrip(_BETWEEN))
            self._kept = b""
            self.offset += n_read - len(self._carry)

    def rest(self) -> Iterator[bytes]:
        """What is left when all blocks are read."""
        if not self.ended and self._carry.text().strip():
            self.is_last = True
            yield self._carry.text()

    def _add_tail(self, text: bytes) -> None:
        """What stands around the events is small; of more than it may be the rest is not looked at."""
        self._n_tail_bytes += len(text)
        if len(self.tail) < _MAX_HEAD_BYTES:
            self.tail += text

    def _has_ended(self) -> bool:
        return self.ended

    def _read_head(self, blocks: Iterator[bytes]) -> bytes:
        """Reads up to the list of events; gives what was read behind its opening bracket."""
        path = str(self._source.path)
        head = bytearray()
        searched = 0
        for block in blocks:
            if not head:
                text = block.lstrip(b"\xef\xbb\xbf \r\n\t")
                self.offset += len(block) - len(text)
                if b"\x00" in text[:_FIRST_BYTES]:
                    raise FormatError(path, "text in UTF-16 or UTF-32, or no text at all; JSON is UTF-8")
                block = text
            head += block
            if head[:1] == b"[":
                self.offset += 1
                return bytes(head[1:])
            if head and head[:1] != b"{":
                raise FormatError(path, "not a PyTorch profile: neither JSON nor a stored profile")
            found = _ARRAY_KEY.search(head, searched)
            searched = max(0, len(head) - _BOUNDARY_BYTES)
            if found:
                self.head = bytes(head[: found.end()])
                self.offset += found.end()
                return bytes(head[found.end() :])
            if len(head) > _MAX_HEAD_BYTES:
                break
        if self._source.damage and not head:
            raise FormatError(path, self._source.damage)
        if not head.strip():
            raise FormatError(path, "the file is empty")
        if self._source.damage:
            raise FormatError(path, f"{self._source.damage}, before any event")
        if len(head) <= _MAX_HEAD_BYTES and first_object(bytes(head)) is None:
            what = "a profile" if _OF_TORCH.search(head) else "too little to tell what it is"
            raise FormatError(path, f"the file is cut off after {len(head)} bytes, before any event: {what}")
        raise FormatError(path, 'not a PyTorch profile: JSON without a "traceEvents" list')


def first_object(text: bytes, place: int = 0) -> int | None:
    """Where the first JSON object of `text` behind `place` ends, by counting brackets outside strings; or None."""
    depth = 0
    for token in _TOKEN.finditer(text, place):
        char = token.group()[:1]
        if char in b"{[":
            depth += 1
        elif char in b"}]":
            depth -= 1
            if depth <= 0:
                return token.end()
    return None


def _last_boundary(text: bytes) -> int | None:
    """Where the last event that is surely followed by another one ends."""
    window = 4096
    while True:
        low = max(0, len(text) - window)
        found = list(EVENT_BOUNDARY.finditer(text, low))
        if found:
            return found[-1].start() + 1
        if low == 0:
            return None
        window *= 8
