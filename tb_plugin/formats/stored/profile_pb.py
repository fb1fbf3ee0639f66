"""The stored profile, `*.pt.profile.pb`: a Trace as a stream of protobuf chunks. Layout: `proto/README.md`.

Reading gives back exactly what was written. A file that was cut off gives its complete chunks and an issue; one that
was damaged, made by a later version or by something else gives one `FormatError`.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import zstandard
from google.protobuf.message import DecodeError

from tb_plugin.base import progress
from tb_plugin.base.errors import FormatError
from tb_plugin.formats import whole_file
from tb_plugin.formats.content import STORED, is_stored
from tb_plugin.formats.gunzip import GZIP, Gunzip
from tb_plugin.formats.issue_log import IssueLog
from tb_plugin.formats.stored import blocks as pb_blocks
from tb_plugin.formats.stored import info as pb_info
from tb_plugin.formats.stored.columns import ColumnError, Message, pb
from tb_plugin.formats.stored.references import put_right
from tb_plugin.trace.model import TABLES, Issue, Steps, Trace, Tracks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tb_plugin.base.progress import OnProgress
    from tb_plugin.formats.content import Content

FORMAT = "profile-pb"
MAGIC = STORED
FORMAT_VERSION = 1
READER_VERSION = 1
"""The highest `minimum_reader_version` this reader can obey."""

_FIRST_BYTES = 64
_CHUNK_TAG = 0x0A  # field 1, length-delimited
_WIRE_LENGTH_DELIMITED = 2
_READ = 0.3  # of the time; unpacking is the rest
_MORE_FOR_TEXT = 3  # levels
_KNOWN = {table.name: table for table in TABLES}
# Small and referred to by the others, so that a file cut off in the middle of its events keeps them.
_FIRST = (Tracks, Steps)


def write(trace: Trace, path: str | Path, level: int = 3) -> None:
    """Writes a profile; nobody sees a half written one. `level` is zstd's, 1 (fast) to 19 (small)."""
    with whole_file.written(Path(path)) as file:
        for piece in pieces(trace, level):
            file.write(piece)


def pieces(trace: Trace, level: int) -> Iterator[bytes]:
    """The bytes of the file, chunk by chunk."""
    for chunk in _chunks(trace, level):
        data = chunk.SerializeToString()
        yield bytes((_CHUNK_TAG,)) + _varint(len(data)) + data


def _chunks(trace: Trace, level: int) -> Iterator[Message]:
    compressor = zstandard.ZstdCompressor(level=level, write_checksum=True)
    # Text is most of a file and gains a sixth from more effort; columns gain next to nothing.
    text_compressor = zstandard.ZstdCompressor(
        level=min(level + _MORE_FOR_TEXT, zstandard.MAX_COMPRESSION_LEVEL), write_checksum=True
    )
    header = pb.Header(
        magic=MAGIC.decode(),
        format_version=FORMAT_VERSION,
        minimum_reader_version=1,
        writer="torch-tb-plugin",
        info=pb_info.info_message(trace.info),
    )
    yield pb.Chunk(header=header)
    yield from pb_blocks.issue_chunks(trace.issues)
    yield from pb_blocks.string_chunks(trace.strings, text_compressor)
    for table in (*_FIRST, *(table for table in TABLES if table not in _FIRST)):
        yield from pb_blocks.table_chunks(trace.table(table), compressor)
    yield from pb_blocks.args_chunks(trace.args, text_compressor)
    rows = [pb.TableRows(table=table.name, n_rows=len(trace.table(table))) for table in TABLES]
    yield pb.Chunk(footer=pb.Footer(rows=rows, n_strings=len(trace.strings)))


def is_ours(content: Content) -> bool:
    return is_stored(content.head)


class FirstBytes(NamedTuple):
    """What they tell of a file. `base_ns`: Unix time of time 0, 0 where they do not."""

    rank: int | None = None
    base_ns: int = 0
    world_size: int | None = None
    host: str | None = None


def told_by(head: bytes) -> FirstBytes:
    try:
        for _, data in _chunk_bytes(io.BytesIO(head), len(head)):
            info = pb.Chunk.FromString(data).header.info
            said = {name: getattr(info, name) if info.HasField(name) else None for name in ("rank", "world_size", "host")}
            return FirstBytes(base_ns=int(info.base_ns), **said)
    except (DecodeError, ColumnError):
        pass
    return FirstBytes()


def read(path: str | Path, on_progress: OnProgress = progress.silent) -> Trace:
    """The Trace of a stored profile; FormatError when there is none in the file."""
    path = Path(path)
    with path.open("rb") as file:
        return read_from(file, path.stat().st_size, path, on_progress)


def read_from(file: BinaryIO, size: int, path: Path, on_progress: OnProgress = progress.silent) -> Trace:
    """The same of an open one, so many bytes long; errors name `path`."""
    reading = progress.part(on_progress, 0.0, _READ)
    try:
        odd = IssueLog()
        stream, size = _unzipped(file, size, odd)
        collected = _Collected(odd)
        for place, data in _chunk_bytes(stream, size):
            collected.add(pb.Chunk.FromString(data))
            reading(place / size, "reading")
        return collected.trace(size, progress.part(on_progress, _READ, 1.0))
    except DecodeError as error:
        raise FormatError(str(path), "a chunk is damaged") from error
    except ColumnError as error:
        raise FormatError(str(path), str(error)) from error


class _Collected:
    """The chunks of one file, by kind. Small: everything in them is still compressed."""

    def __init__(self, odd: IssueLog) -> None:
        self._odd = odd  # about the file that they came in
        self.header: Message = None
        self.footer: Any = None
        self.strings: list[Any] = []
        self.args: list[Any] = []
        self.issues: list[Any] = []
        self.tables: dict[str, list[Any]] = {name: [] for name in _KNOWN}

    def add(self, chunk: Message) -> None:
        kind = chunk.WhichOneof("kind")
        if kind == "header":
            if self.header is not None:
                raise ColumnError("a second header: two profiles in one file")
            _check_header(chunk.header)
            self.header = chunk.header
        elif self.header is None:
            raise ColumnError("not a PyTorch profile: no header")
        elif kind == "columns":
            if chunk.columns.table in self.tables:
                self.tables[chunk.columns.table].append(chunk.columns)
        elif kind == "footer":
            self.footer = chunk.footer
        elif kind is not None:
            getattr(self, kind).append(getattr(chunk, kind))

    def trace(self, file_bytes: int, on_progress: OnProgress) -> Trace:
        if self.header is None:
            raise ColumnError("the file ends inside its header")
        decompressor = zstandard.ZstdDecompressor()
        allowance = pb_blocks.Allowance(file_bytes)
        pb_blocks.check_blocks(self.tables, allowance, _KNOWN)
        n_blocks = sum(map(len, self.tables.values()))
        done = 0

        def on_block() -> None:
            nonlocal done
            done += 1
            on_progress(done / n_blocks, "unpacking")

        strings = pb_blocks.read_strings(self.strings, allowance, decompressor)
        tables: dict[str, Any] = {
            name: pb_blocks.read_table(_KNOWN[name], blocks, decompressor, on_block) for name, blocks in self.tables.items()
        }
        n_rows = {name: len(table) for name, table in tables.items()}
        trace = Trace(
            strings=strings,
            info=pb_info.read_info(self.header.info),
            issues=(*pb_blocks.read_issues(self.issues), *self._check_footer(n_rows, strings), *self._odd.as_list()),
            args=pb_blocks.read_args(self.args, allowance),
            **tables,
        )
        return put_right(trace)

    def _check_footer(self, n_rows: dict[str, int], strings: tuple[str, ...]) -> list[Issue]:
        if self.footer is None:
            text = f"The file was cut off: {n_rows['events']:,} events and what belongs to them could be read."
            return [Issue(kind="truncated", text=text)]
        for stored in self.footer.rows:
            if stored.table in n_rows and n_rows[stored.table] != stored.n_rows:
                raise ColumnError(f"table {stored.table!r} has {n_rows[stored.table]} rows where {stored.n_rows} were written")
        if self.footer.n_strings != len(strings):
            raise ColumnError(f"it has {len(strings)} strings where {self.footer.n_strings} were written")
        return []


def _check_header(header: Message) -> None:
    if header.magic.encode() != MAGIC:
        raise ColumnError("not a PyTorch profile: some other protobuf file")
    if header.minimum_reader_version > READER_VERSION:
        raise ColumnError(
            f"written by a later torch-tb-plugin: it needs reader version {header.minimum_reader_version}, "
            f"this one is {READER_VERSION}; update torch-tb-plugin"
        )


def _chunk_bytes(file: BinaryIO, size: int) -> Iterator[tuple[int, bytes]]:
    """(place behind it, bytes) of each complete chunk. Ends quietly where the file ends, also within a chunk."""
    place = 0
    if not is_stored(file.read(_FIRST_BYTES)):
        raise ColumnError("not a PyTorch profile: " + ("the file is empty" if size == 0 else "no profile header at its start"))
    file.seek(0)
    while place < size:
        head = file.read(20)  # two varints at most
        tag, used = _read_varint(head, 0)
        length, used = _read_varint(head, used)
        if tag is None or length is None or place + used + length > size:
            return
        if tag & 7 != _WIRE_LENGTH_DELIMITED or not tag >> 3:
            raise ColumnError(f"damaged at byte {place}: no chunk begins there")
        file.seek(place + used)
        data = file.read(length)
        place += used + length
        if tag == _CHUNK_TAG:  # other fields of Profile belong to later versions
            yield place, data


def _unzipped(file: BinaryIO, size: int, issues: IssueLog) -> tuple[BinaryIO, int]:
    """The file, or what is in it when somebody gzipped it; it hardly shrinks, so it can be held in memory."""
    zipped = file.read(len(GZIP)) == GZIP
    file.seek(0)
    if not zipped:
        return file, size
    unpacked = Gunzip(file)
    data = unpacked.piece(16 * size + (1 << 20))
    unpacked.note_in(issues)
    return io.BytesIO(data), len(data)


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _read_varint(data: bytes, place: int) -> tuple[int | None, int]:
    """A varint and the place behind it; None when the data ends within it."""
    number = 0
    for shift in range(0, 70, 7):
        if place >= len(data):
            return None, place
        byte = data[place]
        place += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, place
    raise ColumnError("a length is damaged")
