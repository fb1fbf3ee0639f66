"""A Chrome JSON file as a stream: its head, chunks of whole events, its tail. No event is decoded here.

    {"schemaVersion": 1, "traceEvents": [   {...}, {...},   {...}, {...}   ], "traceName": "x"}
    head                                    chunk           chunk          tail

A chunk is cut where one event ends and the next begins, found by text (`}, {"ph"`). A cut inside an event (an argument
that is a list of objects which look like events) cannot go unnoticed: the chunk then is not JSON, and the reader takes
it apart again with `first_object`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, BinaryIO

from isal import isal_zlib

from tb_plugin.base.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CHUNK_BYTES = 256 * 1024
"""Decoded objects of one chunk stay in the processor's cache; 64 kB to 256 kB measured best, 4 MB a third slower."""

_MAX_HEAD_BYTES = 64 * 1024 * 1024
_ARRAY_KEY = re.compile(rb'"traceEvents"\s*:\s*\[')
EVENT_BOUNDARY = re.compile(rb'\}\s*,\s*(?=\{\s*"(?:ph|name|cat|ts|pid|tid|args|dur|id|bp|s)"\s*:)')
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)


class ByteSource:
    """The plain bytes of a file, gunzipped on the way. Damage to the compressed stream ends the bytes and is remembered."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damage: str | None = None
        self.size_bytes = path.stat().st_size
        self.consumed_bytes = 0

    def __iter__(self) -> Iterator[bytes]:
        with self.path.open("rb") as file:
            first = file.read(CHUNK_BYTES)
            if first[:2] == b"\x1f\x8b":
                yield from self._gunzip(file, first)
            else:
                while first:
                    self.consumed_bytes += len(first)
                    yield first
                    first = file.read(CHUNK_BYTES)

    def _gunzip(self, file: BinaryIO, compressed: bytes) -> Iterator[bytes]:
        member = isal_zlib.decompressobj(wbits=31)
        while compressed:
            self.consumed_bytes += len(compressed)
            while compressed:
                try:
                    plain = member.decompress(compressed, CHUNK_BYTES)
                except isal_zlib.error as error:  # type: ignore[misc]  # isal's stub declares it as a value
                    self.damage = f"the gzip stream is damaged ({error})"
                    return
                if plain:
                    yield plain
                if member.eof:
                    compressed = member.unused_data
                    if compressed[:2] != b"\x1f\x8b":
                        return
                    member = isal_zlib.decompressobj(wbits=31)
                else:
                    compressed = member.unconsumed_tail
                    if not plain:
                        break
            compressed = file.read(CHUNK_BYTES)
        if not member.eof:
            self.damage = "the gzip stream ends early"


class EventStream:
    """Iterates over chunks: the text of whole events, separated by commas, without brackets around them.

    `head` and `tail` are complete when the iteration is over; `ended` says whether the list of events was closed.
    Whoever decodes a chunk and finds the list's end inside it says so with `end_at`.
    """

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self.head = b""
        self.tail = b""
        self.ended = False
        self.offset = 0
        """Place of the current chunk in the plain bytes."""
        self.is_last = False
        """Nothing follows the current chunk."""
        self._kept = b""

    def keep(self, text: bytes) -> None:
        """The end of the current chunk is not a whole event: it comes again in front of the next one."""
        self._kept = text

    def end_at(self, rest: bytes) -> None:
        """The list of events ended; `rest` is the text behind its closing bracket."""
        self.ended = True
        self.tail = rest

    def __iter__(self) -> Iterator[bytes]:
        blocks = iter(self._source)
        carry = self._read_head(blocks)
        for block in blocks:
            if self.ended:
                self.tail += block
                continue
            text = carry + block
            cut = _last_boundary(text)
            if cut is None:
                carry = text
                continue
            yield text[:cut]
            behind = text[cut:]
            if self._has_ended():  # the chunk's reader may have said so meanwhile
                self.tail += behind
                continue
            # Kept text needs its comma back; without any, the one before the next event goes.
            carry = self._kept + behind if self._kept else behind.lstrip(b", \r\n\t")
            self._kept = b""
            self.offset += len(text) - len(carry)
        if not self.ended and carry.strip():
            self.is_last = True
            yield carry

    def _has_ended(self) -> bool:
        return self.ended

    def _read_head(self, blocks: Iterator[bytes]) -> bytes:
        """Reads up to the list of events; gives what was read behind its opening bracket."""
        path = str(self._source.path)
        head = bytearray()
        for block in blocks:
            head += block
            start = bytes(head[:64]).lstrip(b"\xef\xbb\xbf \r\n\t")[:1]
            if not start:
                continue
            if start == b"[":
                place = head.index(b"[") + 1
                self.offset = place
                return bytes(head[place:])
            if start != b"{":
                raise FormatError(path, "not a PyTorch profile: neither JSON nor a stored profile")
            found = _ARRAY_KEY.search(head)
            if found:
                self.head = bytes(head[: found.end()])
                self.offset = found.end()
                return bytes(head[found.end() :])
            if len(head) > _MAX_HEAD_BYTES:
                break
        if self._source.damage and not head:
            raise FormatError(path, self._source.damage)
        if not head.strip():
            raise FormatError(path, "the file is empty")
        if self._source.damage:
            raise FormatError(path, f"{self._source.damage}, before any event")
        raise FormatError(path, 'not a PyTorch profile: JSON without a "traceEvents" list')


def first_object(text: bytes) -> int | None:
    """Where the first JSON object of `text` ends, by counting brackets outside strings; None if it does not end."""
    depth = 0
    for token in _TOKEN.finditer(text):
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
