"""Columns of integers as one text: little-endian int64, byte by byte (bytes of one place lie together), zstd, base64.

{"start": [5, 9], "end": [7, 11]}   ->   {"columns": ["start", "end"], "n_rows": 2, "data": "KLUv/SAg..."}
"""

from __future__ import annotations

import base64
import threading
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np
import zstandard

from tb_plugin.base.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tb_plugin.base.units import Int64Array

_LEVEL = 3
MOST_BYTES: Final = 1 << 28
"""Of a table unpacked: that of some 15 million events."""

_AT_ONCE_BYTES: Final = 1 << 20
"""Unpacked: what a processor keeps beside it."""


class _Own(threading.local):
    """Of each thread: to make one for each of 50 000 small tables takes twice as long as to unpack them."""

    def __init__(self) -> None:
        self.zstd = zstandard.ZstdDecompressor()


_OWN: Final = _Own()
_MATRIX: Final = "matrix"
"""Where a table that was looked at keeps what it unpacks to, which takes longer than what is asked of it, until `all_unpacked`
hands it on. In the table and no field of it, so that it goes with the table, or to who joins it."""


class Packed(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """A table. `data` is what `packed` made of its columns."""

    columns: list[str]
    n_rows: int
    data: str

    @property
    def n_bytes(self) -> int:
        """Unpacked."""
        return len(self.columns) * self.n_rows * 8


def packed(columns: Mapping[str, Int64Array]) -> Packed:
    """Differences from row to row, since times and ids ascend and zeros are short."""
    n_rows = len(next(iter(columns.values()))) if columns else 0
    table = np.zeros((len(columns), n_rows), np.int64)
    for place, column in enumerate(columns.values()):
        table[place] = column
    steps = np.diff(table, axis=1, prepend=0).astype("<i8")
    shuffled = steps.view(np.uint8).reshape(len(columns), n_rows, 8).transpose(0, 2, 1).tobytes()
    data = zstandard.ZstdCompressor(level=_LEVEL).compress(shuffled)
    return Packed(columns=list(columns), n_rows=n_rows, data=base64.b64encode(data).decode())


def unpacked(table: Packed) -> dict[str, Int64Array]:
    """The columns, which are the caller's own. UsageError for a text that is damaged."""
    return dict(zip(table.columns, matrix_of(table).copy(), strict=True))


def matrix_of(table: Packed) -> Int64Array:
    """[column, row], the same one each time until it is handed on; read-only. UsageError for a text that is damaged."""
    found: Int64Array | None = vars(table).get(_MATRIX)
    if found is None:
        found = _matrix(table)
        _keep(table, found)
    return found


def unpack_ahead(tables: Iterable[Packed]) -> None:
    """For who then asks for the matrix of each: those of one size, as most of a job's are, by one operation. One that is damaged
    is left as it is.
    """
    of_shape: dict[tuple[int, int], list[Packed]] = {}
    for table in tables:
        if _MATRIX not in vars(table):
            of_shape.setdefault((len(table.columns), table.n_rows), []).append(table)
    for (n_columns, n_rows), alike in of_shape.items():
        at_once = max(_AT_ONCE_BYTES // max(8 * n_columns * n_rows, 1), 1)
        for first in range(0, len(alike), at_once):
            whole = [(table, data) for table in alike[first : first + at_once] if (data := _data_of(table)) is not None]
            if whole:
                matrices = _matrices([data for _, data in whole], n_columns, n_rows)
                for (table, _), matrix in zip(whole, matrices, strict=True):
                    _keep(table, matrix)


def all_unpacked(tables: Sequence[Packed]) -> list[dict[str, Int64Array]]:
    """The columns of each. UsageError as `unpacked`."""
    unpack_ahead(tables)
    found = []
    for table in tables:
        kept: Int64Array | None = vars(table).pop(_MATRIX, None)  # by one who asks, where several do
        matrix = _matrix(table) if kept is None else kept
        matrix.flags.writeable = True
        found.append(dict(zip(table.columns, matrix, strict=True)))
    return found


def _keep(table: Packed, matrix: Int64Array) -> None:
    matrix.flags.writeable = False
    vars(table)[_MATRIX] = matrix


def _matrix(table: Packed) -> Int64Array:
    data = _data_of(table)
    if data is None:
        raise UsageError("the summary of a rank is damaged")
    found: Int64Array = _matrices([data], len(table.columns), table.n_rows)[0]
    return found


def _matrices(data: Sequence[bytes], n_columns: int, n_rows: int) -> Int64Array:
    """[table, column, row]"""
    shuffled = np.frombuffer(b"".join(data), np.uint8).reshape(len(data), n_columns, 8, n_rows)
    steps = np.ascontiguousarray(shuffled.transpose(0, 1, 3, 2)).view("<i8")[..., 0]
    return np.cumsum(steps, axis=2)


def _data_of(table: Packed) -> bytes | None:
    """None where it is damaged."""
    n_bytes = table.n_bytes
    data = _plain(table.data, n_bytes) if 0 < n_bytes <= MOST_BYTES else b""
    return data if len(data) == n_bytes else None


def _plain(text: str, n_bytes: int) -> bytes:
    """Nothing where it is damaged, or would be of another size: zstd heeds `max_output_size` only of a text that says none."""
    try:
        data = base64.b64decode(text)
        return _OWN.zstd.decompress(data) if zstandard.frame_content_size(data) == n_bytes else b""
    except (ValueError, zstandard.ZstdError, MemoryError):
        return b""
