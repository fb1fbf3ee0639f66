"""torch's event tree as columns: who is whose parent by `build_tree` of collection.cpp, and in which order children stand.

    host events    by replay, thread by thread (`trace.events.parent`; where times are rounded they nest)
    first events of a backward thread  hang on what is open on the thread of their forward operators, and what follows
                   them on their own thread does too, even after that has ended: torch never takes it off the stack again
    launches       that name an operator (External id) are its children, whatever else holds them
    device work    of its launch where an arrow leads there from one, else of the operator that it names, else in no tree

torch also replays device work and launches that name no operator, on the thread that stopped the profiler. Here
such launches stay on their own thread, and such device work is left out: it has no caller.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int32Array, Int64Array
from tb_plugin.compute.nesting import nearest_marked
from tb_plugin.torch_api.device import ON_DEVICE, owner_rows
from tb_plugin.torch_api.live import LiveFacts, live_facts, thread_numbers
from tb_plugin.trace.kinds import HOST_KINDS, LAUNCH_KINDS, Kind, is_kind

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

_REPLAYED = (*HOST_KINDS, Kind.MEMORY, Kind.OUT_OF_MEMORY)
_RANGES = (Kind.OPERATOR, Kind.ANNOTATION)
_LAUNCH_ARROWS = ("ac2g", "async_cpu_to_gpu", "async")


@dataclass(frozen=True, kw_only=True)
class TreeColumns:
    """`parent` and `end_ns` have one entry per event row; `rows` are the rows of the tree by start.

    row  name              parent        rows         [0, 1, 2, 3]
      0  aten::mm              -1        children_of  [1, 3, ...], those of row r at first_child[r] : first_child[r + 1]
      1  cudaLaunchKernel       0
      2  aten::mm              -1
      3  sgemm                  1
    """

    rows: Int64Array
    parent: Int32Array
    roots: Int64Array
    children_of: Int64Array
    first_child: Int64Array
    end_ns: Int64Array
    thread: Int64Array
    """torch's own number of the thread of each track where it is known, else NONE."""
    live: LiveFacts


def tree_columns(trace: Trace) -> TreeColumns:
    """Of one profile. A pass over all rows, and in Python only where threads hang on each other."""
    events = trace.events
    live = live_facts(trace)
    thread = _thread_numbers(trace, live)
    linked, parent = _linked(trace)
    replayed = is_kind(events.kind, _REPLAYED) & ~linked
    by_start = np.flatnonzero(replayed)
    by_start = by_start[np.lexsort((events.order[by_start], events.start_ns[by_start]))]
    elsewhere = _from_other_threads(trace, by_start, thread)
    if elsewhere is not None and trace.info.resolution_ns == 1:
        parent[by_start] = _replayed_together(trace, by_start, *elsewhere)
    else:
        # Launches that hang elsewhere were there when threads were replayed: what they held hangs on what holds them.
        own, above = nearest_marked(events.parent, ~linked), events.parent.copy()
        if trace.info.resolution_ns > 1:
            _hang_allocations(trace, above)
        parent[by_start] = np.where(above[by_start] == NONE, NONE, own[above[by_start]])
    inside = replayed | (linked & (parent != NONE))
    rows = np.flatnonzero(inside)
    rows = rows[np.lexsort((events.order[rows], events.start_ns[rows]))]
    children = rows[parent[rows] != NONE]
    # torch adds linked events before it replays the others.
    place = np.arange(len(children))
    first = linked[children]
    children = children[np.lexsort((np.where(first, events.order[children], place), ~first, parent[children]))]
    return TreeColumns(
        rows=rows,
        parent=parent,
        roots=rows[parent[rows] == NONE],
        children_of=children,
        first_child=np.searchsorted(parent[children], np.arange(len(events) + 1)),
        end_ns=live.end_ns,
        thread=thread,
        live=live,
    )


def _hang_allocations(trace: Trace, parent: Int32Array) -> None:
    """In files of rounded times, whose events nest: the innermost event that holds the moment, its end included."""
    events = trace.events
    instants = is_kind(events.kind, (Kind.MEMORY, Kind.OUT_OF_MEMORY))
    hosts = is_kind(events.kind, HOST_KINDS)
    for track in np.unique(events.track[instants]).tolist():
        on_track = events.track == track
        rows, inside = np.flatnonzero(on_track & instants), np.flatnonzero(on_track & hosts)
        time_ns = events.start_ns[rows]
        place = np.searchsorted(events.start_ns[inside], time_ns, side="right") - 1
        up = np.where(place >= 0, inside[place], NONE) if len(inside) else np.full(len(rows), NONE)
        while (over := (up != NONE) & (events.end_ns[up] < time_ns)).any():
            up = np.where(over, events.nest_parent[up], up)
        parent[rows] = up


def _thread_numbers(trace: Trace, live: LiveFacts) -> Int64Array:
    numbers = np.full(len(trace.tracks), NONE, np.int64)
    known = trace.live.start_thread != NONE
    if known.any():
        # In reverse, so that the first event of a track decides.
        numbers[trace.events.track[trace.live.row[known]][::-1]] = trace.live.start_thread[known][::-1]
        return numbers
    return thread_numbers(trace, live.scope)


def _linked(trace: Trace) -> tuple[BoolArray, Int32Array]:
    """(device work, and launches that name their operator; parents of these)."""
    events = trace.events
    parent = np.full(len(events), NONE, np.int32)
    on_device = is_kind(events.kind, ON_DEVICE)
    calls = is_kind(events.kind, LAUNCH_KINDS)
    rows = np.flatnonzero(on_device | calls)
    if len(rows):
        parent[rows] = _named_operator(trace, rows)
    launched = np.flatnonzero(on_device & (events.launch != NONE) & calls[events.launch])
    launched = launched[_has_arrow(trace, events.correlation[launched])]
    parent[launched] = events.launch[launched]
    return on_device | (calls & (parent != NONE)), parent


def _named_operator(trace: Trace, rows: Int64Array) -> Int32Array:
    """The operator of each row's External id, or NONE. In files of 2022 and 2023 that is no operator's id."""
    events = trace.events
    external = events.external_id[rows]
    known = external > 0
    if (external[known] == events.correlation[rows[known]]).all():
        return np.full(len(rows), NONE, np.int32)
    return owner_rows(trace, rows, is_kind(events.kind, _RANGES))


def _has_arrow(trace: Trace, correlation: Int64Array) -> BoolArray:
    """Does an arrow of this id start at a launch? Where a file has no such arrows, ids alone decide."""
    flows = trace.flows
    categories = [place for place, text in enumerate(trace.strings) if text.lower() in _LAUNCH_ARROWS]
    starts = flows.flow_id[np.isin(flows.category_id, categories) & (flows.phase == 0)]
    return np.isin(correlation, starts) if len(starts) else np.ones(len(correlation), np.bool_)


def _from_other_threads(trace: Trace, rows: Int64Array, thread: Int64Array) -> tuple[Int64Array, Int64Array] | None:
    """For each of these rows (its parent where the live profile said that it is of another thread, the track of its forward
    operators), or NONE; None where no row has either.
    """
    events, live = trace.events, trace.live
    known = np.full(len(events), NONE, np.int64)
    known[live.row] = live.parent_elsewhere
    track = np.full(len(events), NONE, np.int64)
    if not (live.allow_tf32 != NONE).any():  # the live tree was not read
        track_of = {number: track for track, number in enumerate(thread.tolist()) if number != NONE}
        # Inside another event of its own thread nothing asks for the forward thread.
        for row in rows[(events.parent[rows] == NONE) & (events.forward_thread[rows] > 0)].tolist():
            of_forward = track_of.get(int(events.forward_thread[row]), NONE)
            track[row] = NONE if of_forward == int(events.track[row]) else of_forward
    return (known[rows], track[rows]) if (known != NONE).any() or (track != NONE).any() else None


def _replayed_together(trace: Trace, rows: Int64Array, known: Int64Array, forward_track: Int64Array) -> Int64Array:
    """Parents of these rows, which are by start: `build_tree`, line by line, on all threads at once."""
    events = trace.events
    place_of = np.full(len(events) + 1, NONE, np.int64)
    place_of[rows] = np.arange(len(rows))
    stacks: dict[int, int] = {}
    ends: list[tuple[int, int]] = []
    parents = [NONE] * len(rows)
    finished = [False] * len(rows)
    tracks = events.track[rows].tolist()

    def pop(place: int) -> None:
        if finished[place]:
            return
        frame = stacks.get(tracks[place], NONE)
        while frame not in (place, NONE):
            finished[frame] = True
            frame = parents[frame]
        finished[place] = True
        if parents[place] == NONE:
            stacks.pop(tracks[place], None)
        else:
            stacks[tracks[place]] = parents[place]

    elsewhere = np.where(known == NONE, NONE, place_of[known])
    elsewhere[elsewhere >= np.arange(len(rows))] = NONE  # a damaged file must not lead in a circle
    columns = (events.start_ns[rows], events.end_ns[rows], elsewhere, forward_track)
    for place, (start, end, known_place, track) in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
        while ends and ends[0][0] < start:
            pop(heapq.heappop(ends)[1])
        parents[place] = stacks.get(tracks[place], known_place if known_place != NONE else stacks.get(track, NONE))
        if end > start:
            stacks[tracks[place]] = place
            heapq.heappush(ends, (end, place))
    found = np.array(parents, np.int64)
    return np.where(found == NONE, NONE, rows[found])
