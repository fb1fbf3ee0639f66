"""Kineto's Chrome JSON, every vintage since 2021, to a Trace.

    bytes --json_stream--> chunks of events --chunk--> columns --kineto_json--> RawTrace --trace.build--> Trace

A large file is read in stretches, of which helpers read some (`stretches.py`). This file puts the chunks' columns together and
reads what stands around the events: times' base and resolution, devices, distributed info, options. It never holds the whole
text, nor one object per event for longer than a chunk.
"""

from __future__ import annotations

import contextlib
import gc
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from tb_plugin.base import progress
from tb_plugin.base.errors import FormatError
from tb_plugin.base.units import format_bytes
from tb_plugin.formats.kineto import head as kineto_head
from tb_plugin.formats.kineto import json_repair, sign
from tb_plugin.formats.kineto.chunk import ChunkColumns
from tb_plugin.formats.kineto.helpers import Helpers
from tb_plugin.formats.kineto.json_stream import CHUNK_BYTES, ByteSource, EventStream
from tb_plugin.formats.kineto.so_far import Telling
from tb_plugin.formats.kineto.stretches import add_chunk, cut, join
from tb_plugin.trace.build import build
from tb_plugin.trace.json_text import NOT_JSON
from tb_plugin.trace.scope.recording import NOT_AN_EVENT, SECOND, UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tb_plugin.base.progress import OnProgress
    from tb_plugin.formats.kineto.stretches import ByteRange, ReadAlone
    from tb_plugin.trace.model import Trace
    from tb_plugin.trace.raw import RawTrace
    from tb_plugin.trace.so_far import OnSoFar

FORMAT = kineto_head.FORMAT
is_ours = sign.is_ours

LARGE_BYTES = 48 << 20
"""What one process reads about as fast as two, with what it takes to begin and to join."""

_KEPT_BYTES = 4 << 20
"""glibc gives what is freed in blocks of 128 kB and more back to the system, so that the memory of every chunk comes anew and has
to be cleared: until a larger block was freed, then up to its size. Of this one no page is touched."""

_READ = 0.75  # of the time; building is the rest
_IN_PARTS = 0.93  # of reading; then the parts are put together
_FIRST_BLOCKS = 4  # before helpers begin: they need to know what times are relative to


def read(
    path: str | Path, on_progress: OnProgress = progress.silent, on_so_far: OnSoFar | None = None, n_helpers: int = 0
) -> Trace:
    """A complete Trace; what is known while it is read goes to `on_so_far`. Of a large plain file `n_helpers` processes read
    a part, forked from this one, which therefore may have no other threads.

    FormatError when the file is empty, foreign or holds nothing readable.

    What is odd is repaired or kept, and counted in `trace.issues`; a truncated file gives what was readable.
    """
    bytes(_KEPT_BYTES)
    with _no_garbage_collection():
        raw = read_raw(Path(path), progress.part(on_progress, 0.0, _READ), on_so_far, n_helpers)
        on_progress(_READ, "building")
        trace = build(raw, progress.part(on_progress, _READ, 1.0), n_threads=min(1 + n_helpers, 2))
    on_progress(1.0, "checking")
    return trace


def read_raw(
    path: Path, on_progress: OnProgress = progress.silent, on_so_far: OnSoFar | None = None, n_helpers: int = 0
) -> RawTrace:
    """The file's rows, not linked."""
    if not path.is_file():
        raise FormatError(str(path), "no such file")
    columns = ChunkColumns()
    source = ByteSource(path, columns.issues)
    stream = EventStream(source)
    telling = None if on_so_far is None else Telling(columns, on_so_far)

    def read_on() -> None:
        part = min(source.consumed_bytes / max(source.size_bytes, 1), 1.0)
        on_progress(_IN_PARTS * part, "reading")
        if telling is not None:
            telling.look(part, stream.head)

    if source.size_bytes >= LARGE_BYTES and (n_helpers or telling) and source.is_plain:
        _read_in_stretches(source, stream, columns, telling, read_on, n_helpers)
    else:
        for text in stream:
            add_chunk(text, stream, columns)
            read_on()
    if telling is not None:
        telling.all_read(stream.head)
    issues = columns.issues
    if source.damage:
        issues.add("truncated", source.damage, stream.offset)
    elif not stream.ended:
        issues.add("truncated", "the file ends before its list of events does", stream.offset)
    if stream.ended and (n_behind := stream.cut_tail()):
        behind = f"behind the end of the JSON {format_bytes(n_behind)} follow that are not shown, perhaps a second profile"
        issues.add(SECOND, behind, 0)
    if columns.n_events == 0 and (issues.count(UNREADABLE) or issues.count(NOT_AN_EVENT)):
        raise FormatError(str(path), "not a PyTorch profile: its list holds no event that could be read")
    if columns.n_events and not columns.has_phases:
        raise FormatError(str(path), 'not a PyTorch profile: its items have no "ph"')
    return columns.raw_trace(_metadata(stream, columns), path.name, progress.part(on_progress, _IN_PARTS, 1.0))


def _read_in_stretches(
    source: ByteSource,
    stream: EventStream,
    columns: ChunkColumns,
    telling: Telling | None,
    read_on: Callable[[], None],
    n_helpers: int,
) -> None:
    """All of a plain file, from its begin; its last stretches by helpers, or first."""
    stream.begin(source.stretch(0, None))
    begin = source.consumed_bytes + _FIRST_BLOCKS * CHUNK_BYTES
    for text in stream.chunks(source.stretch(source.consumed_bytes, begin)):
        add_chunk(text, stream, columns)
    stretches = cut(begin, source.size_bytes)

    def heard(stretch: ByteRange, part: ReadAlone) -> None:
        source.consumed_bytes += (stretch.stop or source.size_bytes) - stretch.start
        if telling is not None:
            telling.hear(part)
        read_on()

    # Without a time to count from there is nothing to help with: nothing in a sound file of this size.
    can_help = columns.base_us is not None and not stream.ended and not source.damage
    with contextlib.closing(
        Helpers(source.path, columns.base_us or 0.0, stretches if can_help else [], n_helpers, heard)
    ) as helpers:
        helpers.read_early()
        for stretch in stretches:
            if source.damage:
                break
            part = helpers.part(stretch)
            if part is not None and telling is not None:
                telling.forget(part)
            if part is None or not join(part, stream, columns):
                for text in stream.chunks(source.stretch(*stretch)):
                    add_chunk(text, stream, columns)
                    helpers.look()
                    read_on()
    for text in stream.rest():
        add_chunk(text, stream, columns)
    read_on()


def _metadata(stream: EventStream, columns: ChunkColumns) -> dict[str, Any]:
    """The object around the list of events; {} for a file that is a bare list."""
    if not stream.head:
        return {}
    for attempt in _readings(stream):
        with contextlib.suppress(*NOT_JSON):
            found = msgspec.json.decode(attempt)
            if isinstance(found, dict):
                found.pop("traceEvents", None)
                return found
    columns.issues.add("metadata", "the text around the events is not JSON; devices and options are unknown", 0)
    return kineto_head.salvage(stream.head)


def _readings(stream: EventStream) -> Iterator[bytes]:
    """What the text around the events may be: as it stands, repaired, and without what follows the events."""
    text = stream.head + b"]" + (stream.tail if stream.ended and stream.tail.strip() else b"}")
    yield text
    yield json_repair.repair(text)[0]
    yield stream.head + b"]}"


@contextlib.contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Millions of short-lived objects without a cycle among them: the collector would triple the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
