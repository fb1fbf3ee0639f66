"""Columns of device work as CUPTI records it: launch shapes, sizes, places, and what a click shows of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.trace.raw import RawWork

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tb_plugin.formats.nvidia.sqlite_tables import TableColumns

PLACE: Final = ("start", "end", "deviceId", "streamId", "correlationId")
"""Columns that every table of device work has."""

LAUNCH: Final = (
    *(f"{name}{axis}" for name in ("grid", "block") for axis in "XYZ"),
    "registersPerThread",
    "staticSharedMemory",
    "dynamicSharedMemory",
)

_SHAPES = ("grid", "block")
_WHOLE = ("registers", "shared_bytes", "bytes")
_FRACTIONS = ("blocks_per_sm", "warps_per_sm", "occupancy_percent")
_THREADS_PER_WARP = 32
_MOST = np.iinfo(np.int32).max
_NO_STREAM = (0xFFFF_FFFF, -1)  # waits of a whole context


def launch_columns(rows: TableColumns, multiprocessors: Mapping[int, int]) -> dict[str, npt.NDArray[Any]]:
    """Columns of `model.Work` for kernels. `multiprocessors` by device: what fills a device follows from it, as in Kineto."""
    grid, block = (np.stack([rows[f"{name}{axis}"] for axis in "XYZ"], axis=1) for name in _SHAPES)
    devices, of_row = np.unique(rows["deviceId"], return_inverse=True)
    known = np.array([multiprocessors.get(device, 0) for device in devices.tolist()], np.float64)
    n_sms = np.where(known > 0, known, np.nan)[of_row.reshape(-1)]
    has_shape: BoolArray = np.all(grid > 0, axis=1) & np.all(block > 0, axis=1)
    n_blocks = np.where(has_shape, np.prod(grid, axis=1, dtype=np.float64), np.nan)
    n_warps = np.ceil(np.prod(block, axis=1, dtype=np.float64) / _THREADS_PER_WARP)
    static, dynamic = rows["staticSharedMemory"], rows["dynamicSharedMemory"]
    return {
        "grid": np.where(has_shape[:, None], grid, NONE),
        "block": np.where(has_shape[:, None], block, NONE),
        "registers": np.clip(rows["registersPerThread"], NONE, _MOST),
        "shared_bytes": np.where((static < 0) & (dynamic < 0), NONE, static.clip(0, _MOST) + dynamic.clip(0, _MOST)),
        "blocks_per_sm": n_blocks / n_sms,
        "warps_per_sm": n_blocks * n_warps / n_sms,
    }


def shown(columns: Mapping[str, npt.NDArray[Any]]) -> Iterator[bytes]:
    """The `args` of each row as JSON, from integer columns; those that say nothing in any row are left out."""
    said = {name: values for name, values in columns.items() if (values != NONE).any()}
    if not said:
        return (b"null" for _ in range(len(next(iter(columns.values())))))
    pattern = b",".join(b'"%s":%s' % (name.encode(), b"[%d,%d,%d]" if v.ndim == 2 else b"%d") for name, v in said.items())
    flat = [column.tolist() for values in said.values() for column in (values.T if values.ndim == 2 else (values,))]
    return (b"{%s}" % (pattern % row) for row in zip(*flat, strict=True))


def streams(rows: TableColumns) -> tuple[Int64Array, Int64Array]:
    """(device, stream) of each row; a device that is not recorded is taken for the first."""
    stream = rows["streamId"]
    return rows["deviceId"].clip(0, _MOST), np.where(np.isin(stream, _NO_STREAM), NONE, stream)


class WorkParts:
    """Collects `RawWork`, table by table."""

    def __init__(self) -> None:
        self._places: list[tuple[Int64Array, Int64Array, Int64Array]] = []
        self._orders: list[Int64Array] = []
        self._columns: list[dict[str, npt.NDArray[Any]]] = []

    def add(self, order: Int64Array, device: Int64Array, stream: Int64Array, columns: dict[str, npt.NDArray[Any]] | None) -> None:
        self._places.append((order, device, stream))
        if columns is not None:
            n = len(order)
            empty: dict[str, npt.NDArray[Any]] = {name: np.full((n, 3), NONE, np.int64) for name in _SHAPES}
            empty |= {name: np.full(n, NONE, np.int64) for name in _WHOLE} | {name: np.full(n, np.nan) for name in _FRACTIONS}
            self._orders.append(order)
            self._columns.append(empty | columns)

    def finish(self) -> RawWork:
        none = np.empty(0, np.int64)
        order, device, stream = (np.concatenate(parts) for parts in zip((none, none, none), *self._places, strict=True))
        names = (*_SHAPES, *_WHOLE, *_FRACTIONS) if self._columns else ()
        return RawWork(
            order=np.concatenate([none, *self._orders]).astype(np.int32),
            columns={name: np.concatenate([part[name] for part in self._columns]) for name in names},
            place_order=order.astype(np.int32),
            device=device,
            stream=stream,
        )
