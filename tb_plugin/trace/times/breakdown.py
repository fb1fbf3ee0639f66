"""Where time went: sets of time by category, each instant in the first category that was active."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.coverage import Pieces, by_priority, within
from tb_plugin.compute.intervals import EMPTY, Merged, join, subtract, union
from tb_plugin.trace.collectives.table import collectives
from tb_plugin.trace.kinds import DATA_LOADER_NAME, DEVICE_KINDS, LAUNCH_KINDS, Kind, is_kind
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.scope.recording import is_cut_off
from tb_plugin.trace.times.idle import unknown_queue
from tb_plugin.trace.track_names import main_tracks
from tb_plugin.trace.work.collective_names import HOST_COLLECTIVE_NAME

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

TORCH_RANGE_NAME: Final = re.compile(r"Optimizer\.")
"""torch's own ranges that are work and not labels; the 2021 files call them operators. Sample: `Optimizer.step#SGD.step`."""

CATEGORIES: Final = (
    *("kernel", "copy", "set", "communication", "runtime", "data_loader", "other_host"),
    *("python", "unknown_queue"),
)
"""In order of priority; what none of them covers is idle."""

PARTS: Final = (*CATEGORIES, "idle")
"""The columns of `breakdowns`."""

WAITING_NAME: Final = re.compile(
    r"<built-in (function|method) (sleep|acquire|__enter__|wait\w*|poll|select|recv\w*|accept|getaddrinfo)\b"
)
"""Calls in which a thread rests. Samples: `<built-in function sleep>`, `<built-in method acquire of _thread.lock object>`."""


def activity(trace: Trace, work: dict[int, Int64Array], is_collective: BoolArray) -> Pieces:
    """What the profile does at each instant: a place in CATEGORIES, or none of them. `work`: rows of each device's work."""
    kind = trace.events.kind
    host = np.flatnonzero(is_kind(kind, (Kind.OPERATOR, Kind.ANNOTATION)))
    is_loader = rows_named(trace, host, DATA_LOADER_NAME.match)
    on_host = rows_named(trace, host, HOST_COLLECTIVE_NAME.match)
    is_work = (kind[host] == Kind.OPERATOR) | on_host | rows_named(trace, host, TORCH_RANGE_NAME.match)
    communication = host[on_host] if _is_by_host(trace) else np.flatnonzero(is_collective)
    parts = (
        np.flatnonzero((kind == Kind.KERNEL) & ~is_collective),
        np.flatnonzero(kind == Kind.COPY),
        np.flatnonzero(kind == Kind.SET),
        communication,
        np.flatnonzero(is_kind(kind, LAUNCH_KINDS)),
        host[is_loader],
        host[is_work & ~is_loader & ~_inside_operator(trace, host)],
    )
    queued = [unknown_queue(trace, rows) for rows in work.values()]
    return by_priority([*(_union_of(trace, rows) for rows in parts), _running_python(trace), join(EMPTY, *queued)])


def _running_python(trace: Trace) -> Merged:
    """When the main thread runs Python and does not rest in it."""
    events = trace.events
    frames = np.flatnonzero(events.kind == Kind.PYTHON)
    frames = frames[np.isin(events.track[frames], list(main_tracks(trace)))]
    return subtract(_union_of(trace, frames), _union_of(trace, frames[rows_named(trace, frames, WAITING_NAME.match)]))


def _union_of(trace: Trace, rows: Int64Array) -> Merged:
    return union(trace.events.start_ns[rows], trace.events.end_ns[rows])


def _is_by_host(trace: Trace) -> bool:
    """Whether ranges on the host are the communication. In a file that is cut off before what devices do, only those of gloo
    and its like are: other ranges start a collective, and nobody knows when that ran.
    """
    if is_kind(trace.events.kind, DEVICE_KINDS).any():
        return False
    return not is_cut_off(trace) or bool(collectives(trace).is_host.any())


def not_recorded(trace: Trace) -> list[str]:
    """Categories whose kind of event the profile does not hold at all: their 0 is not a measurement.

    What devices do comes last in a file: of one that is cut off before it, nobody knows what was sent or queued.
    """
    kind = trace.events.kind
    has_host = bool((kind == Kind.OPERATOR).any())
    has_device = bool(is_kind(kind, DEVICE_KINDS).any())
    known = {
        "kernel": has_device,
        "copy": has_device,
        "set": has_device,
        "communication": has_device or (has_host and _is_by_host(trace)),
        "runtime": bool(is_kind(kind, LAUNCH_KINDS).any()),
        "data_loader": has_host,
        "other_host": has_host,
        "python": bool((kind == Kind.PYTHON).any()),
        "unknown_queue": has_device or not is_cut_off(trace),
    }
    return [category for category in CATEGORIES if not known[category]]


def breakdowns(pieces: Pieces, t0_ns: Int64Array, t1_ns: Int64Array) -> Int64Array:
    """One row per window [t0_ns, t1_ns): time of each category, then idle. A row sums to its window."""
    active = within(pieces, t0_ns, t1_ns)
    idle = (t1_ns - t0_ns) - active.sum(axis=1)
    return np.column_stack((active, idle))


def _inside_operator(trace: Trace, rows: Int64Array) -> BoolArray:
    """Rows directly in an operator, which are most: they add no time to a union that has the operator."""
    parent = trace.events.nest_parent[rows]
    inside: BoolArray = (parent != NONE) & (trace.events.kind[parent] == Kind.OPERATOR)
    return inside
