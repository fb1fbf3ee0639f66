"""A stretch of a large plain file, read without what stands before it, so that several processes may read one file.

    file    | head |   1   |   2   |   3   |   4   |
    here      ------------->------->                   and at last joins 3 and 4
    helpers                        <---3---<---4---    from the end, where the work of devices stands

Stretches end between two blocks, where reading in one go would have cut a chunk too: the chunks are the same ones. An event that
lies across is carried over (`json_stream.Seam`). Who begins in the middle takes it that all before is sound and says from which
seam it began. Where the stretch before does not end there, by damage or because the list of events ended, what was read is
dropped and the stretch is read again: the outcome is that of reading in one go, whatever is in the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tb_plugin.formats.kineto.broken import take_apart
from tb_plugin.formats.kineto.chunk import ChunkColumns
from tb_plugin.formats.kineto.json_stream import CHUNK_BYTES, ByteSource, EventStream
from tb_plugin.trace.json_text import NOT_JSON

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.formats.kineto.json_stream import Seam

_LEAST_BLOCKS, _MOST_BLOCKS = 16, 128  # 4 to 32 MB: a quarter of a second
_STRETCHES = 32


class ByteRange(NamedTuple):
    """Bytes of a file between two multiples of CHUNK_BYTES; without `stop` to its end."""

    start: int
    stop: int | None


@dataclass
class ReadAlone:
    """A stretch that was read alone."""

    begins: Seam
    columns: ChunkColumns
    stream: EventStream  # where it ended
    is_last: bool  # of the file


def cut(start: int, size_bytes: int) -> list[ByteRange]:
    """From `start`, a multiple of CHUNK_BYTES, to the end of a file of this size."""
    n_blocks = max(size_bytes - start, 0) // CHUNK_BYTES
    most = min(max(n_blocks // _STRETCHES, _LEAST_BLOCKS), _MOST_BLOCKS)
    places = [start + CHUNK_BYTES * block for block in range(0, n_blocks, most)] or [start]
    return [ByteRange(*pair) for pair in zip(places, [*places[1:], None], strict=True)]


def read_alone(path: Path, stretch: ByteRange, base_us: float) -> ReadAlone | None:
    """None where it cannot be read without what stands before it."""
    columns = ChunkColumns(base_us)
    source = ByteSource(path, columns.issues)
    stream = EventStream(source)
    if not stream.begin_at(stretch.start):
        return None
    begins = stream.seam
    for text in stream.chunks(source.stretch(*stretch)):
        add_chunk(text, stream, columns)
    return ReadAlone(begins, columns, stream, stretch.stop is None) if columns.is_joinable and source.damage is None else None


def add_chunk(text: bytes, stream: EventStream, columns: ChunkColumns) -> None:
    """One chunk into the columns, in one piece when it is sound, else event by event."""
    text = columns.short_times.shorten(text)
    try:
        events = columns.decoder.decode(text)
    except NOT_JSON:
        parts = take_apart(text, stream.offset, columns.issues, last=stream.is_last)
        events = parts.events
        stream.keep(parts.kept)
        if parts.rest is not None:
            stream.end_at(parts.rest)
    columns.add(events)


def join(part: ReadAlone, stream: EventStream, columns: ChunkColumns) -> bool:
    """Puts it behind what was read so far; False where it did not begin there."""
    if part.begins != stream.seam:
        return False
    columns.join(part.columns)
    stream.go_on_from(part.stream)
    return True
