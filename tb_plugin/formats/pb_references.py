"""Rows and ids that point beyond the end of what they point into: after a cut-off file, or in one made by a stranger.

Views index with these columns, so they are put right once, here, and counted as an issue.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.model import Events, Flows, Frames, Issue, Live, Memory, Steps, Table, Tensors, Trace, Tracks, Work

if TYPE_CHECKING:
    from tb_plugin.formats.pb_columns import Array

_POINTS_INTO: dict[tuple[type[Table], str], str] = {
    (Events, "track"): "tracks",
    (Events, "parent"): "events",
    (Events, "nest_parent"): "events",
    (Events, "launch"): "events",
    (Events, "owner"): "events",
    (Events, "step"): "steps",
    (Steps, "row"): "events",
    (Flows, "track"): "tracks",
    (Live, "parent_elsewhere"): "events",
}
_STRING_COLUMNS: dict[type[Table], tuple[str, ...]] = {
    Events: ("name_id", "category_id", "shapes_id", "types_id"),
    Tracks: ("pid_id", "tid_id", "process_name_id", "thread_name_id"),
    Flows: ("category_id",),
    Tensors: ("name_id", "dtype_id", "layout_id", "sizes_id", "strides_id"),
    Frames: ("caller_file_id", "caller_function_id", "file_id", "function_id", "class_id"),
}
_ABOUT_EVENTS: tuple[type[Table], ...] = (Work, Memory, Live, Tensors, Frames)  # a row without its event means nothing


def put_right(trace: Trace) -> Trace:
    """The same trace without references that lead nowhere."""
    sizes = {"tracks": len(trace.tracks), "events": len(trace.events), "steps": len(trace.steps)}
    changed: dict[type[Table], dict[str, Array]] = {}
    n_cut = 0
    limits = [(table, column, sizes[target]) for (table, column), target in _POINTS_INTO.items()]
    limits += [(table, column, len(trace.strings)) for table, columns in _STRING_COLUMNS.items() for column in columns]
    for table, column, limit in limits:
        values = getattr(trace.table(table), column)
        outside = _outside(values, limit)
        if outside is not None:
            n_cut += int(outside.sum())
            changed.setdefault(table, {})[column] = np.where(outside, NONE, values)
    kinds = trace.events.kind
    if len(kinds) and kinds.max() > max(Kind):  # of a later version
        changed.setdefault(Events, {})["kind"] = np.where(kinds > max(Kind), Kind.UNKNOWN, kinds)

    tables: dict[str, Any] = {}
    for table, columns in changed.items():
        tables[table.name] = table.from_columns(trace.table(table).columns() | columns)
    for table in _ABOUT_EVENTS:
        rows = getattr(trace.table(table), "row")  # noqa: B009 - not a column of every Table
        outside = _outside(rows, sizes["events"], least=0)
        if outside is not None:
            n_cut += int(outside.sum())
            put_so_far = tables.get(table.name, trace.table(table))
            kept = {name: array[~outside] for name, array in put_so_far.columns().items()}
            tables[table.name] = table.from_columns(kept)
    issues = trace.issues
    if n_cut:
        text = "Some rows refer to events, tracks or names that are not in the file; those references were dropped."
        issues = (*issues, Issue(kind="dangling-reference", count=n_cut, text=text))
    return dataclasses.replace(trace, issues=issues, **tables)


def _outside(values: Array, limit: int, least: int = NONE) -> Array | None:
    """Which values are not in [least, limit), or None when all are: the usual case, which takes two fast scans."""
    if not len(values) or (values.max() < limit and values.min() >= least):
        return None
    return (values >= limit) | (values < least)
