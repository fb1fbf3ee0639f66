"""Finds the rows of a Trace that the live profile's values belong to.

operators    by id: what the tree calls `correlation_id` is their External id in the JSON
events       the same start, the same name, the same turn
frames       the same
allocations  the same start, address and size
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.capture.live.columns import TABLES
from tb_plugin.trace.kinds import HOST_KINDS, Kind, is_kind
from tb_plugin.trace.model import Frames, Live, Memory, TensorPart, Tensors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, BinaryIO

    import numpy.typing as npt

    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace

    Columns = dict[str, npt.NDArray[Any]]

_WITH_SCOPE = (Kind.OPERATOR, Kind.ANNOTATION)


@dataclass(frozen=True)
class LivePart:
    """What the live profile told: columns by table, as `live_columns` says, and texts."""

    tables: dict[str, Columns]
    texts: Sequence[str]


def load(file: BinaryIO, n_rows: Mapping[str, int], texts: Sequence[str]) -> LivePart:
    """The tables as `LiveColumns.save` wrote them; those without rows are empty."""
    tables: dict[str, Columns] = {}
    for table, columns in TABLES.items():
        tables[table] = {}
        for name, code in columns:
            dtype = np.dtype(code)
            tables[table][name] = np.frombuffer(file.read(dtype.itemsize * n_rows.get(table, 0)), dtype)
    return LivePart(tables, texts)


def joined(trace: Trace, found: LivePart) -> Trace:
    """The trace with everything that was found again in it."""
    strings, ids = _with_texts(trace.strings, found.texts)
    row_of_operator = _rows_by_id(trace)
    frame_rows = _frame_rows(trace, found.tables["frames"], ids)
    return dataclasses.replace(
        trace,
        strings=strings,
        live=_live(trace, found.tables["events"], ids, found.tables["operators"], row_of_operator),
        memory=_memory(trace, found.tables["allocations"]),
        frames=_frames(found.tables["frames"], frame_rows, ids),
        tensors=_tensors(found.tables["tensors"], row_of_operator, frame_rows, ids),
    )


def _with_texts(strings: tuple[str, ...], texts: Sequence[str]) -> tuple[tuple[str, ...], Int64Array]:
    """(strings with the texts that they lacked, string id of each text; the last one is NONE's)."""
    id_of = {text: place for place, text in enumerate(strings)}
    added = tuple(text for text in dict.fromkeys(texts) if text not in id_of)
    id_of |= {text: len(strings) + place for place, text in enumerate(added)}
    return (*strings, *added), np.array([*(id_of[text] for text in texts), NONE], np.int64)


@dataclass(frozen=True)
class _RowsById:
    """Event rows of operators and annotations by External id."""

    ids: Int64Array
    rows: Int64Array

    def __call__(self, wanted: Int64Array) -> Int64Array:
        """The row of each id, or NONE."""
        if len(self.ids) == 0:
            return np.full(len(wanted), NONE, np.int64)
        place = np.minimum(np.searchsorted(self.ids, wanted), len(self.ids) - 1)
        return np.where(self.ids[place] == wanted, self.rows[place], NONE)


def _rows_by_id(trace: Trace) -> _RowsById:
    rows = np.flatnonzero(is_kind(trace.events.kind, _WITH_SCOPE) & (trace.events.external_id > 0))
    ids, first = np.unique(trace.events.external_id[rows], return_index=True)
    return _RowsById(ids, rows[first])


def _live(trace: Trace, columns: Columns, ids: Int64Array, operators: Columns, row_of_operator: _RowsById) -> Live:
    """One row for each operator and annotation that was found again in the trace."""
    events = trace.events
    rows = np.flatnonzero(is_kind(events.kind, _WITH_SCOPE))
    live_start = columns["start_ns"] - trace.info.base_ns
    place, live_place = _pair(events.start_ns[rows], events.name_id[rows].astype(np.int64), live_start, ids[columns["name"]])
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
    # By event row; the last entry takes what has no row.
    tf32, elsewhere = np.full(len(events) + 1, NONE, np.int8), np.full(len(events) + 1, NONE, np.int32)
    of_tree = row_of_operator(operators["correlation"])
    tf32[of_tree] = operators["allow_tf32"]
    elsewhere[of_tree] = _host_rows_at(trace, operators["parent_start_ns"])
    return Live.from_columns(
        {
            "row": rows[place[order]],
            "scope": columns["scope"][found],
            # torch's own rule (FunctionEvent.is_async).
            "is_async": (columns["is_async"][found] != 0) | ends_elsewhere,
            "true_end_ns": columns["end_ns"][found] - trace.info.base_ns,
            "end_thread": columns["end_thread"][found],
            "start_thread": columns["start_thread"][found],
            "allow_tf32": tf32[rows[place[order]]],
            "parent_elsewhere": elsewhere[rows[place[order]]],
        },
        n_rows=found.size,
    )


def _host_rows_at(trace: Trace, start_ns: Int64Array) -> Int64Array:
    """The host event that starts at each of these times (since 1970), or NONE."""
    found = np.full(len(start_ns), NONE, np.int64)
    asked = np.flatnonzero(start_ns != NONE)
    rows = np.flatnonzero(is_kind(trace.events.kind, HOST_KINDS))
    if len(asked) and len(rows):
        rows = rows[np.argsort(trace.events.start_ns[rows], kind="stable")]
        starts, wanted = trace.events.start_ns[rows], start_ns[asked] - trace.info.base_ns
        place = np.minimum(np.searchsorted(starts, wanted), len(rows) - 1)
        found[asked] = np.where(starts[place] == wanted, rows[place], NONE)
    return found


def _memory(trace: Trace, columns: Columns) -> Memory:
    """The allocations with torch's ids of tensors."""
    memory = trace.memory
    start = np.concatenate([trace.events.start_ns[memory.row], columns["start_ns"] - trace.info.base_ns])
    _, address = np.unique(np.concatenate([memory.address, columns["address"]]), return_inverse=True)
    _, size = np.unique(np.concatenate([memory.bytes, columns["bytes"]]), return_inverse=True)
    what, n = address * (size.max(initial=0) + 1) + size, len(memory)
    place, live_place = _pair(start[:n], what[:n], start[n:], what[n:])
    added = {}
    for name in ("tensor_id", "allocation_id"):
        added[name] = np.full(n, NONE, np.int64)
        added[name][place] = columns[name][live_place]
    return Memory.from_columns(memory.columns() | added, n)


def _frame_rows(trace: Trace, columns: Columns, ids: Int64Array) -> Int64Array:
    """The event row of each frame, or NONE."""
    events = trace.events
    rows = np.flatnonzero(events.kind == Kind.PYTHON)
    start = columns["start_ns"] - trace.info.base_ns
    place, live_place = _pair(events.start_ns[rows], events.name_id[rows].astype(np.int64), start, ids[columns["name"]])
    found = np.full(len(start), NONE, np.int64)
    found[live_place] = rows[place]
    return found


def _frames(columns: Columns, rows: Int64Array, ids: Int64Array) -> Frames:
    order = np.argsort(rows, kind="stable")[int((rows == NONE).sum()) :]
    found = {name: ids[column] if name.endswith("_id") else column for name, column in columns.items()}
    found = {name: column[order] for name, column in found.items() if name in Frames.schema()}
    return Frames.from_columns(found | {"row": rows[order]}, len(order))


def _tensors(columns: Columns, row_of_operator: _RowsById, frame_rows: Int64Array, ids: Int64Array) -> Tensors:
    is_input = columns["part"] == TensorPart.INPUT
    rows = np.full(len(is_input), NONE, np.int64)
    rows[is_input] = row_of_operator(columns["owner"][is_input])
    rows[~is_input] = frame_rows[columns["owner"][~is_input]]
    order = np.lexsort((columns["item"], columns["part"], columns["place"], rows))[int((rows == NONE).sum()) :]
    texts = ("name_id", "dtype_id", "layout_id", "sizes_id", "strides_id")
    found = {name: (ids[column] if name in texts else column)[order] for name, column in columns.items() if name != "owner"}
    return Tensors.from_columns(found | {"row": rows[order]}, len(order))


def _pair(start_a: Int64Array, what_a: Int64Array, start_b: Int64Array, what_b: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Places in a and b with the same (start, number); the k-th of several such in a goes with the k-th in b."""
    _, start = np.unique(np.concatenate([start_a, start_b]), return_inverse=True)
    what = np.concatenate([what_a, what_b])
    # One number for each (start, what): sorting numbers is ten times faster than sorting pairs.
    key = start * (what.max(initial=0) + 3) + what + 2
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
