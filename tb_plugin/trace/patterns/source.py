"""Where in the user's code an event comes from: the nearest Python frame around it that is not torch's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.modules.call_sites import is_user_frame, split_frame

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


_OF_STACK: Final = frozenset(map(int, (Kind.OPERATOR, Kind.ANNOTATION, Kind.PYTHON)))


class SourceLine(NamedTuple):
    """`line` is the one that ran where our trace handler recorded it, else where the function begins."""

    file: str
    line: int
    function: str

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"


def source_of(trace: Trace, row: int) -> SourceLine | None:
    """The innermost frame of the user's own code around an event, itself included."""
    events, of_stack, python = trace.events, _OF_STACK, int(Kind.PYTHON)
    kind, parent, name_id = events.kind.item, events.parent.item, events.name_id.item  # half the time of `int(column[row])`
    if kind(row) not in of_stack and events.launch.item(row) != NONE:
        row = events.launch.item(row)  # of device work: where it was launched
    below = NONE
    while row != NONE:
        if kind(row) == python:
            name = trace.text(name_id(row))
            if is_user_frame(name):
                file, line, function = split_frame(name)
                return SourceLine(file, _running_line(trace, below, file) or line, function)
            below = row
        row = parent(row)
    return None


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
