"""Finds the rows of a Trace that the live profile's events belong to: the same start, the same name, the same turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.capture.live_reader import ALL_COLUMNS
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.model import Live

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, BinaryIO

    import numpy.typing as npt

    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace

_WITH_SCOPE = (Kind.OPERATOR, Kind.ANNOTATION)


def load(file: BinaryIO, n_rows: int) -> dict[str, npt.NDArray[Any]]:
    """The columns as `LiveEvents.save` wrote them."""
    columns: dict[str, npt.NDArray[Any]] = {}
    for name, code in ALL_COLUMNS:
        dtype = np.dtype(code)
        columns[name] = np.frombuffer(file.read(dtype.itemsize * n_rows), dtype)
    return columns


def live_table(trace: Trace, columns: dict[str, npt.NDArray[Any]], names: Sequence[str]) -> Live:
    """One row for each operator and annotation that was found again in the trace."""
    events = trace.events
    rows = np.flatnonzero(np.isin(events.kind, _WITH_SCOPE))
    id_of = {text: place for place, text in enumerate(trace.strings)}
    ids = np.array([id_of.get(name, -2) for name in names], np.int64)
    live_start = columns["start_ns"] - trace.info.base_ns
    live_name = ids[columns["name"]] if len(names) else np.empty(0, np.int64)
    place, live_place = _pair(events.start_ns[rows], events.name_id[rows].astype(np.int64), live_start, live_name)
    # With `capture_overload_names` the file says aten::add.Tensor where the profile says aten::add: the start decides.
    left = np.setdiff1d(np.arange(rows.size), place)
    live_left = np.setdiff1d(np.arange(live_start.size), live_place)
    left = left[_is_single(events.start_ns[rows[left]])]
    live_left = live_left[_is_single(live_start[live_left])]
    _, more, live_more = np.intersect1d(events.start_ns[rows[left]], live_start[live_left], return_indices=True)
    place = np.concatenate([place, left[more]])
    live_place = np.concatenate([live_place, live_left[live_more]])
    order = np.argsort(place, kind="stable")
    found = live_place[order]
    ends_elsewhere = columns["start_thread"][found] != columns["end_thread"][found]
    return Live.from_columns(
        {
            "row": rows[place[order]],
            "scope": columns["scope"][found],
            # torch's own rule (FunctionEvent.is_async).
            "is_async": (columns["is_async"][found] != 0) | ends_elsewhere,
            "true_end_ns": columns["end_ns"][found] - trace.info.base_ns,
            "end_thread": columns["end_thread"][found],
        },
        n_rows=found.size,
    )


def _pair(start_a: Int64Array, name_a: Int64Array, start_b: Int64Array, name_b: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Places in a and b with the same (start, name); the k-th of several such in a goes with the k-th in b."""
    _, start = np.unique(np.concatenate([start_a, start_b]), return_inverse=True)
    names = np.concatenate([name_a, name_b])
    # One number for each (start, name): sorting numbers is ten times faster than sorting pairs.
    key = start * (names.max(initial=0) + 3) + names + 2
    key_a, key_b = key[: start_a.size], key[start_a.size :]
    turn_a, turn_b = _turns(key_a), _turns(key_b)
    n_turns = 1 + max(turn_a.max(initial=0), turn_b.max(initial=0))
    _, place_a, place_b = np.intersect1d(
        key_a * n_turns + turn_a, key_b * n_turns + turn_b, assume_unique=True, return_indices=True
    )
    return place_a.astype(np.int64), place_b.astype(np.int64)


def _turns(keys: Int64Array) -> Int64Array:
    """For each row, how many rows before it have the same key."""
    order = np.argsort(keys, kind="stable")
    place = np.arange(keys.size)
    first = np.ones(keys.size, np.bool_)
    first[1:] = np.diff(keys[order]) != 0
    turns = np.empty(keys.size, np.int64)
    turns[order] = place - np.maximum.accumulate(np.where(first, place, 0))
    return turns


def _is_single(values: Int64Array) -> npt.NDArray[np.bool_]:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    single: npt.NDArray[np.bool_] = counts[inverse] == 1
    return single
