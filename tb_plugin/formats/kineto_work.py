"""Arguments of launches and device work to columns."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.formats.int_columns import int64_column
from tb_plugin.formats.kineto_events import WorkArgs, number
from tb_plugin.trace.raw import RawWork

_NUMBERS = ("registers", "shared_bytes", "bytes")
_FRACTIONS = ("blocks_per_sm", "warps_per_sm", "occupancy_percent")
_SHAPES = ("grid", "block")
_ABSENT = (NONE, NONE, NONE)
_SAYS_HOW = attrgetter(*_SHAPES, *_NUMBERS, *_FRACTIONS)
_NOTHING = (None,) * 8


class WorkRows:
    """Collects; `finish` gives the sparse rows that say anything about how work was launched."""

    def __init__(self) -> None:
        self._orders: list[Int64Array] = []
        self._correlation: list[Int64Array] = []
        self._external_id: list[Int64Array] = []
        self._how_orders: list[int] = []
        self._how: list[tuple[Any, ...]] = []
        self._places: list[tuple[int, Any, Any]] = []

    def add(self, orders: Int64Array, args: list[WorkArgs]) -> None:
        self._orders.append(orders)
        self._correlation.append(int64_column(list(map(attrgetter("correlation"), args))))
        external = int64_column(list(map(attrgetter("external_id"), args)))
        external_2021 = int64_column(list(map(attrgetter("external_id_2021"), args)))
        self._external_id.append(np.where(external != NONE, external, external_2021))
        for order, how in zip(orders.tolist(), map(_SAYS_HOW, args), strict=True):
            if how != _NOTHING:
                self._how_orders.append(order)
                self._how.append(how)
        self._places += [
            (order, device, stream)
            for order, (device, stream) in zip(orders.tolist(), map(attrgetter("device", "stream"), args), strict=True)
            if device is not None or stream is not None
        ]

    def ids(self, n_events: int) -> dict[str, Int64Array]:
        """correlation and external_id of every event of the file."""
        full = {name: np.full(n_events, NONE, np.int64) for name in ("correlation", "external_id")}
        for order, correlation, external_id in zip(self._orders, self._correlation, self._external_id, strict=True):
            full["correlation"][order] = correlation
            full["external_id"][order] = external_id
        return full

    def finish(self) -> RawWork:
        columns: dict[str, npt.NDArray[Any]] = {}
        by_name = dict(zip((*_SHAPES, *_NUMBERS, *_FRACTIONS), zip(*self._how, strict=True), strict=True)) if self._how else {}
        for name in _SHAPES:
            columns[name] = np.array([_shape(value) for value in by_name.get(name, ())], np.int64).reshape(-1, 3)
        for name in _NUMBERS:
            columns[name] = int64_column([_whole(value) for value in by_name.get(name, ())])
        for name in _FRACTIONS:
            columns[name] = np.array([number(value) for value in by_name.get(name, ())], np.float64)
        place_orders = np.array([order for order, _, _ in self._places], np.int32)
        return RawWork(
            order=np.array(self._how_orders, np.int32),
            columns=columns,
            place_order=place_orders,
            device=int64_column([_whole(device) for _, device, _ in self._places]),
            stream=int64_column([_whole(stream) for _, _, stream in self._places]),
        )


def _shape(value: Any) -> tuple[int, int, int]:
    """A grid or block: [x, y, z], or its text on some AMD files ("[1, 2, 3]")."""
    if isinstance(value, str):
        value = [part for part in value.strip("[]() ").replace("x", ",").split(",") if part.strip()]
    if isinstance(value, list) and len(value) == 3:
        numbers = [number(part) for part in value]
        if all(n == n for n in numbers):
            return (int(numbers[0]), int(numbers[1]), int(numbers[2]))
    return _ABSENT


def _whole(value: Any) -> int:
    if isinstance(value, int):
        return value
    as_number = number(value)
    return int(as_number) if as_number == as_number and abs(as_number) < 1e18 else NONE
