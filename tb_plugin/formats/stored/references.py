"""Rows and ids that point beyond the end of what they point into: after a cut-off file, or in one made by a stranger.

Views index with these columns, so they are put right once, here, and counted as an issue.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.trace.check import POINTS_INTO, STRING_COLUMNS
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.model import Events, Frames, Issue, Live, Memory, Steps, Tensors, Trace, Work

if TYPE_CHECKING:
    from tb_plugin.formats.stored.columns import Array
    from tb_plugin.trace.table import Table

_ABOUT_EVENTS: tuple[type[Table], ...] = (Work, Memory, Live, Tensors, Frames)  # a row without its event means nothing


def put_right(trace: Trace) -> Trace:
    """The same trace without references that lead nowhere."""
    sizes = {"tracks": len(trace.tracks), "events": len(trace.events), "steps": len(trace.steps)}
    changed: dict[type[Table], dict[str, Array]] = {}
    n_cut = 0
    limits = [(table, column, sizes[target]) for (table, column), target in POINTS_INTO.items()]
    limits += [(table, column, len(trace.strings)) for table, columns in STRING_COLUMNS.items() for column in columns]
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
    _drop_steps(trace, tables)
    issues = trace.issues
    if n_cut:
        text = "Some rows refer to events, tracks or names that are not in the file; those references were dropped."
        issues = (*issues, Issue(kind="dangling-reference", count=n_cut, text=text))
    return dataclasses.replace(trace, issues=issues, **tables)


def _drop_steps(trace: Trace, tables: dict[str, Any]) -> None:
    """A step whose range is not in the file is no step, and nothing is in it."""
    steps, events = tables.get("steps", trace.steps), tables.get("events", trace.events)
    kept = steps.row != NONE
    if not kept.all():
        new_place = np.append(np.where(kept, np.cumsum(kept) - 1, NONE), NONE)  # NONE falls on the last
        tables["steps"] = Steps.from_columns({name: column[kept] for name, column in steps.columns().items()})
        tables["events"] = Events.from_columns(events.columns() | {"step": new_place[events.step]})


def _outside(values: Array, limit: int, least: int = NONE) -> Array | None:
    """Which values are not in [least, limit), or None when all are: the usual case, which takes two fast scans."""
    if not len(values) or (values.max() < limit and values.min() >= least):
        return None
    return (values >= limit) | (values < least)
