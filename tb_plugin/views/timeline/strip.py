"""The strip above the tracks: how busy each device is over the whole recording, and host operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, BoolArray
from tb_plugin.compute import intervals
from tb_plugin.compute.distinct import distinct
from tb_plugin.trace.kinds import DEVICE_KINDS, Kind, is_kind
from tb_plugin.views.timeline.result import Density

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

N_PARTS: Final = 512
"""Parts of the strip."""

_LEAST: Final = 0.001  # of a part in which anything ran: 0 is a part in which nothing did
_MOST_DENSITIES: Final = 64  # strips that one can tell apart; each device has its tracks besides


def density(trace: Trace, kept: BoolArray | None = None) -> list[Density]:
    """The same rows, whether of all events or of those that are kept."""
    events = trace.events
    working = is_kind(events.kind, DEVICE_KINDS)
    # Work on a track that names no device still is device work.
    device = trace.tracks.device[events.track] if len(trace.tracks) else np.empty(0, np.int32)
    found = [
        _density_of(trace, f"device {number}" if number != NONE else "device", number, working & (device == number), kept)
        for number in distinct(device[working]).tolist()[:_MOST_DENSITIES]
    ]
    operators = events.kind == Kind.OPERATOR
    if operators.any():
        found.insert(0, _density_of(trace, "host operators", None, operators, kept))
    return found


def _density_of(trace: Trace, name: str, device: int | None, of: BoolArray, kept: BoolArray | None) -> Density:
    rows = of if kept is None else of & kept
    return Density(name=name, device=device, busy=_busy_parts(trace, rows), points=_point_parts(trace, rows))


def _point_parts(trace: Trace, rows: BoolArray) -> list[int]:
    events, info = trace.events, trace.info
    at = events.start_ns[rows & (events.start_ns == events.end_ns)]
    if len(at) == 0:
        return []
    part = (at - info.start_ns) * (N_PARTS / max(info.end_ns - info.start_ns, 1))
    counts: list[int] = np.bincount(part.astype(np.int64).clip(0, N_PARTS - 1), minlength=N_PARTS).tolist()
    return counts


def _busy_parts(trace: Trace, rows: BoolArray) -> list[float]:
    merged = intervals.union(trace.events.start_ns[rows], trace.events.end_ns[rows])
    edges = np.linspace(trace.info.start_ns, trace.info.end_ns, N_PARTS + 1)
    if len(merged.start) == 0 or edges[0] == edges[-1]:
        return [0.0] * N_PARTS
    # Busy time before an instant is piecewise linear: flat in gaps, rising with slope 1 inside an interval.
    times = np.stack((merged.start, merged.end), axis=1).ravel()
    before = np.concatenate(([0], np.cumsum(merged.end - merged.start)))
    at_times = np.stack((before[:-1], before[1:]), axis=1).ravel()
    busy = np.diff(np.interp(edges, times, at_times)) / np.diff(edges)
    return [max(round(x, 3), _LEAST) if x > 0 else 0.0 for x in busy.clip(0, 1).tolist()]
