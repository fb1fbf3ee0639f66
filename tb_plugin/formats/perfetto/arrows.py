"""Arrows between events: Perfetto hangs an arrow's ends on events, our Trace (as Chrome JSON) on places in time."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.trace.kinds import Kind

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

_START, _FINISH = 0, 2


@dataclass(frozen=True, kw_only=True)
class Arrows:
    """Numbers of arrows by the row they leave and by the row they reach; how many lead nowhere (Kineto writes many)."""

    out_of: dict[int, list[int]]
    into: dict[int, list[int]]
    n_lost: int


def find(trace: Trace) -> Arrows:
    """Launch to device work by the Trace's links; every other arrow of the file by the events at its ends."""
    out_of: dict[int, list[int]] = defaultdict(list)
    into: dict[int, list[int]] = defaultdict(list)
    launch = trace.events.launch
    n_arrows = 0
    # A number for each: an arrow that has arrived cannot arrive once more, and one launch may start many kernels.
    for row in np.flatnonzero(launch != NONE).tolist():
        n_arrows += 1
        out_of[int(launch[row])].append(n_arrows)
        into[row].append(n_arrows)
    n_lost = 0
    for starts, finishes in _ends(trace).values():
        source = next((row for row in starts if row != NONE), NONE)
        n_lost += not finishes
        for target in finishes:
            if target != NONE and launch[target] != NONE:
                continue  # drawn above
            if source == NONE or target in (NONE, source):
                n_lost += 1
                continue
            n_arrows += 1
            out_of[source].append(n_arrows)
            into[target].append(n_arrows)
    return Arrows(out_of=dict(out_of), into=dict(into), n_lost=n_lost)


def _ends(trace: Trace) -> dict[tuple[int, int], tuple[list[int], list[int]]]:
    """Rows at the start and at the finish of each arrow, by (category, id)."""
    flows, rows = trace.flows, _rows_at(trace)
    found: dict[tuple[int, int], tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    columns = (flows.phase, flows.category_id, flows.flow_id)
    for row, (phase, category_id, flow_id) in zip(rows, zip(*(c.tolist() for c in columns), strict=True), strict=True):
        found[(category_id, flow_id)][0 if phase == _START else 1].append(row)
    return found


def _rows_at(trace: Trace) -> list[int]:
    """The event at each arrow's end: the innermost that starts there, operators first, else the one that is running."""
    events, flows = trace.events, trace.flows
    first = np.searchsorted(events.track, flows.track, side="left")
    last = np.searchsorted(events.track, flows.track, side="right")
    found: list[int] = []
    for low, high, time_ns in zip(first.tolist(), last.tolist(), flows.time_ns.tolist(), strict=True):
        begins = low + int(np.searchsorted(events.start_ns[low:high], time_ns, side="left"))
        ends = low + int(np.searchsorted(events.start_ns[low:high], time_ns, side="right"))
        here = [row for row in range(begins, ends) if events.kind[row] not in (Kind.MEMORY, Kind.PYTHON)]
        operators = [row for row in here if events.kind[row] == Kind.OPERATOR]
        row = operators[-1] if operators else here[-1] if here else begins - 1
        while low <= row < high and not events.start_ns[row] <= time_ns <= events.end_ns[row]:
            row = int(events.nest_parent[row])
        found.append(row if low <= row < high else NONE)
    return found
