"""Where the calls of a row come from: their Python stacks and their modules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE, Int32Array, Int64Array
from tb_plugin.compute.distinct import numbered
from tb_plugin.compute.grouping import Groups, group_by, sum_by
from tb_plugin.compute.largest import largest
from tb_plugin.compute.nesting import nearest_marked
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.modules import scopes
from tb_plugin.trace.modules.forward_backward import forward_backward
from tb_plugin.trace.modules.paths import module_paths
from tb_plugin.views.operators.details_result import OperatorModule, OperatorStack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.trace.model import Trace
    from tb_plugin.views.operators.calls import Calls


def stacks(calls: Calls) -> list[OperatorStack]:
    """The calls by whole stack; a backward operator has that of its forward operator. Times add up to the row's totals."""
    place, frames = _stacks_of(calls.trace, calls.times.row[calls.counted])
    groups = group_by(place)
    found = [
        OperatorStack(frames=frames[i] if i != NONE else [], count=n, host_ns=host, device_ns=device)
        for i, n, host, device in zip(place[groups.first].tolist(), *_sums(calls, groups), strict=True)
    ]
    return largest(found, by=_by_time, rest=lambda left: OperatorStack(frames=[], is_rest=True, **_summed(left)))


def modules(calls: Calls) -> list[OperatorModule]:
    """The calls by module. Times add up to the row's totals."""
    paths = module_paths(calls.trace)
    place = paths.of_row[calls.times.row[calls.counted]]
    groups = group_by(place)
    found = [
        OperatorModule(path=paths.texts[i] if i != NONE else None, count=n, host_ns=host, device_ns=device)
        for i, n, host, device in zip(place[groups.first].tolist(), *_sums(calls, groups), strict=True)
    ]
    return largest(found, by=_by_time, rest=lambda left: OperatorModule(path=None, is_rest=True, **_summed(left)))


def _sums(calls: Calls, groups: Groups) -> tuple[list[int], list[int], list[int]]:
    """(calls, host total, device total) of each group of the counted calls."""
    times, counted = calls.times, calls.counted
    columns = (calls.kept[times.row].astype(np.int64), times.host_total_ns, times.device_total_ns)
    count, host, device = (sum_by(groups, column[counted]).tolist() for column in columns)
    return count, host, device


def _by_time(row: OperatorStack | OperatorModule) -> tuple[int, int]:
    return -row.device_ns, -row.host_ns


def _summed(rows: Sequence[OperatorStack | OperatorModule]) -> dict[str, int]:
    return {name: sum(getattr(row, name) for row in rows) for name in ("count", "host_ns", "device_ns")}


def _stacks_of(trace: Trace, rows: Int64Array) -> tuple[Int64Array, list[list[str]]]:
    """(place in the stacks, or NONE, of each row; the distinct stacks, innermost frame first)."""
    events = trace.events
    # Calls of modules are listed as modules; their numbers would make one stack of each layer.
    is_frame = (events.kind == Kind.PYTHON) & (scopes.calls(trace) == 0)
    if not is_frame.any():
        return _recorded_stacks(trace, rows)
    forward = forward_backward(trace).forward
    nearest = nearest_marked(events.parent, is_frame | (forward != NONE))
    above = nearest[rows].astype(np.int64)
    for _ in range(2):  # second order: the forward operator of a backward operator is one itself
        through = (above != NONE) & ~is_frame[above]
        above[through] = nearest[forward[above[through]]]
    above[(above != NONE) & ~is_frame[above]] = NONE
    frames = nearest_marked(events.parent, is_frame)
    numbers: dict[tuple[int, ...], int] = {}
    known: dict[int, tuple[int, ...]] = {NONE: ()}
    distinct, which = numbered(above)
    number = [
        NONE if frame == NONE else numbers.setdefault(_names(trace, frames, frame, known), len(numbers))
        for frame in distinct.tolist()
    ]
    return np.array(number, np.int64)[which], [[trace.text(name) for name in names] for names in numbers]


def _names(trace: Trace, frames: Int32Array, frame: int, known: dict[int, tuple[int, ...]]) -> tuple[int, ...]:
    """Name ids of a frame and of all frames around it."""
    events, path = trace.events, []
    while frame not in known:
        path.append(frame)
        parent = int(events.parent[frame])
        frame = int(frames[parent]) if parent != NONE else NONE
    for inner in reversed(path):
        known[inner] = (int(events.name_id[inner]), *known[frame])
        frame = inner
    return known[frame]


def _recorded_stacks(trace: Trace, rows: Int64Array) -> tuple[Int64Array, list[list[str]]]:
    """From "Call stack" texts: profiles of 2021, TorchScript, verbose ones."""
    place, texts = trace.args.texts(trace.events.order, rows, "Call stack")
    return place[rows].astype(np.int64), [[part for part in text.split(";") if part] for text in texts]
