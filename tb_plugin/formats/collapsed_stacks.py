"""Collapsed stacks for flame graph tools: `thread;outer;inner 12`, a line per distinct stack of the host with its self time.

Times are summed in ns per stack and then rounded to whole µs, which is all these tools read; a stack below half a µs has
no line. Ranges that cross on one thread both count where they overlap.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.compute.nesting import sum_over_children
from tb_plugin.formats import slices, whole_file
from tb_plugin.trace.kinds import HOST_KINDS
from tb_plugin.trace.operator_times import nest_parents

if TYPE_CHECKING:
    from tb_plugin.base.units import Int32Array
    from tb_plugin.trace.model import Trace

_IN_FRAME = str.maketrans(";\t\r\n\v\f\x85\u2028\u2029", ":        ")  # separators of stacks and lines


def write(trace: Trace, path: str | Path) -> tuple[str, ...]:
    """Writes the file, compressed when the name ends in .gz, and says what it cannot hold."""
    events = trace.events
    nests = np.isin(events.kind, HOST_KINDS)
    # A range that ends on another thread has no place on a stack, and torch gives it no self time.
    asynchronous = trace.live.row[trace.live.is_async]
    nests[asynchronous] = False
    parent = nest_parents(trace, nests, np.unique(events.track[asynchronous]))
    duration_ns = np.where(nests, events.end_ns - events.start_ns, 0)
    self_ns = np.maximum(duration_ns - sum_over_children(parent, duration_ns), 0)
    stack, above, name_id, track = _stacks(trace, np.flatnonzero(nests), parent)
    spent_ns = np.bincount(stack, weights=self_ns[nests], minlength=len(above)).astype(np.int64)
    texts: list[str] = []
    with whole_file.written_text(Path(path)) as file:
        for place, ns in enumerate(spent_ns.tolist()):
            outer = _root(trace, int(track[place])) if above[place] == NONE else texts[above[place]]
            texts.append(f"{outer};{_frame(trace.text(int(name_id[place])))}")
            if (microseconds := (ns + 500) // 1000) > 0:
                file.write(f"{texts[-1]} {microseconds}\n")
    return ("all but names, stacks and self times of the host in whole µs",)


def _stacks(trace: Trace, rows: Int64Array, parent: Int32Array) -> tuple[Int64Array, Int64Array, Int64Array, Int64Array]:
    """(distinct stack of each row; of each stack: the one above it, its name, its track), outer stacks first."""
    stack_of = np.full(len(parent) + 1, NONE, np.int64)  # the last stands for "no parent"
    parts: list[np.ndarray[tuple[int, int], np.dtype[np.int64]]] = []
    n_stacks = 0
    level = rows[parent[rows] == NONE]
    left = rows[parent[rows] != NONE]
    while len(level):
        keys = np.column_stack((stack_of[parent[level]], trace.events.name_id[level], trace.events.track[level]))
        distinct, which = np.unique(keys, axis=0, return_inverse=True)
        stack_of[level] = n_stacks + which.reshape(-1)
        parts.append(distinct)
        n_stacks += len(distinct)
        ready = stack_of[parent[left]] != NONE
        level, left = left[ready], left[~ready]
    table = np.concatenate(parts) if parts else np.empty((0, 3), np.int64)
    return stack_of[rows], table[:, 0], table[:, 1], table[:, 2]


def _root(trace: Trace, track: int) -> str:
    return _frame(slices.track_title(trace, track))


def _frame(text: str) -> str:
    return text.translate(_IN_FRAME) or "(no name)"
