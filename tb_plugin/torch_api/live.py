"""What the live profiler knew of a range: whether it ended on its own thread, when it truly ended, its scope.

Our trace handler stores it (`trace.live`). A stock JSON does not have it, but most follows from what it has:

    asynchronous   ranges of collectives (`gloo:all_reduce`), which torch makes so, and ranges that were never closed
                   (`"finished": false`). Not known: a user's own range that was closed by another thread, or has such a name.
    true end       of a range that was never closed: that of its parent in torch's tree, else of the recording
    scope          user ranges 7; backward: AccumulateGrad, and what names a forward thread, but not the engine's own ranges
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.torch_api.device import named
from tb_plugin.trace.kinds import Kind, is_kind
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.work.collective_names import COLLECTIVE_RANGE

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

FUNCTION, BACKWARD, USER = 0, 1, 7
"""at::RecordScope."""

_COLLECTIVE: Final = re.compile(
    rf"{COLLECTIVE_RANGE.pattern}\w*(?:reduce|gather|scatter|broadcast|all_?to_?all|send|recv|barrier|coalesced)", re.IGNORECASE
)
"""The titles that c10d gives its work, not any range that a user calls `gloo:mine`."""

_RANGES: Final = (Kind.OPERATOR, Kind.ANNOTATION)


@dataclass(frozen=True, kw_only=True)
class LiveFacts:
    """One entry per event row.

    row  name           is_async  end_ns   scope
      0  gloo:barrier   True      9_000        7
      1  aten::mm       False     4_000        0
    """

    is_async: BoolArray
    end_ns: Int64Array
    scope: npt.NDArray[np.int16]


def live_facts(trace: Trace) -> LiveFacts:
    """From `trace.live` for the rows it knows, else by the rules of this module's head."""
    live = trace.live
    end_ns = trace.events.end_ns.copy()
    is_async, scope = _collective_ranges(trace), _guessed_scope(trace)
    if len(live) == 0:
        open_rows = _never_closed(trace)
        is_async[open_rows] = True
        _close(trace, open_rows, end_ns)
    is_async[live.row] = live.is_async
    known = live.true_end_ns != NONE
    end_ns[live.row[known]] = live.true_end_ns[known]
    known = live.scope != NONE
    scope[live.row[known]] = live.scope[known]
    return LiveFacts(is_async=is_async, end_ns=end_ns, scope=scope)


def thread_numbers(trace: Trace, scope: npt.NDArray[np.int16]) -> Int64Array:
    """The profiler's own small number of the thread of each track, or NONE. "Fwd thread id" is such a number.

    A live profile has them. In a stock JSON an arrow from a forward operator to a backward one shows that of a thread, or
    without arrows the sequence numbers that they share.
    """
    events = trace.events
    numbers = np.full(len(trace.tracks), NONE, np.int64)
    if len(trace.live):
        own = ~trace.live.is_async & (trace.live.end_thread != NONE)
        # In reverse, so that the first event of a track decides.
        numbers[events.track[trace.live.row[own]][::-1]] = trace.live.end_thread[own][::-1]
        return numbers
    backward = np.flatnonzero((scope == BACKWARD) & (events.sequence >= 0) & (events.forward_thread > 0))
    of_flows = _tracks_by_flows(trace, backward)
    forward = np.flatnonzero((events.forward_thread <= 0) & (events.sequence >= 0))
    for number in np.unique(events.forward_thread[backward]).tolist():
        tracks = of_flows.get(number)
        if tracks is None:
            wanted = events.sequence[backward[events.forward_thread[backward] == number]]
            tracks = events.track[forward[np.isin(events.sequence[forward], wanted)]]
        if len(tracks):
            numbers[np.bincount(tracks).argmax()] = number
    return numbers


def _tracks_by_flows(trace: Trace, backward: Int64Array) -> dict[int, npt.NDArray[np.int32]]:
    """For each forward thread's number the tracks where its arrows to these backward rows start, as often as they do."""
    events, flows = trace.events, trace.flows
    categories = [place for place, text in enumerate(trace.strings) if text == "fwdbwd"]
    of_autograd = np.isin(flows.category_id, categories)
    starts, ends = np.flatnonzero(of_autograd & (flows.phase == 0)), np.flatnonzero(of_autograd & (flows.phase == 2))
    _ids, start, end = np.intersect1d(flows.flow_id[starts], flows.flow_id[ends], return_indices=True)
    starts, ends = starts[start], ends[end]
    # An arrow ends where its backward operator starts.
    row_at = {place: row for row, place in zip(backward.tolist(), _places(events.track, events.start_ns, backward), strict=True)}
    found: dict[int, list[int]] = {}
    for track, place in zip(flows.track[starts].tolist(), _places(flows.track, flows.time_ns, ends), strict=True):
        row = row_at.get(place)
        if row is not None:
            found.setdefault(int(events.forward_thread[row]), []).append(track)
    return {number: np.array(tracks, np.int32) for number, tracks in found.items()}


def _places(track: npt.NDArray[np.int32], time_ns: Int64Array, rows: Int64Array) -> list[tuple[int, int]]:
    return list(zip(track[rows].tolist(), time_ns[rows].tolist(), strict=True))


def _collective_ranges(trace: Trace) -> BoolArray:
    result = np.zeros(len(trace.events), np.bool_)
    ranges = np.flatnonzero(trace.events.kind == Kind.ANNOTATION)
    result[ranges[rows_named(trace, ranges, _COLLECTIVE.match)]] = True
    return result


def _never_closed(trace: Trace) -> Int64Array:
    """Ranges that end when the recording does and say that they are not finished."""
    events = trace.events
    ranges = np.flatnonzero(is_kind(events.kind, _RANGES))
    ends = named(trace, "Record Window End")
    if len(ranges) == 0 or len(ends) == 0:
        return np.empty(0, np.int64)
    # Rounded to a nanosecond twice on the way into the file; torch's Python writer puts the mark 1 us behind.
    late = ranges[events.end_ns[ranges] >= events.start_ns[ends].min() - 1_002]
    unfinished = [row for row in late.tolist() if trace.args.get(int(events.order[row])).get("finished") is False]
    return np.array(unfinished, np.int64)


def _close(trace: Trace, open_rows: Int64Array, end_ns: Int64Array) -> None:
    """Ends of open ranges; outer ones first, since an inner one may end with one of them."""
    span = named(trace, "PyTorch Profiler")
    for row in open_rows[np.argsort(trace.events.start_ns[open_rows], kind="stable")].tolist():
        parent = int(trace.events.parent[row])
        if parent != NONE:
            end_ns[row] = end_ns[parent]
        elif len(span):
            end_ns[row] = trace.events.end_ns[span[0]]


def _guessed_scope(trace: Trace) -> npt.NDArray[np.int16]:
    events = trace.events
    scope = np.full(len(events), FUNCTION, np.int16)
    operators = np.flatnonzero(events.kind == Kind.OPERATOR)
    backward = (events.forward_thread[operators] > 0) & ~rows_named(trace, operators, lambda name: "evaluate_function:" in name)
    backward |= rows_named(trace, operators, "torch::autograd::AccumulateGrad".__eq__)
    scope[operators[backward]] = BACKWARD
    scope[events.kind == Kind.ANNOTATION] = USER
    return scope
