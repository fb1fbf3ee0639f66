"""Under which line of the user's code the device did nothing.

    host    |--zoom_shift--| |normalize|  launch A |      each idle instant is of the innermost event that is open on the
    device  .........................             |A|     thread that launches the next work: 15 us zoom_shift, 10 normalize

The lines add up to the time that is asked for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.grouping import group_by, sum_by
from tb_plugin.compute.intervals import EMPTY, Merged, join, length, meets, subtract, union
from tb_plugin.compute.own_time import own_part
from tb_plugin.trace.kinds import HOST_KINDS, STEP_NAME, Kind, is_kind
from tb_plugin.trace.modules.call_sites import call_sites
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.track_names import main_tracks

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

_NO_ROWS: Final = np.zeros(0, np.int64)
_LEFT_OUT: Final = -2
BETWEEN: Final = "Python between operators"
BUILT_IN: Final = re.compile(r"<built-in (?:function|method) (?P<name>\w+)")
"""Samples: `<built-in function zoom_shift>`, `<built-in method acquire of _thread.lock object at 0x7f>`."""


@dataclass(frozen=True, kw_only=True)
class IdleLine:
    """Idle time under one place, and the host events that were innermost then, the longest idle first."""

    trace: Trace
    work: Int64Array  # of the device that waits
    text: str  # `scipy/ndimage/_interpolation.py(739): zoom`; without stacks an operator or a range
    idle_ns: int
    rows: Int64Array
    row_ns: Int64Array  # idle time of each

    @cached_property
    def inside(self) -> str:
        """What was called there at the bottom, `zoom_shift`; empty where that says nothing new: frames, launches of kernels."""
        if len(self.rows) == 0:
            return ""
        events = self.trace.events
        groups = group_by(events.name_id[self.rows])
        row = int(self.rows[groups.first[np.argmax(sum_by(groups, self.row_ns))]])
        name = self.trace.text(int(events.name_id[row]))
        if called := BUILT_IN.match(name):
            return called["name"]
        is_known = name == self.text or events.kind[row] == Kind.PYTHON or STEP_NAME.match(name)
        launched = self.work[events.launch[self.work] == row]
        return "" if is_known or (events.kind[launched] == Kind.KERNEL).any() else name


def idle_lines(trace: Trace, work: Int64Array, idle: Merged) -> list[IdleLine]:
    """Of these times of the device that does this work, the most idle first: together all of them."""
    rows, own_ns, nowhere_ns = _by_row(trace, work, idle)
    return sorted(_by_line(trace, work, (rows, own_ns, nowhere_ns)), key=lambda line: -line.idle_ns)


def _by_row(trace: Trace, work: Int64Array, idle: Merged) -> tuple[Int64Array, Int64Array, int]:
    """(host events, idle time that is their own, that of no event)."""
    track = _next_launching(trace, work, idle.end)
    parts, left = [], EMPTY
    for each in distinct(track).tolist():
        rows, own_ns, none_open = _own(trace, each, Merged(idle.start[track == each], idle.end[track == each]))
        parts.append((rows, own_ns))
        left = join(left, none_open)
    # A thread of autograd has nothing open between its operators: then the thread that waits for it tells.
    for each in sorted(main_tracks(trace)) if length(left) else ():
        rows, own_ns, left = _own(trace, each, left)
        parts.append((rows, own_ns))
    rows, own_ns = (np.concatenate([part[column] for part in parts] or [_NO_ROWS]) for column in (0, 1))
    return rows[own_ns > 0], own_ns[own_ns > 0], length(left)


def _next_launching(trace: Trace, work: Int64Array, time_ns: Int64Array) -> Int64Array:
    """For each of these times the thread that launches the next work; after the last, and where it is not known, the last
    known one.
    """
    events = trace.events
    launched = work[events.launch[work] != NONE]
    if len(launched) == 0:
        return np.full(len(time_ns), NONE)
    launched = launched[np.argsort(events.start_ns[launched], kind="stable")]
    following = np.searchsorted(events.start_ns[launched], time_ns)
    track: Int64Array = events.track[events.launch[launched]][np.minimum(following, len(launched) - 1)].astype(np.int64)
    return track


def _own(trace: Trace, track: int, when: Merged) -> tuple[Int64Array, Int64Array, Merged]:
    """(events of this thread, their own part of these times, when none of them was open)."""
    events = trace.events
    if len(when.start) == 0:
        return _NO_ROWS, _NO_ROWS, EMPTY
    low, high = np.searchsorted(events.track, [track, track + 1]).tolist()
    # Most events meet none of these times: left out, with all that lies in them, also where rounding has it last longer.
    is_met = meets(when, events.start_ns[low:high], events.end_ns[low:high]) & is_kind(events.kind[low:high], HOST_KINDS)
    place = np.append(np.where(is_met, 0, _LEFT_OUT), NONE)  # NONE (-1) falls on the last
    rows = np.flatnonzero(is_met)
    above = events.nest_parent[low:high][rows]
    above = np.where(above == NONE, NONE, above - low)
    while (place[above] == _LEFT_OUT).any():
        inside = place[above] != _LEFT_OUT
        place[rows[~inside]] = _LEFT_OUT
        rows, above = rows[inside], above[inside]
    place[rows] = np.arange(len(rows))
    start, end, parent = events.start_ns[low + rows], events.end_ns[low + rows], place[above]
    return low + rows, own_part(start, end, parent, when), subtract(when, union(start, end))


def _by_line(trace: Trace, work: Int64Array, by_row: tuple[Int64Array, Int64Array, int]) -> list[IdleLine]:
    """Those of one place together; what is nowhere is between operators."""
    rows, idle_ns, nowhere_ns = by_row
    sites = call_sites(trace)
    site, named = sites.of_row[rows].astype(np.int64), _named(trace, rows)
    key = np.where(site != NONE, site, np.where(named == NONE, NONE, len(sites.texts) + named))
    lines: list[IdleLine] = []
    in_order = np.lexsort((-idle_ns, key))
    for mine in np.split(in_order, np.flatnonzero(np.diff(key[in_order])) + 1) if len(key) else ():
        at = int(key[mine[0]])
        has_site = 0 <= at < len(sites.texts)
        text = sites.texts[at] if has_site else trace.text(at - len(sites.texts)) if at != NONE else BETWEEN
        also_ns, nowhere_ns = (nowhere_ns, 0) if at == NONE else (0, nowhere_ns)
        lines.append(
            IdleLine(
                trace=trace,
                work=work,
                text=text,
                idle_ns=int(idle_ns[mine].sum()) + also_ns,
                rows=rows[mine],
                row_ns=idle_ns[mine],
            )
        )
    if nowhere_ns:
        lines.append(IdleLine(trace=trace, work=work, text=BETWEEN, idle_ns=nowhere_ns, rows=rows[:0], row_ns=idle_ns[:0]))
    return lines


def _named(trace: Trace, rows: Int64Array) -> Int64Array:
    """The name of the nearest operator or range around each, itself included, or NONE; of steps and Python frames none."""
    events = trace.events
    at = rows.copy()
    while True:
        asked = np.flatnonzero((at != NONE) & ~is_kind(events.kind[at], (Kind.OPERATOR, Kind.ANNOTATION)))
        if len(asked) == 0:
            break
        at[asked] = events.parent[at[asked]]
    found = at != NONE
    found[found] = ~rows_named(trace, at[found], STEP_NAME.match)
    return np.where(found, events.name_id[at], NONE).astype(np.int64)
