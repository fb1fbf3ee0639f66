"""One row of operators in full: how its calls spread, who calls them, what they call and launch, where they come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from msgspec import structs

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.trace.event_ref import event_ref
from tb_plugin.trace.scope.recorded import STACKS
from tb_plugin.trace.times.spread import spread
from tb_plugin.views.operators import origins, related
from tb_plugin.views.operators.calls import Calls, calls_of
from tb_plugin.views.operators.details_result import OperatorCall, OperatorDetails, OperatorDetailsParams

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

_LONGEST: Final = 10


def details(trace: Trace, params: OperatorDetailsParams) -> OperatorDetails:
    """Everything behind one row of `view/operators`. A row that the filters leave nothing of has no calls.

    NotFoundError for a row that is not there.
    """
    calls = calls_of(trace, params)
    if calls.is_not_attributed:
        return _of_lost_work(calls)
    times, counted = calls.times, calls.counted
    is_kept = calls.kept[times.row[counted]]
    device_ns = times.device_total_ns[counted]
    stacks, modules = origins.stacks(calls), origins.modules(calls)
    return OperatorDetails(
        count=int(np.count_nonzero(calls.kept[times.row[calls.chosen]])),
        host=spread(times.host_total_ns[counted][is_kept]),
        device=spread(device_ns[device_ns > 0]),
        operators=related.operators(calls) if calls.is_mixed else [],
        callers=related.callers(calls),
        callees=related.callees(calls),
        kernels=related.kernels(calls),
        stacks=stacks,
        modules=modules,
        pairs=related.pairs(calls),
        longest=_longest_calls(calls),
        no_stacks=None if any(stack.frames for stack in stacks) else STACKS.lack(calls.trace),
        has_modules=any(module.path is not None for module in modules),
    )


def _of_lost_work(calls: Calls) -> OperatorDetails:
    events = calls.trace.events
    work, entry = calls.work
    lost = work[entry == NONE]
    duration = events.duration_ns(lost)
    return OperatorDetails(
        count=len(lost),
        host=None,
        device=spread(duration),
        operators=[],
        callers=[],
        callees=[],
        kernels=related.kernels(calls),
        stacks=[],
        modules=[],
        pairs=[],
        longest=[_call(calls, int(row), None) for row in lost[_largest(duration)].tolist()],
        no_stacks=None,
        has_modules=False,
    )


def _longest_calls(calls: Calls) -> list[OperatorCall]:
    times, counted = calls.times, calls.counted
    device_ns = times.device_total_ns[counted]
    by = device_ns if device_ns.any() else times.host_total_ns[counted]
    return [
        _call(calls, row, device)
        for row, device in zip(
            *(column[counted[_largest(by)]].tolist() for column in (times.row, times.device_total_ns)), strict=True
        )
    ]


def _largest(values: Int64Array) -> Int64Array:
    """Places of the largest, largest first; of equal ones the first."""
    return np.argsort(-values, kind="stable")[:_LONGEST]


def _call(calls: Calls, row: int, device_ns: int | None) -> OperatorCall:
    return OperatorCall(**structs.asdict(event_ref(calls.trace, row)), device_ns=device_ns)
