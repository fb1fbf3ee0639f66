"""What is in a gzip file, whatever is wrong with it: all that can be unpacked is read, and what was odd is told afterwards.

    header  deflate  checksum and length | header  deflate  checksum and length | anything else
    member                                 member                                 left out, and said

Libraries that check a member give nothing of its last piece where its checksum is wrong, which is all of a small file. So only
the deflate streams are unpacked by them, and the few bytes around are read here (RFC 1952). Linear in the file, also where it
has a member every 20 bytes.
"""

from __future__ import annotations

import io
import struct
from typing import IO, TYPE_CHECKING, Any, Final

from tb_plugin.base import fast_gzip
from tb_plugin.trace.scope.recording import BEHIND, CHECKSUM

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from tb_plugin.formats.issue_log import IssueLog

GZIP: Final = b"\x1f\x8b"
_ENDS_EARLY: Final = "the gzip stream ends early, at byte {:,} of the file"

_DEFLATE = 8
_HAS_CRC, _HAS_EXTRA, _TEXTS, _UNKNOWN = 0x02, 0x04, (0x08, 0x10), 0xE0  # flags of a header
_HEADER_BYTES, _TRAILER_BYTES = 10, 8
_LENGTH: Final = 0xFFFFFFFF  # of a member, told in 32 bits
_BLOCK_BYTES = 256 << 10
_FIRST_PIECE, _LARGEST_PIECE = 64, 32 << 10
"""Of a stream, given to the library at once, twice as much each time: where there is damage, what came of the piece is lost."""


class Gunzip(io.RawIOBase):
    """The plain bytes of `file`, of which `first` is read already. `damage`: why bytes are missing, None where none are.

    `ends_early`: because the file does.
    """

    def __init__(self, file: IO[bytes], first: bytes = b"") -> None:
        self.damage: str | None = None
        self.ends_early = False
        self._file = file
        self._block = first
        self._at = 0  # in the block
        self._before = 0  # bytes of the file in front of the block
        self._deflate: Any = None  # of the member that is being read
        self._piece_bytes = _FIRST_PIECE
        self._checksum = self._n_plain = 0
        self._is_over = False
        self._odd: dict[str, tuple[int, str]] = {}  # kind -> how often, text of the first

    @property
    def consumed_bytes(self) -> int:
        return self._before + self._at

    def note_in(self, issues: IssueLog) -> None:
        """What was odd and cost no bytes, when all is read."""
        for kind, (count, text) in self._odd.items():
            issues.add(kind, text, 0, count)

    def readable(self) -> bool:
        return True

    def readinto(self, into: Buffer, /) -> int:
        room = memoryview(into).cast("B")
        plain = self.piece(len(room))
        room[: len(plain)] = plain
        return len(plain)

    def piece(self, n_bytes: int) -> bytes:
        """The next plain bytes, fewer at the end: `read`, without copies."""
        parts, n_left = [], n_bytes
        while n_left and not self._is_over:
            if self._deflate is None:
                self._begin()
                continue
            try:
                parts.append(self._unpack(n_left))
            except fast_gzip.DamageError as error:
                self._end(f"the gzip stream is damaged ({error}) at about byte {self.consumed_bytes:,} of the file")
                break
            n_left -= len(parts[-1])
        return b"".join(parts)

    def _end(self, damage: str | None = None) -> None:
        self.damage, self._is_over, self._deflate = damage, True, None

    def _end_early(self) -> None:
        self.ends_early = True
        self._end(_ENDS_EARLY.format(self.consumed_bytes))

    def _begin(self) -> None:
        """The next member, or the end."""
        place = self.consumed_bytes
        try:
            is_there = self._skip_header()
        except EOFError:
            self._end_early()
            return
        if is_there:
            self._deflate = fast_gzip.deflate_decompressor()
            self._piece_bytes, self._checksum, self._n_plain = _FIRST_PIECE, 0, 0
        elif place == 0:
            self._end("the gzip stream is damaged (its header)")
        else:
            if self._is_more_than_padding():
                self._note(BEHIND, f"what stands behind its gzip stream, from byte {place:,} on, is no gzip and left out")
            self._end()

    def _unpack(self, most: int) -> bytes:
        piece = self._look(self._piece_bytes)
        deflate = self._deflate
        plain: bytes = deflate.decompress(piece, most)
        self._at += len(piece) - len(deflate.unused_data if deflate.eof else deflate.unconsumed_tail)
        self._piece_bytes = min(2 * self._piece_bytes, _LARGEST_PIECE)
        self._checksum = fast_gzip.crc32(plain, self._checksum)
        self._n_plain += len(plain)
        if deflate.eof:
            self._deflate = None
            self._check()
        elif not piece and not plain:
            self._end_early()
        return plain

    def _check(self) -> None:
        place = f"at byte {self.consumed_bytes:,} of the file"
        try:
            checksum, length = struct.unpack("<II", self._take(_TRAILER_BYTES))
        except EOFError:
            self._note(
                CHECKSUM, f"the file ends in the checksum of its gzip stream, {place}: nothing tells whether all is as written"
            )
            return
        if (checksum, length) != (self._checksum, self._n_plain & _LENGTH):
            what = "length" if checksum == self._checksum else "checksum"
            self._note(CHECKSUM, f"the {what} {place} does not fit what its gzip stream holds: some of it may not be as written")

    def _note(self, kind: str, text: str) -> None:
        count, first = self._odd.get(kind, (0, text))
        self._odd[kind] = (count + 1, first)

    def _skip_header(self) -> bool:
        """Goes behind the header of a member; False where none begins. EOFError where the file ends in it."""
        head = self._look(4)
        if head[:2] != GZIP or head[2:3] not in (b"", bytes((_DEFLATE,))) or any(flag & _UNKNOWN for flag in head[3:4]):
            return False
        flags = self._take(_HEADER_BYTES)[3]
        if flags & _HAS_EXTRA:
            self._take(int.from_bytes(self._take(2), "little"))
        for flag in _TEXTS:
            if flags & flag:
                self._skip_text()
        if flags & _HAS_CRC:
            self._take(2)
        return True

    def _skip_text(self) -> None:
        while (end := self._block.find(b"\0", self._at)) < 0:
            self._at = len(self._block)
            if not self._look(1):
                raise EOFError
        self._at = end + 1

    def _is_more_than_padding(self) -> bool:
        """Whether anything but zeros follows, with which tapes and disks are filled up."""
        while block := self._look(_BLOCK_BYTES):
            if block.strip(b"\0"):
                return True
            self._at += len(block)
        return False

    def _look(self, n: int) -> bytes:
        """The next `n` bytes of the file, which stay there; fewer at its end."""
        if len(self._block) - self._at < n:
            more = self._file.read(max(_BLOCK_BYTES, n))
            if more:
                self._before += self._at
                self._block, self._at = self._block[self._at :] + more, 0
        return self._block[self._at : self._at + n]

    def _take(self, n: int) -> bytes:
        found = self._look(n)
        self._at += len(found)
        if len(found) < n:
            raise EOFError
        return found
