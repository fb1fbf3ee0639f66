"""One column of one block: numbers to bytes and back. The layout is drawn in `proto/README.md`.

Numbers travel as signed little-endian integers of their own bits, so that floats, booleans and unsigned columns need no
rules of their own. Writing tries a few ways on a sample and keeps the smallest; reading does what the column says.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt
import zstandard

from tb_plugin.formats.stored import profile_pb2

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tb_plugin.base.units import Int64Array

pb: Any = profile_pb2  # generated code has no types
Message: TypeAlias = Any  # one of its classes
Array = npt.NDArray[Any]

MAX_WIDTH = 64
_SAMPLE_ROWS = 16_384
_WORTH_IT = 0.98  # a less simple way must save 2 %
_STORED_BYTES = (1, 2, 4, 8)
_SCALE = 1_000  # times of files with whole microseconds

_DTYPES: dict[int, np.dtype[Any]] = {
    pb.BOOL: np.dtype(np.bool_),
    pb.INT8: np.dtype(np.int8),
    pb.INT16: np.dtype(np.int16),
    pb.INT32: np.dtype(np.int32),
    pb.INT64: np.dtype(np.int64),
    pb.UINT8: np.dtype(np.uint8),
    pb.UINT16: np.dtype(np.uint16),
    pb.UINT32: np.dtype(np.uint32),
    pb.UINT64: np.dtype(np.uint64),
    pb.FLOAT32: np.dtype(np.float32),
    pb.FLOAT64: np.dtype(np.float64),
}
_NUMBER_OF_DTYPE = {dtype: number for number, dtype in _DTYPES.items()}


class ColumnError(ValueError):
    """Bytes that are not the column they say they are."""


@dataclass(frozen=True, kw_only=True)
class Way:
    """How a column is stored: the fields of the same name in `Column`."""

    transform: int = pb.PLAIN
    base: str = ""
    scale: int = 1
    planes: bool = False


def as_signed(values: Array) -> Array:
    """The same bits as signed integers, without a copy: (n, ...) of any dtype to (n, ...) of int8, 16, 32 or 64."""
    return values.view(f"i{values.dtype.itemsize}")


# Writing


def choose_way(values: Array, first_row: int, base: tuple[str, Array] | None, compressor: zstandard.ZstdCompressor) -> Way:
    """The way that is smallest on a sample from the middle of the block; `base` is a column to try differences with."""
    start = max(0, (len(values) - _SAMPLE_ROWS) // 2)
    sample = slice(start, start + _SAMPLE_ROWS)
    ways = [Way(), Way(transform=pb.DELTA)]
    if values.ndim == 1 and values.dtype.kind == "i" and values.dtype.itemsize > 1:
        ways.append(Way(transform=pb.ROW))
        ways += [Way(transform=pb.BASE, base=base[0])] if base else []
    ways += [replace(way, planes=True) for way in ways]
    sampled_base = (base[0], base[1][sample]) if base else None
    best, smallest = ways[0], None
    for way in ways:
        size = len(encode(values[sample], first_row + start, way, sampled_base, compressor).data)
        if smallest is None or size < smallest * _WORTH_IT:
            best, smallest = way, size
    return best


def encode(
    values: Array, first_row: int, way: Way, base: tuple[str, Array] | None, compressor: zstandard.ZstdCompressor
) -> Message:
    """A `Column` message without its name. `values` is (rows,) or (rows, width)."""
    numbers = _differences(as_signed(values).astype(np.int64), first_row, way, base)
    scale = _SCALE if values.dtype == np.int64 and numbers.any() and not (numbers % _SCALE).any() else 1
    if scale > 1:
        numbers //= scale
    low, high = (int(numbers.min()), int(numbers.max())) if numbers.size else (0, 0)
    stored_bytes = next(size for size in _STORED_BYTES if -(1 << (8 * size - 1)) <= low and high < 1 << (8 * size - 1))
    stored = np.ascontiguousarray(numbers, f"<i{stored_bytes}").reshape(-1)
    planes = way.planes and stored_bytes > 1
    if planes:
        stored = np.ascontiguousarray(stored.view(np.uint8).reshape(-1, stored_bytes).T)
    raw = stored.tobytes()
    packed = compressor.compress(raw)
    use_zstd = len(packed) < len(raw)
    return pb.Column(
        dtype=_NUMBER_OF_DTYPE[values.dtype],
        width=1 if values.ndim == 1 else values.shape[1],
        stored_bytes=stored_bytes,
        planes=planes,
        transform=way.transform,
        base=way.base,
        scale=scale,
        codec=pb.ZSTD if use_zstd else pb.RAW,
        data=packed if use_zstd else raw,
    )


def _differences(numbers: Int64Array, first_row: int, way: Way, base: tuple[str, Array] | None) -> Int64Array:
    if way.transform == pb.DELTA:
        numbers[1:] -= numbers[:-1]
    elif way.transform == pb.ROW:
        numbers -= np.arange(first_row, first_row + len(numbers))
    elif way.transform == pb.BASE and base is not None:
        numbers -= as_signed(base[1])
    return numbers


# Reading


def dtype_of(column: Message) -> np.dtype[Any]:
    """The dtype of a column's values."""
    dtype = _DTYPES.get(column.dtype)
    if dtype is None:
        raise ColumnError(f"column {column.name!r} has unknown type {column.dtype}")
    return dtype


def width_of(column: Message) -> int:
    """Numbers per row."""
    width = column.width or 1
    if width > MAX_WIDTH:
        raise ColumnError(f"column {column.name!r} claims {width} numbers a row")
    return int(width)


def decode_into(
    out: Array, column: Message, first_row: int, bases: Mapping[str, Array], decompressor: zstandard.ZstdDecompressor
) -> None:
    """Fills `out`, (rows,) or (rows, width) of the column's dtype. `bases`: this block's columns decoded so far."""
    target = as_signed(out)
    numbers = _numbers(column, target.size, decompressor).reshape(target.shape)
    if column.scale > 1:
        numbers = numbers.astype(np.int64) * np.array(column.scale, np.uint64).astype(np.int64)
    if column.transform == pb.PLAIN:
        target[...] = numbers
    elif column.transform == pb.DELTA:
        np.cumsum(numbers, axis=0, dtype=target.dtype, out=target)
    elif column.transform == pb.ROW and target.ndim == 1:
        np.add(numbers, np.arange(first_row, first_row + len(target)), out=target, casting="unsafe")
    elif column.transform == pb.BASE and column.base in bases and bases[column.base].shape == target.shape:
        np.add(numbers, as_signed(bases[column.base]), out=target, dtype=target.dtype, casting="unsafe")
    else:
        raise ColumnError(f"column {column.name!r} has transform {column.transform} on {column.base!r}, which cannot be undone")
    if out.dtype == np.bool_:
        target[...] = target != 0


def _numbers(column: Message, size: int, decompressor: zstandard.ZstdDecompressor) -> Array:
    """The stored numbers, flat."""
    stored_bytes = column.stored_bytes
    if stored_bytes not in _STORED_BYTES:
        raise ColumnError(f"column {column.name!r} has numbers of {stored_bytes} bytes")
    if column.codec == pb.ZSTD:
        raw = unpack(column.data, size * stored_bytes, decompressor)
    elif column.codec == pb.RAW:
        raw = column.data
    else:
        raise ColumnError(f"column {column.name!r} has unknown codec {column.codec}")
    if len(raw) != size * stored_bytes:
        raise ColumnError(f"column {column.name!r} holds {len(raw)} bytes instead of {size * stored_bytes}")
    if column.planes and stored_bytes > 1:
        planes = np.frombuffer(raw, np.uint8).reshape(stored_bytes, size)
        return np.ascontiguousarray(planes.T).view(f"<i{stored_bytes}").reshape(-1)
    return np.frombuffer(raw, f"<i{stored_bytes}")


def unpack(data: bytes, most: int, decompressor: zstandard.ZstdDecompressor) -> bytes:
    """A zstd frame's content. What the frame claims is checked against `most` bytes before anything is allocated."""
    try:
        claimed = zstandard.frame_content_size(data)
        if not 0 <= claimed <= most:
            raise ColumnError(f"a compressed part claims {claimed} bytes where {most} are possible")
        return decompressor.decompress(data)
    except zstandard.ZstdError as error:
        raise ColumnError(f"a compressed part is damaged ({error})") from error
