"""Call stacks of events, innermost first: what the file says ("Call stack"), else the Python frames above in torch's tree.

torch itself answers with a stack only where the profile was recorded with `verbose=True` or ran TorchScript; the frames are in
every profile `with_stack`, and give the same text. A backward operator has the stack of its forward operator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int32Array, Int64Array
from tb_plugin.compute.grouping import group_by
from tb_plugin.compute.nesting import nearest_marked
from tb_plugin.torch_api.live import BACKWARD
from tb_plugin.trace.kinds import HOST_KINDS, Kind, is_kind
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


class EventStacks:
    """The stack of each place of an EventList. Made when first asked for: it reads the stored arguments."""

    def __init__(self, trace: Trace, columns: EventColumns) -> None:
        rows = np.flatnonzero(is_kind(trace.events.kind, (*HOST_KINDS, Kind.OVERHEAD)))
        recorded, texts = trace.args.texts(trace.events.order, rows, "Call stack")
        frame = _frame_above(trace)
        chain, self._chains = _chains(trace, frame)
        row = _with_forward_stacks(trace, columns)
        none = row == NONE
        of_place = np.where(none, NONE, recorded[row])
        of_chain = np.where(none | (of_place != NONE) | (frame[row] == NONE), NONE, chain[frame[row]])
        groups = group_by(of_place, of_chain)
        self._recorded = [[part for part in text.split(";") if part and is_listed(part)] for text in texts]
        self._stacks = [
            self._recorded[place] if place != NONE else self._frames(one)
            for place, one in zip(of_place[groups.first].tolist(), of_chain[groups.first].tolist(), strict=True)
        ]
        self._of_place = groups.of

    def of(self, place: int) -> list[str]:
        """The stack of a place; empty when there is none."""
        return list(self._stacks[self._of_place[place]])

    def stack_ids(self) -> tuple[Int64Array, list[list[str]]]:
        """(place in the stacks, for each place of the list; the stacks)."""
        return self._of_place, self._stacks

    def top_ids(self, n: int) -> Int64Array:
        """A number for each place, equal where the first `n` entries of the stacks are."""
        numbers: dict[tuple[str, ...], int] = {}
        of_stack = np.array([numbers.setdefault(tuple(stack[:n]), len(numbers)) for stack in self._stacks], np.int64)
        result: Int64Array = of_stack[self._of_place]
        return result

    def _frames(self, chain: int) -> list[str]:
        stack = []
        while chain != NONE:
            name, chain = self._chains[chain]
            stack.append(name)
        return stack


def _frame_above(trace: Trace) -> Int32Array:
    """For each row the nearest listed Python frame above it in torch's tree; device rows look from their launch."""
    events = trace.events
    marked: BoolArray = events.kind == Kind.PYTHON
    frames = np.flatnonzero(marked)
    marked[frames[~rows_named(trace, frames, is_listed)]] = False
    above = np.where(events.launch != NONE, events.launch, np.where(events.owner != NONE, events.owner, events.parent))
    return np.where(above == NONE, NONE, nearest_marked(events.parent, marked)[above]).astype(np.int32)


def _chains(trace: Trace, frame: Int32Array) -> tuple[Int64Array, list[tuple[str, int]]]:
    """(number of each frame's chain, the chains): frames that are called alike from alike chains have one chain.

    chain   name          the chain above it
        0   <module>      -1
        1   train.py: f    0
    """
    frames = np.unique(frame[frame != NONE])
    above = frame[frames].tolist()
    names = trace.events.name_id[frames].tolist()
    place_of = {row: place for place, row in enumerate(frames.tolist())}
    found = np.full(len(frame), NONE, np.int64)
    chain_of: list[int | None] = [None] * len(frames)
    numbers: dict[tuple[int, int], int] = {}
    for start in range(len(frames)):
        waiting = [start]
        while waiting:
            place = waiting[-1]
            outer = NONE if above[place] == NONE else chain_of[place_of[above[place]]]
            if outer is None:  # the frame around it comes later only where both start in the same nanosecond
                waiting.append(place_of[above[place]])
                continue
            chain_of[place] = numbers.setdefault((names[place], outer), len(numbers))
            waiting.pop()
    found[frames] = np.array(chain_of, np.int64)
    return found, [(trace.text(name), outer) for name, outer in numbers]


def _with_forward_stacks(trace: Trace, columns: EventColumns) -> Int64Array:
    """The row whose stack each place has: its own, or the forward operator's, or NONE (`_set_backward_stacktraces`)."""
    events = trace.events
    is_backward = columns.scope == BACKWARD
    backward = nearest_marked(columns.parent, is_backward)
    row: Int64Array = columns.row.copy()
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
