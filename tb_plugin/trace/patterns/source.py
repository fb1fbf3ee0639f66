"""Where in the user's code an event comes from: the nearest Python frame around it that is not torch's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.grouping import group_by
from tb_plugin.trace.kinds import Kind, is_kind
from tb_plugin.trace.modules.call_sites import is_user_frame, split_frame
from tb_plugin.trace.names import rows_named

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace


_OF_STACK: Final = (Kind.OPERATOR, Kind.ANNOTATION, Kind.PYTHON)


class SourceLine(NamedTuple):
    """`line` is the one that ran where our trace handler recorded it, else where the function begins."""

    file: str
    line: int
    function: str

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"


def sources_of(trace: Trace, rows: Int64Array) -> tuple[Int64Array, list[SourceLine]]:
    """(of each event a place in the list or NONE, the list): the innermost frame of the user's own code, itself included.

    All events climb one parent at a time, together; device work begins at its launch.
    """
    events = trace.events
    launch = events.launch[rows]
    at = np.where(is_kind(events.kind[rows], _OF_STACK) | (launch == NONE), rows, launch).astype(np.int64)
    frame, below = np.full((2, len(rows)), NONE, np.int64)
    climbing = np.flatnonzero(at != NONE)
    while len(climbing):
        row = at[climbing]
        is_python = events.kind[row] == Kind.PYTHON
        is_found = is_python.copy()
        is_found[is_python] = rows_named(trace, row[is_python], is_user_frame)
        frame[climbing[is_found]] = row[is_found]
        below[climbing] = np.where(is_python & ~is_found, row, below[climbing])
        at[climbing] = events.parent[row]
        climbing = climbing[~is_found & (at[climbing] != NONE)]
    return _lines(trace, frame, below)


def _lines(trace: Trace, frame: Int64Array, below: Int64Array) -> tuple[Int64Array, list[SourceLine]]:
    """Of frames, and the Python calls in them that were running: each line once."""
    has_frame = np.flatnonzero(frame != NONE)
    called = below[has_frame] if len(trace.frames) else np.full(len(has_frame), NONE, np.int64)
    groups = group_by(trace.events.name_id[frame[has_frame]], called)
    found: dict[SourceLine, int] = {}
    of_group = np.zeros(len(groups), np.int64)
    for group, first in enumerate(groups.first.tolist()):
        file, line, function = split_frame(trace.text(int(trace.events.name_id[frame[has_frame[first]]])))
        source = SourceLine(file, _running_line(trace, int(called[first]), file) or line, function)
        of_group[group] = found.setdefault(source, len(found))
    of_row = np.full(len(frame), NONE, np.int64)
    of_row[has_frame] = of_group[groups.of]
    return of_row, list(found)


def callers_place(trace: Trace, row: int) -> str | None:
    """`train.py:12` as torch's report has it: of the nearest frame that was not called from torch, where it was called.

    Known exactly where our trace handler recorded callers. Elsewhere the caller is the frame above, and its line the first
    of its function.
    """
    events = trace.events
    while row != NONE:
        if events.kind[row] == Kind.PYTHON:
            place = _recorded_caller(trace, row) if len(trace.frames) else _frame_above(trace, row)
            if place is not None and not place.startswith("torch/"):
                return place
        row = int(events.parent[row])
    return None


def _recorded_caller(trace: Trace, row: int) -> str | None:
    at = _place_in_frames(trace, row)
    if at == NONE:
        return None
    frames = trace.frames
    return f"{trace.text(int(frames.caller_file_id[at]))}:{int(frames.caller_line[at])}"


def _frame_above(trace: Trace, row: int) -> str | None:
    above = int(trace.events.parent[row])
    while above != NONE and trace.events.kind[above] != Kind.PYTHON:
        above = int(trace.events.parent[above])
    try:
        file, line, _ = split_frame(trace.text(int(trace.events.name_id[above])) if above != NONE else "")
    except ValueError:  # calls of modules, built-ins and the outermost frame name no file
        return None
    return f"{file}:{line}"


def _running_line(trace: Trace, called: int, file: str) -> int | None:
    """The line of a frame that called this one."""
    at = NONE if called == NONE else _place_in_frames(trace, called)
    if at == NONE or trace.text(int(trace.frames.caller_file_id[at])) != file:
        return None
    return max(int(trace.frames.caller_line[at]), 0) or None


def _place_in_frames(trace: Trace, row: int) -> int:
    rows = trace.frames.row
    at = int(np.searchsorted(rows, row))
    return at if at < len(rows) and rows[at] == row else NONE
