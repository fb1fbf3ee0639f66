"""Call stacks of events, innermost first: what the file says ("Call stack"), else the Python frames above in torch's tree.

torch itself answers with a stack only where the profile was recorded with `verbose=True` or ran TorchScript; the frames are in
every profile `with_stack`, and give the same text. A backward operator has the stack of its forward operator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from tb_plugin.base.units import NONE, BoolArray, Int32Array, Int64Array
from tb_plugin.compute.grouping import group_by
from tb_plugin.compute.nesting import nearest_marked
from tb_plugin.torch_api.arguments import text_argument_of_rows
from tb_plugin.torch_api.live import BACKWARD
from tb_plugin.trace.kinds import HOST_KINDS, Kind
from tb_plugin.trace.names import rows_named

if TYPE_CHECKING:
    from tb_plugin.torch_api.columns import EventColumns
    from tb_plugin.trace.model import Trace

_LEFT_OUT: Final = (
    ("autograd/__init__", "_make_grads"),
    ("autograd/__init__", "backward"),
    ("torch/tensor", "backward"),
    ("_internal/common_utils", "prof_callable"),
    ("_internal/common_utils", "prof_func_call"),
    ("_internal/common_utils", "prof_meth_call"),
)
"""`_filter_stack_entry` of torch/autograd/profiler_util.py."""


def is_listed(entry: str) -> bool:
    """Whether torch keeps a frame in a stack."""
    return all(not (file in entry and function in entry) for file, function in _LEFT_OUT)


class Stacks:
    """The stack of each place of an EventList. Made when first asked for: it reads the stored arguments."""

    def __init__(self, trace: Trace, columns: EventColumns) -> None:
        self._trace = trace
        rows = np.flatnonzero(np.isin(trace.events.kind, (*HOST_KINDS, Kind.OVERHEAD)))
        self._recorded, texts = text_argument_of_rows(trace, rows, "Call stack")
        self._recorded_stacks = [[part for part in text.split(";") if part and is_listed(part)] for text in texts]
        self._frame = _frame_above(trace)
        self._row: Int64Array = _with_forward_stacks(trace, columns)
        self._known: dict[tuple[int, int], list[str]] = {}

    def of(self, place: int) -> list[str]:
        """The stack of a place; empty when there is none."""
        row = int(self._row[place])
        return [] if row == NONE else self._of_row(row)

    def stack_ids(self) -> tuple[Int64Array, list[list[str]]]:
        """(place in the stacks, for each place of the list; distinct stacks)."""
        groups = group_by(*self._keys())
        return groups.of, [self.of(place) for place in groups.first.tolist()]

    def top_ids(self, n: int) -> Int64Array:
        """A number for each place, equal where the first `n` entries of the stacks are."""
        ids, stacks = self.stack_ids()
        numbers: dict[tuple[str, ...], int] = {}
        of_stack = [numbers.setdefault(tuple(stack[:n]), len(numbers)) for stack in stacks]
        return np.array(of_stack, np.int64)[ids] if len(of_stack) else ids

    def _keys(self) -> tuple[npt.NDArray[np.integer], npt.NDArray[np.integer]]:
        """(recorded stack, innermost frame) of each place: equal keys have equal stacks."""
        none = self._row == NONE
        recorded = np.where(none, NONE, self._recorded[self._row])
        frame = np.where(none | (recorded != NONE), NONE, self._frame[self._row])
        return recorded, frame

    def _of_row(self, row: int) -> list[str]:
        recorded = int(self._recorded[row])
        if recorded != NONE:
            return self._recorded_stacks[recorded]
        frame = int(self._frame[row])
        key = (NONE, frame)
        if key not in self._known:
            self._known[key] = self._frames_up(frame)
        return self._known[key]

    def _frames_up(self, frame: int) -> list[str]:
        stack = []
        while frame != NONE:
            stack.append(self._trace.text(int(self._trace.events.name_id[frame])))
            frame = int(self._frame[frame])
        return stack


def _frame_above(trace: Trace) -> Int32Array:
    """For each row the nearest listed Python frame above it in torch's tree; device rows look from their launch."""
    events = trace.events
    marked: BoolArray = events.kind == Kind.PYTHON
    frames = np.flatnonzero(marked)
    marked[frames[~rows_named(trace, frames, is_listed)]] = False
    above = np.where(events.launch != NONE, events.launch, np.where(events.owner != NONE, events.owner, events.parent))
    return np.where(above == NONE, NONE, nearest_marked(events.parent, marked)[above]).astype(np.int32)


def _with_forward_stacks(trace: Trace, columns: EventColumns) -> Int64Array:
    """The row whose stack each place has: its own, or the forward operator's, or NONE (`_set_backward_stacktraces`)."""
    events = trace.events
    is_backward = columns.scope == BACKWARD
    backward = nearest_marked(columns.parent, is_backward)
    row = columns.row.copy()
    below = np.flatnonzero(backward != NONE)
    if len(below) == 0:
        return row
    forward = np.flatnonzero(backward == NONE)
    # (sequence number, thread) -> the first event with it.
    wanted = columns.row[backward[below]]
    wanted_sequence, wanted_thread = events.sequence[wanted], events.forward_thread[wanted]
    sequence, thread = events.sequence[columns.row[forward]], columns.track_thread[events.track[columns.row[forward]]]
    forward, sequence, thread = (values[thread > 0] for values in (forward, sequence, thread))
    groups = group_by(np.concatenate((sequence, wanted_sequence)), np.concatenate((thread, wanted_thread)))
    first = np.full(len(groups), NONE, np.int64)
    first[groups.of[: len(forward)][::-1]] = forward[::-1]
    found = first[groups.of[len(forward) :]]
    row[below] = np.where(found == NONE, NONE, columns.row[found])
    return row
