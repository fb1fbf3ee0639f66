"""Tables, strings, arguments and issues as blocks of the stored profile, and back. Knows no table by name.

Each writer yields `Chunk` messages; each reader takes the blocks of one kind, in file order, and refuses what a hostile
file could make expensive: every size is checked against `Allowance` before it is allocated.
"""

from __future__ import annotations

import itertools
from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import zstandard

from tb_plugin.formats.stored.columns import (
    Array,
    ColumnError,
    Message,
    choose_way,
    decode_into,
    dtype_of,
    encode,
    pb,
    unpack,
    width_of,
)
from tb_plugin.trace.args import ArgsStore
from tb_plugin.trace.compact import is_missing
from tb_plugin.trace.model import Issue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tb_plugin.trace.table import Table

BLOCK_ROWS = 65_536
_STRING_BYTES = 1 << 20  # of one block
_ARGS_BYTES = 1 << 20  # of one block; a click decodes one
_SMALLEST_ALLOWANCE = 256 << 20
_MOST_EXPANSION = 400  # times the file's size; real profiles unpack to 10 to 40 times

# Columns that are small as a difference from another one. Only a hint for writers: files say themselves what they did.
_BASES: dict[str, str] = {
    "end_ns": "start_ns",
    "nest_parent": "parent",
    "owner": "launch",
    "types_id": "shapes_id",
    "external_id": "correlation",
}


class Allowance:
    """How many bytes a file of this size may unpack to. A bomb of a few kilobytes does not get to fill the memory."""

    def __init__(self, file_bytes: int) -> None:
        self._left = max(_SMALLEST_ALLOWANCE, file_bytes * _MOST_EXPANSION)

    @property
    def left(self) -> int:
        return self._left

    def spend(self, n_bytes: int) -> None:
        self._left -= n_bytes
        if self._left < 0:
            raise ColumnError("it claims to hold far more data than a file of its size can")


# Tables


def table_chunks(table: Table, compressor: zstandard.ZstdCompressor) -> Iterator[Message]:
    """The chunks of one table. An empty table has none."""
    schema = table.schema()
    columns = {name: np.asarray(array, schema[name][0]) for name, array in table.columns().items() if len(array)}
    missing = {name: absent for name, (_, absent, _) in schema.items()}
    # A column without any value is not stored, so nothing can be built on it: `correlation` of a CPU-only trace.
    recorded = {name: array for name, array in columns.items() if not is_missing(array, missing[name])}
    bases = {name: (_BASES[name], columns[_BASES[name]]) for name in recorded if _BASES.get(name) in recorded}
    ways = {name: choose_way(array, 0, bases.get(name), compressor) for name, array in recorded.items()}
    # A base must stand before what is built on it.
    ordered = sorted(ways, key=lambda name: bool(ways[name].base))
    for first_row in range(0, len(table), BLOCK_ROWS):
        rows = slice(first_row, min(first_row + BLOCK_ROWS, len(table)))
        chunk = pb.Chunk()
        block = chunk.columns
        block.table, block.first_row, block.n_rows = table.name, first_row, rows.stop - first_row
        kept = {name for name in ordered if not is_missing(columns[name][rows], missing[name])}
        kept |= {ways[name].base for name in kept if ways[name].base}
        for name in ordered:
            if name in kept:
                base = (bases[name][0], bases[name][1][rows]) if name in bases else None
                column = encode(columns[name][rows], first_row, ways[name], base, compressor)
                column.name = name
                block.column.append(column)
        yield chunk


def read_table(
    table: type[Table], blocks: Sequence[Message], decompressor: zstandard.ZstdDecompressor, on_block: Callable[[], None]
) -> Table:
    """One table from its blocks. Columns that `table` does not declare are skipped, those it misses are filled."""
    n_rows = sum(block.n_rows for block in blocks)
    columns = _allocate(table, blocks, n_rows)
    for block in blocks:
        rows = slice(block.first_row, block.first_row + block.n_rows)
        _read_block(block, {name: array[rows] for name, array in columns.items()}, table, decompressor)
        on_block()
    return table.from_columns(columns, n_rows)


def check_blocks(blocks: Mapping[str, Sequence[Message]], allowance: Allowance, known: Mapping[str, type[Table]]) -> None:
    """Blocks of a table follow each other, and all tables together stay within the allowance."""
    for name, of_table in blocks.items():
        next_row = 0
        for block in of_table:
            if block.first_row != next_row or not 0 < block.n_rows <= BLOCK_ROWS:
                raise ColumnError(f"a block of table {name!r} has rows {block.first_row} + {block.n_rows} after {next_row}")
            next_row += block.n_rows
        row_bytes = sum(dtype.itemsize * width for dtype, _, width in known[name].schema().values())
        allowance.spend(next_row * row_bytes)


def _allocate(table: type[Table], blocks: Sequence[Message], n_rows: int) -> dict[str, Array]:
    """Room for each declared column that any block has; already "not recorded" where some block lacks it."""
    n_blocks = Counter(column.name for block in blocks for column in block.column)
    columns: dict[str, Array] = {}
    for name, (dtype, missing, width) in table.schema().items():
        shape = (n_rows,) if width == 1 else (n_rows, width)
        if n_blocks[name]:
            columns[name] = np.empty(shape, dtype) if n_blocks[name] == len(blocks) else np.full(shape, missing, dtype)
    return columns


def _read_block(
    block: Message, columns: Mapping[str, Array], table: type[Table], decompressor: zstandard.ZstdDecompressor
) -> None:
    schema = table.schema()
    needed = {column.base for column in block.column if column.name in columns} | columns.keys()
    done: dict[str, Array] = {}
    for column in block.column:
        name = column.name
        if name in done:
            raise ColumnError(f"column {name!r} comes twice")
        if name not in needed:  # of a later version
            continue
        declared = columns.get(name)
        dtype, width = dtype_of(column), width_of(column)
        if declared is not None and width != schema[name][2]:
            raise ColumnError(f"column {name!r} has {width} numbers a row instead of {schema[name][2]}")
        in_place = declared is not None and declared.dtype == dtype
        shape = (block.n_rows,) if width == 1 else (block.n_rows, width)
        done[name] = declared if declared is not None and in_place else np.empty(shape, dtype)
        decode_into(done[name], column, block.first_row, done, decompressor)
        if declared is not None and not in_place:
            declared[...] = _cast(done[name], *schema[name][:2])


def _cast(values: Array, dtype: np.dtype[Any], missing: float) -> Array:
    """Values of a file whose column has another type; what does not fit the declared one counts as not recorded."""
    with np.errstate(invalid="ignore"):
        cast = values.astype(dtype)
        cast[cast.astype(values.dtype) != values] = missing
    return cast


# Strings


def string_chunks(strings: Sequence[str], compressor: zstandard.ZstdCompressor) -> Iterator[Message]:
    for group in _groups((text.encode("utf-8", "surrogatepass") for text in strings), _STRING_BYTES):
        yield pb.Chunk(strings=pb.StringBlock(length=map(len, group), data=compressor.compress(b"".join(group))))


def read_strings(blocks: Iterable[Message], allowance: Allowance, decompressor: zstandard.ZstdDecompressor) -> tuple[str, ...]:
    strings: list[str] = []
    for block in blocks:
        lengths = np.array(block.length, np.int64)
        raw = unpack(block.data, allowance.left, decompressor)
        allowance.spend(len(raw) + 64 * len(lengths))
        ends = np.cumsum(lengths).tolist()
        if (ends[-1] if ends else 0) != len(raw):
            raise ColumnError("a block of strings has lengths that do not add up")
        try:
            # Nearly all names are ASCII: cutting one decoded text is three times faster than decoding each.
            source: Any = raw.decode("ascii") if raw.isascii() else raw
            cut = [source[start:end] for start, end in itertools.pairwise([0, *ends])]
            strings += cut if raw.isascii() else [text.decode("utf-8", "surrogatepass") for text in cut]
        except UnicodeDecodeError as error:
            raise ColumnError("a string is not UTF-8") from error
    return tuple(strings)


def _groups(items: Iterable[bytes], most_bytes: int) -> Iterator[list[bytes]]:
    """Consecutive items in groups of at most so many bytes (or of one item)."""
    group: list[bytes] = []
    size = 0
    for item in items:
        if group and size + len(item) > most_bytes:
            yield group
            group, size = [], 0
        group.append(item)
        size += len(item)
    if group:
        yield group


# Arguments


def args_chunks(args: ArgsStore, compressor: zstandard.ZstdCompressor) -> Iterator[Message]:
    """Blocks of a trace are small, for reading speed; here neighbours are joined, which halves their size."""
    first, next_order, size = 0, -1, 0
    bodies: list[bytes] = []
    for first_order, raw in args:
        body = raw.strip()[1:-1].strip()
        n_events = len(msgspec.json.decode(raw, type=list[msgspec.Raw]))
        if bodies and (first_order != next_order or size + len(body) > _ARGS_BYTES):
            yield _args_chunk(first, bodies, compressor)
            bodies, size = [], 0
        if not n_events:
            continue
        if not bodies:
            first = first_order
        bodies.append(body)
        size += len(body)
        next_order = first_order + n_events
    if bodies:
        yield _args_chunk(first, bodies, compressor)


def _args_chunk(first_order: int, bodies: Sequence[bytes], compressor: zstandard.ZstdCompressor) -> Message:
    return pb.Chunk(args=pb.ArgsBlock(first_order=first_order, data=compressor.compress(b"[" + b",".join(bodies) + b"]")))


def read_args(blocks: Iterable[Message], allowance: Allowance) -> ArgsStore:
    """Blocks stay compressed until one event is asked for; only what they claim to be is checked."""
    first_orders: list[int] = []
    packed: list[bytes] = []
    for block in blocks:
        data = block.data
        try:
            claimed = zstandard.frame_content_size(data)
        except zstandard.ZstdError as error:
            raise ColumnError(f"a block of arguments is damaged ({error})") from error
        if not 0 <= claimed <= allowance.left or (first_orders and block.first_order <= first_orders[-1]):
            raise ColumnError(f"a block of arguments claims {claimed} bytes from event {block.first_order}")
        allowance.spend(claimed)
        first_orders.append(block.first_order)
        packed.append(data)
    return ArgsStore(first_orders, packed)


# Issues


def issue_chunks(issues: Sequence[Issue]) -> Iterator[Message]:
    if issues:
        stored = [pb.Issue(kind=issue.kind, count=issue.count, text=issue.text, first=issue.first) for issue in issues]
        yield pb.Chunk(issues=pb.IssueBlock(issue=stored))


def read_issues(blocks: Iterable[Message]) -> list[Issue]:
    stored = itertools.chain.from_iterable(block.issue for block in blocks)
    return [Issue(kind=issue.kind, count=issue.count, text=issue.text, first=issue.first) for issue in stored]
