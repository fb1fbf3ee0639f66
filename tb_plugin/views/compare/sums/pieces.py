"""Work cut at the edges of the windows, each instant shared by all that runs on the same device.

    windows  |----0----||----1----|          row  window  wall_ns
    stream 7     |--a--------|                a      0     3 + 2/2
    stream 8         |-b-|                    b      0     2/2
                                              a      1     5
An instant counts in the window that it lies in, whichever step launched the work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tb_plugin.compute.ranges import ranges
from tb_plugin.compute.wall_share import wall_shares
from tb_plugin.trace.times.idle import device_work
from tb_plugin.trace.times.outer_calls import is_outer_call, outer_calls

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array, Int64Array
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.compare.sums.result import Basis
    from tb_plugin.views.compare.sums.windows import Windows


class WorkPieces(NamedTuple):
    """One entry per event and window that it lies in. `wall_ns` is of the mean device."""

    row: Int64Array  # event row
    window: Int64Array
    wall_ns: Float64Array
    start_ns: Int64Array  # of the part in the window


def pieces(trace: Trace, windows: Windows) -> tuple[Basis, WorkPieces]:
    """Of the devices' work; where none worked, of the host's outermost operators."""
    work = list(device_work(trace).values())
    if not work:
        return "host", _shared(trace, windows, np.flatnonzero(is_outer_call(trace)), 1)
    of_devices = [_shared(trace, windows, rows, len(work)) for rows in work]
    return "device", WorkPieces(*(np.concatenate(columns) for columns in zip(*of_devices, strict=True)))


def call_of(trace: Trace, basis: Basis, rows: Int64Array) -> Int64Array:
    """The outermost operator that each of these rows of work belongs to, or NONE."""
    if basis == "host":
        return rows
    return outer_calls(trace, trace.events.owner[rows])


def _shared(trace: Trace, windows: Windows, rows: Int64Array, n_devices: int) -> WorkPieces:
    start, end = trace.events.start_ns[rows], trace.events.end_ns[rows]
    first = np.searchsorted(windows.end_ns, start, side="right")
    after = np.maximum(np.searchsorted(windows.start_ns, end, side="left"), first)
    n_windows = after - first
    row, window = np.repeat(np.arange(len(rows)), n_windows), ranges(first, n_windows)
    t0 = np.maximum(start[row], windows.start_ns[window])
    t1 = np.maximum(np.minimum(end[row], windows.end_ns[window]), t0)
    return WorkPieces(rows[row], window, wall_shares(t0, t1) / n_devices, t0)
