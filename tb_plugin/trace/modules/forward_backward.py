"""Which forward operator made which backward operator: by sequence number and thread, as torch draws its fwdbwd arrows.

torch (`generateForwardBackwardLinks`) walks operators by end. A forward operator is kept under (thread, sequence number),
the one with the latest start; a backward operator takes what is kept under (its "Fwd thread id", sequence number), once.

    thread 1 | aten::linear#7 0-20 | aten::addmm#7 5-15
    thread 2 | evaluate_function: AddmmBackward0#7 30-50 | AddmmBackward0#7 32-48      arrow: addmm -> AddmmBackward0

"Fwd thread id" is torch's own count of threads, which no file maps to a thread: it is the thread whose forward operators
share the most sequence numbers with it. AccumulateGrad has no sequence number and no forward operator.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int32Array, Int64Array
from tb_plugin.compute.distinct import distinct
from tb_plugin.trace.compact import nothing
from tb_plugin.trace.kept import once_per_trace
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.modules.scopes import autograd_ranges, innermost, nested

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


@dataclass(frozen=True, kw_only=True)
class ForwardBackward:
    """Two columns over all events, NONE where there is nothing. Kept are the rows that have something.

    row                                     arrow_from  forward
      1  aten::addmm                                -1       -1
      2  evaluate_function: AddmmBackward0          -1        1
      3  AddmmBackward0                              1        1
    """

    n_events: int
    arrow_ends: Int32Array  # rows
    arrow_starts: Int32Array  # aligned with them
    backward: Int32Array  # rows
    made_by: Int32Array  # aligned with them

    @property
    def arrow_from(self) -> Int32Array:
        """The forward operator, on the one backward operator that torch's arrow ends at."""
        return self._column(self.arrow_ends, self.arrow_starts)

    @property
    def forward(self) -> Int32Array:
        """The forward operator, on every backward operator: `evaluate_function` ranges, and second passes."""
        return self._column(self.backward, self.made_by)

    def _column(self, rows: Int32Array, values: Int32Array) -> Int32Array:
        if len(rows) == 0:
            return nothing((self.n_events,), np.dtype(np.int32), NONE)
        column = np.full(self.n_events, NONE, np.int32)
        column[rows] = values
        return column


@once_per_trace
def forward_backward(trace: Trace) -> ForwardBackward:
    """Links of all backward operators of a profile."""
    events = trace.events
    numbered = np.flatnonzero((events.sequence >= 0) & (events.kind == Kind.OPERATOR))
    is_backward = events.forward_thread[numbered] > 0
    if not is_backward.any():
        none = np.empty(0, np.int32)
        return ForwardBackward(n_events=len(events), arrow_ends=none, arrow_starts=none, backward=none, made_by=none)

    thread = np.where(is_backward, _forward_tracks(trace, numbered, is_backward), events.track[numbered])
    # By key, then end; of equal ends the inner one first, as files with rounded times need it.
    by_end = np.lexsort((-events.start_ns[numbered], events.end_ns[numbered], events.sequence[numbered], thread.astype(np.int64)))
    rows, is_backward, thread = numbered[by_end], is_backward[by_end], thread[by_end]
    sequence = events.sequence[rows]
    is_new_key = np.concatenate(([True], (thread[1:] != thread[:-1]) | (sequence[1:] != sequence[:-1])))
    # A backward operator empties what is kept, so it ends a section; so does the last operator of a key.
    starts_section = is_new_key | np.concatenate(([False], is_backward[:-1]))
    section = np.cumsum(starts_section) - 1

    kept = _latest(events.start_ns[rows], section, ~is_backward)
    taken = np.where(is_backward, kept[section], NONE)
    linked = taken != NONE
    # What shares the key and ends later (`evaluate_function`, a second backward pass) has the forward operator taken last.
    index = np.arange(len(rows))
    last_linked = np.maximum.accumulate(np.where(linked, index, NONE))
    key_start = np.maximum.accumulate(np.where(is_new_key, index, 0))
    inherits = is_backward & (last_linked >= key_start)
    return ForwardBackward(
        n_events=len(events),
        arrow_ends=rows[linked].astype(np.int32),
        arrow_starts=rows[taken[linked]].astype(np.int32),
        backward=rows[inherits].astype(np.int32),
        made_by=rows[taken[last_linked[inherits]]].astype(np.int32),
    )


def in_backward(trace: Trace, forward: Int32Array | None = None) -> BoolArray:
    """For every row: is it the autograd engine's work, or inside it, or launched there? `forward`: as of `forward_backward`."""
    ranges = autograd_ranges(trace, forward_backward(trace).forward if forward is None else forward)
    scopes = nested(trace, ranges.astype(np.int8))
    inside: BoolArray = innermost(trace, scopes) != NONE
    return inside


def _latest(start_ns: Int64Array, section: Int64Array, candidate: BoolArray) -> Int64Array:
    """For each section: the place of its candidate with the latest start (of equal ones the last), or NONE."""
    places = np.flatnonzero(candidate)
    places = places[np.lexsort((places, start_ns[places], section[places]))]
    latest = np.full(int(section[-1]) + 1 if len(section) else 0, NONE, np.int64)
    latest[section[places]] = places  # the last one written stays
    return latest


def _forward_tracks(trace: Trace, numbered: Int64Array, is_backward: BoolArray) -> Int64Array:
    """For each of these rows: the track that its "Fwd thread id" means, NONE for forward operators and where none fits."""
    events = trace.events
    forward_rows = numbered[~is_backward]
    tracks = np.full(len(numbered), NONE, np.int64)
    ids = events.forward_thread[numbered]
    for thread_id in distinct(ids[is_backward]).tolist():
        mine = is_backward & (ids == thread_id)
        shared = np.isin(events.sequence[forward_rows], events.sequence[numbered[mine]])
        pairs = np.unique(np.stack((events.track[forward_rows[shared]], events.sequence[forward_rows[shared]])), axis=1)
        if pairs.shape[1]:
            tracks[mine] = np.bincount(pairs[0]).argmax()
    return tracks
