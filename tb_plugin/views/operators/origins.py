"""Where the calls of a row come from: their Python stacks and their modules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.compute.grouping import Groups, group_by, sum_by
from tb_plugin.compute.largest import largest
from tb_plugin.trace.modules.paths import module_paths
from tb_plugin.views.operators.details_result import OperatorModule, OperatorStack
from tb_plugin.views.operators.stacks import python_stacks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tb_plugin.trace.model import Trace
    from tb_plugin.views.operators.calls import Calls


def stacks(calls: Calls) -> list[OperatorStack]:
    """The calls by whole stack; a backward operator has that of its forward operator. Times add up to the row's totals."""
    place, frames = _stacks_of(calls.trace, calls.times.row[calls.counted])
    groups = group_by(place)
    found = [  # by first call, so that of equally long ones that comes first
        OperatorStack(frames=frames(i) if i != NONE else [], count=n, host_ns=host, device_ns=device)
        for _, i, n, host, device in sorted(
            zip(groups.first.tolist(), place[groups.first].tolist(), *_sums(calls, groups), strict=True)
        )
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


def _stacks_of(trace: Trace, rows: Int64Array) -> tuple[Int64Array, Callable[[int], list[str]]]:
    """(stack, or NONE, of each row; the frames of a stack, innermost first)."""
    known = python_stacks(trace)
    if len(known.outer):
        return known.of[rows], lambda stack: [trace.text(name_id) for name_id in known.frames(stack)]
    # From "Call stack" texts: profiles of 2021, TorchScript, verbose ones.
    place, texts = trace.args.texts(trace.events.order, rows, "Call stack")
    return place[rows].astype(np.int64), lambda stack: [part for part in texts[stack].split(";") if part]
