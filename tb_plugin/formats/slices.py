"""Ranges of a track as begins and ends that nest, which is all that speedscope and Perfetto can show.

a 0-10  b 2-5  c 7-14       lane 0   a( b( )b )a
                            lane 1   c( )c           crosses a, so it cannot be in one lane with it
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.trace.kinds import Kind, is_kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tb_plugin.base.units import Int64Array
    from tb_plugin.trace.model import Trace

POINTS = (Kind.MEMORY, Kind.OUT_OF_MEMORY, Kind.INSTANT, Kind.COUNTER)
"""Kinds that are marks in time, unless they have a length."""


def is_point(kind: int, start_ns: int, end_ns: int) -> bool:
    return end_ns == start_ns and kind in POINTS


def ranges_by_track(trace: Trace) -> list[tuple[int, Int64Array]]:
    """(track, its rows that are ranges), tracks in the order of the file."""
    events = trace.events
    rows = np.flatnonzero(~((events.start_ns == events.end_ns) & is_kind(events.kind, POINTS)))
    if len(rows) == 0:
        return []
    parts = np.split(rows, np.flatnonzero(np.diff(events.track[rows])) + 1)
    return [(int(events.track[part[0]]), part) for part in parts]


def lanes(trace: Trace, rows: Int64Array) -> list[list[int]]:
    """These rows of one track, in (start, -end) order, in as few lanes as make each nest; the first takes what it can."""
    found: list[tuple[list[int], list[int]]] = []  # (rows, ends of the ranges that are open)
    starts, ends = trace.events.start_ns[rows].tolist(), trace.events.end_ns[rows].tolist()
    for row, start, end in zip(rows.tolist(), starts, ends, strict=True):
        for _, open_ends in found:
            while open_ends and open_ends[-1] <= start:
                open_ends.pop()
        place = next((place for place in found if not place[1] or end <= place[1][-1]), None)
        if place is None:
            place = ([], [])
            found.append(place)
        place[0].append(row)
        place[1].append(end)
    return [lane for lane, _ in found]


def brackets(trace: Trace, lane: Iterable[int]) -> list[tuple[bool, int, int]]:
    """(opens, time in ns, row) in order of time; at one time ends come first, except that of a range without length."""
    starts, ends = trace.events.start_ns, trace.events.end_ns
    found: list[tuple[bool, int, int]] = []
    stack: list[tuple[int, int]] = []
    for row in lane:
        start = int(starts[row])
        while stack and stack[-1][0] <= start:
            end, closed = stack.pop()
            found.append((False, end, closed))
        found.append((True, start, row))
        stack.append((int(ends[row]), row))
    found.extend((False, end, row) for end, row in reversed(stack))
    return found


def track_title(trace: Trace, track: int) -> str:
    """What a person calls this track: `python thread 4000`, `device 0 stream 7`."""
    tracks = trace.tracks
    thread = trace.text(int(tracks.thread_name_id[track])).strip()
    if thread:
        return thread
    tid = trace.text(int(tracks.tid_id[track]))
    return f"stream {tid}" if tracks.device[track] >= 0 else f"thread {tid}"


def process_title(trace: Trace, track: int) -> str:
    tracks = trace.tracks
    name = trace.text(int(tracks.process_name_id[track])).strip()
    return name or f"process {trace.text(int(tracks.pid_id[track]))}"
