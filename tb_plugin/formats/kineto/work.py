"""Arguments of launches and device work to columns."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.formats.kineto.int_columns import int64_column, int64_field, number, whole
from tb_plugin.trace.raw import RawWork

if TYPE_CHECKING:
    from tb_plugin.formats.kineto.events import Extent, WorkArgs

_NUMBERS = ("registers", "shared_bytes", "bytes")
_FRACTIONS = ("blocks_per_sm", "warps_per_sm", "occupancy_percent")
_SHAPES = ("grid", "block")
_ABSURD = 1e9  # blocks and warps of a multiprocessor, percent
_ABSENT = (NONE, NONE, NONE)
_NAMES = (*_SHAPES, *_NUMBERS, *_FRACTIONS)
_HOW = attrgetter(*_NAMES)
_PLACE = attrgetter("device", "stream")


class _Distinct(dict[tuple[Any, ...], int]):
    """Values to small numbers: a trace launches its kernels in some hundred ways, so each is worked out once."""

    def __init__(self, nothing: tuple[Any, ...]) -> None:
        super().__init__({nothing: NONE})
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
        self._how = _Distinct((None,) * len(_NAMES))
        self._how_ids: list[Int64Array] = []
        self._place = _Distinct((None, None))
        self._place_ids: list[Int64Array] = []

    def add(self, orders: Int64Array, args: list[WorkArgs]) -> None:
        n = len(args)
        self._orders.append(orders)
        self._correlation.append(int64_field(args, "correlation"))
        external = int64_field(args, "external_id")
        external_2021 = int64_field(args, "external_id_2021")
        self._external_id.append(np.where(external != NONE, external, external_2021))
        self._how_ids.append(np.fromiter(map(self._how.__getitem__, map(_HOW, args)), np.int64, n))
        self._place_ids.append(np.fromiter(map(self._place.__getitem__, map(_PLACE, args)), np.int64, n))

    def join(self, other: WorkRows, n_before: int) -> None:
        """What `other` collected of the events after our `n_before`."""
        self._orders.extend(orders + n_before for orders in other._orders)
        self._correlation.extend(other._correlation)
        self._external_id.extend(other._external_id)
        for mine, theirs, ids, their_ids in (
            (self._how, other._how, self._how_ids, other._how_ids),
            (self._place, other._place, self._place_ids, other._place_ids),
        ):
            # What says nothing is NONE, which falls on the last.
            here = np.array([*map(mine.__getitem__, theirs.values_in_order), NONE], np.int64)
            ids.extend(here[each] for each in their_ids)

    def ids(self, n_events: int) -> dict[str, Int64Array]:
        """Correlation and external_id of every event of the file."""
        full = {name: np.full(n_events, NONE, np.int64) for name in ("correlation", "external_id")}
        for order, correlation, external_id in zip(self._orders, self._correlation, self._external_id, strict=True):
            full["correlation"][order] = correlation
            full["external_id"][order] = external_id
        return full

    def finish(self) -> RawWork:
        orders = np.concatenate(self._orders).astype(np.int32) if self._orders else np.empty(0, np.int32)
        how = np.concatenate(self._how_ids) if self._how_ids else np.empty(0, np.int64)
        place = np.concatenate(self._place_ids) if self._place_ids else np.empty(0, np.int64)
        says_how, says_place = how != NONE, place != NONE
        distinct: dict[str, npt.NDArray[Any]] = {}
        for column, name in enumerate(_NAMES):
            values = [key[column] for key in self._how.values_in_order]
            if name in _SHAPES:
                distinct[name] = np.array([_shape(value) for value in values], np.int64).reshape(-1, 3)
            elif name in _NUMBERS:
                distinct[name] = int64_column([whole(value) for value in values])
            else:
                distinct[name] = np.array([_estimate(value) for value in values], np.float64)
        return RawWork(
            order=orders[says_how],
            columns={name: values[how[says_how]] for name, values in distinct.items()},
            place_order=orders[says_place],
            device=int64_column([whole(device) for device, _ in self._place.values_in_order])[place[says_place]],
            stream=int64_column([whole(stream) for _, stream in self._place.values_in_order])[place[says_place]],
        )


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
