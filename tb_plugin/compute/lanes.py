"""Lanes: rows of a track in which no two events overlap, so that each can be drawn as a rectangle and none is lost.

    start  0  2  4  6       lane 0  [0 ........ 9]
    end    9  5  5  8   ->  lane 1    [2 . 5] [6 8]
                            lane 2      [4 5]

Proper nesting gives a lane per depth. Events that cross (start inside another and end outside) are normal on streams and
happen on threads too: `ProfilerStep#N` crosses the Python frame that opens it. All functions take the events of one
track sorted by (start, -end) and loop over lanes, never over events.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Int32Array, Int64Array

_ROUNDS = 6  # of taking out the shorter one of each crossing pair; real traces need one or two


def assign(start: Int64Array, end: Int64Array, *, nested: bool) -> Int32Array:
    """The lane of each event. `nested`: containment means "called by" (threads); else lanes are only packed (streams)."""
    lane = _n_open(start, end)
    if not overlaps(lane, start, end):
        return lane
    return _nest(start, end) if nested else _pack(start, end)


def overlaps(lane: Int32Array, start: Int64Array, end: Int64Array) -> bool:
    """Whether two events of one lane share time."""
    by_lane = np.argsort(lane, kind="stable")
    lane, start, end = lane[by_lane], start[by_lane], end[by_lane]
    return bool(((start[1:] < end[:-1]) & (lane[1:] == lane[:-1])).any())


def _n_open(start: Int64Array, end: Int64Array) -> Int32Array:
    """How many events before this one are still open at its start. Events without length are never open."""
    filled = end > start
    n_started: Int64Array = np.cumsum(filled) - filled
    n_ended = np.searchsorted(np.sort(end[filled]), start, side="right")
    return (n_started - n_ended).astype(np.int32)


def _nest(start: Int64Array, end: Int64Array) -> Int32Array:
    """A lane per depth of nesting; of two events that cross, the shorter goes to a lane below the whole track."""
    kept = np.ones(len(start), np.bool_)
    rows = np.flatnonzero(end > start)
    for last in (False,) * (_ROUNDS - 1) + (True,):
        lost, asked = _crossing(start[rows], end[rows], all_of_them=last)
        kept[rows[lost]] = False
        rows = rows[asked & ~lost]
        if len(rows) == 0:
            break
    lane = np.empty(len(start), np.int32)
    lane[kept] = _n_open(start[kept], end[kept])
    below = int(lane[kept].max(initial=-1)) + 1
    lane[~kept] = below + _pack(start[~kept], end[~kept])
    return lane


def _crossing(start: Int64Array, end: Int64Array, *, all_of_them: bool) -> tuple[BoolArray, BoolArray]:
    """(which events to take out so that fewer cross: the shorter of each pair found, or every one that takes part; those that may
    cross then).

    Writes starts and ends as brackets and pairs them as brackets pair. Where an opening bracket meets the closing one of
    another event, the two cross. Events whose own brackets meet never cross each other, so taking out all others is safe;
    and those of them in which none of the others begins or ends never cross anything.
    """
    n_events = len(start)
    lost = np.zeros(n_events, np.bool_)
    by_end = np.lexsort((-np.arange(n_events), end))  # of equal ends the inner one, which started last, closes first
    depth_opened = np.arange(n_events) - np.searchsorted(end[by_end], start, side="right")
    depth_closed = np.searchsorted(start, end[by_end], side="left") - np.arange(n_events) - 1
    closer = np.empty(n_events, np.intp)
    closer[np.argsort(depth_opened, kind="stable")] = by_end[np.argsort(depth_closed, kind="stable")]
    later = np.flatnonzero(closer != np.arange(n_events))
    met = np.sort(np.concatenate((start[later], end[later])))
    asked = np.searchsorted(met, start, side="left") < np.searchsorted(met, end, side="right")
    if all_of_them:
        lost[later] = True
        return lost, asked
    earlier = closer[later]
    really = (start[earlier] <= start[later]) & (start[later] < end[earlier]) & (end[earlier] < end[later])
    if len(later) and not really.any():
        lost[later] = True
        return lost, asked
    later, earlier = later[really], earlier[really]
    lost[np.where(end[earlier] - start[earlier] < end[later] - start[later], earlier, later)] = True
    return lost, asked


def _pack(start: Int64Array, end: Int64Array) -> Int32Array:
    """The fewest lanes: each takes its first event, then always the next that starts after the last one's end."""
    lane = np.empty(len(start), np.int32)
    left = np.arange(len(start))
    n_lanes = 0
    while len(left):
        taken = _chain(start[left], end[left])
        lane[left[taken]] = n_lanes
        left = left[~taken]
        n_lanes += 1
    return lane


def _chain(start: Int64Array, end: Int64Array) -> BoolArray:
    """Follows "next event at or after my end" from the first event, by doubling the length of the jumps."""
    n_events = len(start)
    jump: npt.NDArray[np.intp] = np.maximum(np.searchsorted(start, end, side="left"), np.arange(1, n_events + 1))
    jump = np.append(jump, n_events)  # the end leads to itself
    reached = np.zeros(n_events + 1, np.bool_)
    # Where nothing earlier is open the chain passes anyway: starting at all of these shortens it to one crowd of events.
    reached[0] = True
    reached[1:n_events] = start[1:] >= np.maximum.accumulate(end)[:-1]
    n_reached = 0
    while n_reached != (n_reached := int(np.count_nonzero(reached))):
        reached[jump[reached]] = True
        jump = jump[jump]
    return reached[:n_events]
