"""A file of columns that are used where they lie: mapped, so that the system may drop their pages, and reads them again.

       0   "torch-tb-plugin columns 2", padded to 32 bytes; the file's size, where its head begins, a checksum of all
      64   columns, each at a multiple of 64 bytes: the numbers as they are in memory
    3200   the note: bytes that belong to the columns
    3300   the head, JSON: {"columns": {"events.kind": ["|u1", [3000], 64]},
                            "packed": {"events.sequence": ["<i4", [3000], 3136, 40]}, "note": [3200, 100]}

Columns that are equal lie there once. Packed ones are zstd, with their bytes in the file.

For caches of one machine alone, never to be sent. Such a file is written under another name, and never changed once it has its
own: who reads a mapped page that is gone is ended by the system. Reading checks all of it, 30 GB a second.
"""

from __future__ import annotations

import functools
import mmap
import os
import struct
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt
import zstandard

from tb_plugin.base import fast_gzip, progress
from tb_plugin.base.errors import FormatError
from tb_plugin.base.local_disk import is_local
from tb_plugin.formats import whole_file

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path

    from tb_plugin.base.progress import OnProgress

Column = npt.NDArray[Any]

_FIRST: Final = struct.Struct("<32sQQ")
_CHECKSUM: Final = struct.Struct("<I")
_MAGIC: Final = b"torch-tb-plugin columns 2".ljust(32, b"\0")
_ALIGNED: Final = 64
_READ_ONLY: Final = 0o400
_LEVEL: Final = 1
_FEW: Final = 4096  # rows
_LEAST_MAPPED: Final = 4 << 20
"""Of a file. A mapped one holds a descriptor, of which a process has about a thousand; smaller ones are read."""


class _Head(msgspec.Struct, frozen=True):
    columns: dict[str, tuple[str, list[int], int]]  # dtype, shape, place
    packed: dict[str, tuple[str, list[int], int, int]]  # and bytes
    note: tuple[int, int]  # place, bytes


class Columns(NamedTuple):
    """What is in a file. `by_name` are read-only views of it; `packed` makes a read-only column anew each time."""

    by_name: dict[str, Column]
    packed: dict[str, Callable[[], Column]]
    note: bytes


def write(
    path: Path,
    columns: Mapping[str, Column],
    note: bytes = b"",
    pack: Collection[str] = (),
    on_progress: OnProgress = progress.silent,
) -> None:
    """OSError where it cannot be written; a file that is there is whole. `pack`: names of columns that few ask for."""
    n_all = max(sum(column.nbytes for column in columns.values()), 1)
    n_done = 0
    with whole_file.written(path) as file:
        out = _Checked(file)
        out.write(bytes(_ALIGNED))
        out.checksum = 0  # of what follows
        placed: dict[str, tuple[str, list[int], int]] = {}
        packed: dict[str, tuple[str, list[int], int, int]] = {}
        for name, column in columns.items():
            on_progress(n_done / n_all, f"writing, {n_done / n_all:.0%}")
            n_done += column.nbytes
            data = np.ascontiguousarray(column).reshape(-1).view(np.uint8).data
            kind, shape = column.dtype.str, list(column.shape)
            if name in pack:
                data = memoryview(zstandard.compress(data, _LEVEL))
                packed[name] = (kind, shape, out.place, len(data))
            elif (twin := _twin(column, {other: columns[other] for other in placed})) is not None:
                placed[name] = placed[twin]
                continue
            else:
                placed[name] = (kind, shape, out.place)
            out.write(data)
            out.write(bytes(-out.place % _ALIGNED))
        noted = (out.place, len(note))
        out.write(note)
        head_place = out.place
        out.write(msgspec.json.encode(_Head(placed, packed, noted)))
        first = _FIRST.pack(_MAGIC, out.place, head_place)
        file.seek(0)
        file.write(first + _CHECKSUM.pack(fast_gzip.crc32(first, out.checksum)))
        if os.name == "posix":
            os.fchmod(file.fileno(), _READ_ONLY)  # nobody cuts it by mistake


def _twin(column: Column, others: Mapping[str, Column]) -> str | None:
    """The name of a column that is the same."""
    for name, other in others.items():
        alike = other.dtype == column.dtype and other.shape == column.shape
        # Most differ in their first rows: comparing whole columns with each other would take longer than writing them.
        if alike and np.array_equal(other[:_FEW], column[:_FEW]) and np.array_equal(other, column):
            return name
    return None


class _Checked:
    def __init__(self, file: Any) -> None:
        self._file = file
        self.place = 0
        self.checksum = 0

    def write(self, data: bytes | memoryview) -> None:
        self._file.write(data)
        self.checksum = fast_gzip.crc32(data, self.checksum)
        self.place += len(data)


def read(path: Path) -> Columns:
    """FormatError for what is no such file, or not as it was written; OSError where it cannot be read."""
    with path.open("rb") as file:
        data = _bytes_of(file, path)
    if not _is_whole(data):
        raise FormatError(str(path), "damaged columns")
    head = msgspec.json.decode(data[_FIRST.unpack_from(data)[2] :], type=_Head)
    by_name = {name: _column(data, *where) for name, where in head.columns.items()}
    packed: dict[str, Callable[[], Column]] = {
        name: functools.partial(_unpacked, data, *where) for name, where in head.packed.items()
    }
    place, n_bytes = head.note
    return Columns(by_name, packed, bytes(data[place : place + n_bytes]))


def _is_whole(data: memoryview) -> bool:
    """Every byte as it was written."""
    if len(data) < _ALIGNED:
        return False
    magic, size, _ = _FIRST.unpack_from(data)
    (said,) = _CHECKSUM.unpack_from(data, _FIRST.size)
    checksum = fast_gzip.crc32(data[: _FIRST.size], fast_gzip.crc32(data[_ALIGNED:], 0))
    return bool(magic == _MAGIC and size == len(data) and said == checksum)


def _column(data: memoryview, dtype: str, shape: list[int], place: int) -> Column:
    column: Column = np.ndarray(shape, dtype, data, place)
    return column


def _unpacked(data: memoryview, dtype: str, shape: list[int], place: int, n_bytes: int) -> Column:
    column: Column = np.frombuffer(zstandard.decompress(data[place : place + n_bytes]), dtype)
    return column.reshape(shape)


def _bytes_of(file: BinaryIO, path: Path) -> memoryview:
    """Mapped where that is safe: what another machine takes away of a mapped file ends this process."""
    size = os.fstat(file.fileno()).st_size
    if size < _LEAST_MAPPED or not is_local(path):
        return memoryview(file.read())
    return memoryview(mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ))
