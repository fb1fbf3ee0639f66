"""Arguments of launches and device work to columns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.formats.kineto.int_columns import int64_column, number, whole
from tb_plugin.trace.raw import RawWork

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tb_plugin.formats.kineto.events import Extent

_FRACTIONS = ("blocks_per_sm", "warps_per_sm", "occupancy_percent")
_SHAPES = ("grid", "block")
_ABSURD = 1e9  # blocks and warps of a multiprocessor, percent
_ABSENT = (NONE, NONE, NONE)
_NAMES = (*_SHAPES, "registers", "shared_bytes", "bytes", *_FRACTIONS)
_PLACE = ("device", "stream")
_ALL = (*_PLACE, *_NAMES)
_NOTHING = (None,) * len(_ALL)


class _Ways(dict[tuple[Any, ...], int]):
    """Values of `_ALL` to small numbers: a trace launches its kernels in some hundred ways, so each is worked out once."""

    def __init__(self) -> None:
        super().__init__({_NOTHING: NONE})
        self.values_in_order: list[tuple[Any, ...]] = []

    def __missing__(self, key: tuple[Any, ...]) -> int:
        self[key] = new_id = len(self.values_in_order)
        self.values_in_order.append(key)
        return new_id


class WorkRows:
    """Collects; `finish` gives the sparse rows that say anything about how or where work was launched."""

    def __init__(self) -> None:
        self._orders: list[Int64Array] = []
        self._correlation: list[Int64Array] = []
        self._external_id: list[Int64Array] = []
        self._ways = _Ways()
        self._way: list[Int64Array] = []

    def add(self, orders: Int64Array, args: Mapping[str, Sequence[Any]]) -> None:
        """Columns of the fields of `WorkArgs`."""
        ways = zip(*map(args.__getitem__, _ALL), strict=True)
        self._add(orders, args, np.fromiter(map(self._ways.__getitem__, ways), np.int64, len(orders)))

    def add_few(self, orders: Int64Array, args: Mapping[str, Sequence[Any]]) -> None:
        """Columns of the fields of `CallNumbers`, which say nothing of how work was launched."""
        self._add(orders, args, np.broadcast_to(np.int64(NONE), len(orders)))

    def _add(self, orders: Int64Array, args: Mapping[str, Sequence[Any]], way: Int64Array) -> None:
        self._orders.append(orders)
        self._correlation.append(int64_column(args["correlation"]))
        external = int64_column(args["external_id"])
        lacks = external == NONE
        if lacks.any():
            external = np.where(lacks, int64_column(args["external_id_2021"]), external)
        self._external_id.append(external)
        self._way.append(way)

    def join(self, other: WorkRows, n_before: int) -> None:
        """What `other` collected of the events after our `n_before`."""
        self._orders.extend(orders + n_before for orders in other._orders)
        self._correlation.extend(other._correlation)
        self._external_id.extend(other._external_id)
        # What says nothing is NONE, which falls on the last.
        here = np.array([*map(self._ways.__getitem__, other._ways.values_in_order), NONE], np.int64)
        self._way.extend(here[each] for each in other._way)

    def ids(self, name: Literal["correlation", "external_id"]) -> list[tuple[Int64Array, Int64Array]]:
        """(orders, ids of these events), part by part."""
        return [*zip(self._orders, self._correlation if name == "correlation" else self._external_id, strict=True)]

    def finish(self) -> RawWork:
        orders = np.concatenate(self._orders).astype(np.int32) if self._orders else np.empty(0, np.int32)
        way = np.concatenate(self._way) if self._way else np.empty(0, np.int64)
        # What says nothing is NONE, which falls on the last.
        values = dict(zip(_ALL, zip(*self._ways.values_in_order, _NOTHING, strict=True), strict=True))
        says_how, says_place = (_says(*map(values.__getitem__, names))[way] for names in (_NAMES, _PLACE))
        return RawWork(
            order=orders[says_how],
            columns={name: _column(name, values[name])[way[says_how]] for name in _NAMES},
            place_order=orders[says_place],
            device=_column("device", values["device"])[way[says_place]],
            stream=_column("stream", values["stream"])[way[says_place]],
        )


def _says(*columns: Sequence[object]) -> BoolArray:
    """Where any of the columns has a value."""
    return np.array([each.count(None) < len(each) for each in zip(*columns, strict=True)], np.bool_)


def _column(name: str, values: Sequence[Any]) -> npt.NDArray[Any]:
    if name in _SHAPES:
        return np.array([*map(_shape, values)], np.int64)
    if name in _FRACTIONS:
        return np.array([*map(_estimate, values)], np.float64)
    return int64_column([*map(whole, values)])


def _estimate(value: object) -> float:
    found = number(value)
    return found if abs(found) < _ABSURD else math.nan


def _shape(value: Extent) -> tuple[int, int, int]:
    """A grid or block: [x, y, z], or text as on some AMD files ("[1, 2, 3]")."""
    if isinstance(value, str):
        value = tuple(part for part in value.strip("[]() ").replace("x", ",").split(",") if part.strip())
    if isinstance(value, tuple) and len(value) == 3:
        x, y, z = map(whole, value)
        if NONE not in (x, y, z):
            return x, y, z
    return _ABSENT
