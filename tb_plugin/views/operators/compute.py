"""Which operators cost? Groups the entries of `trace.operator_times` by name, or by name and input shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.compute.grouping import Groups, count_by, group_by, sum_by
from tb_plugin.trace.kinds import DEVICE_KINDS, Kind
from tb_plugin.trace.operator_times import OperatorTimes, key_text, operator_times
from tb_plugin.views.operators.result import OperatorKind, OperatorRow, Operators, OperatorsParams, OperatorTotals

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

NOT_ATTRIBUTED = "not attributed"

_KIND_NAMES: dict[int, OperatorKind] = {Kind.OPERATOR: "operator", Kind.ANNOTATION: "annotation"}


def compute(trace: Trace, params: OperatorsParams) -> Operators:
    """Rows whose self times add up to all host time of operators and ranges, and to all device time."""
    times = operator_times(trace)
    shapes_id = trace.events.shapes_id[times.row]
    kind = trace.events.kind[times.row]
    by_shapes = params.group_by == "shapes"
    groups = group_by(kind, times.key, shapes_id) if by_shapes else group_by(kind, times.key)
    rows = _rows(trace, times, groups, kind, shapes_id if by_shapes else None)
    if times.n_not_attributed:
        rows.append(_not_attributed(times))
    rows.sort(key=lambda row: (-row.device_self_ns, -(row.host_self_ns or 0), row.name))
    return Operators(
        group_by=params.group_by,
        has_device=bool(np.isin(trace.events.kind, DEVICE_KINDS).any()),
        has_shapes=bool((shapes_id != NONE).any()),
        rows=rows,
        totals=OperatorTotals(
            count=len(times.row),
            host_self_ns=int(times.host_self_ns.sum()),
            device_self_ns=int(times.device_self_ns.sum()) + times.not_attributed_ns,
            not_attributed_ns=times.not_attributed_ns,
        ),
    )


def missing(trace: Trace) -> str | None:
    if np.isin(trace.events.kind, (Kind.OPERATOR, Kind.ANNOTATION, *DEVICE_KINDS)).any():
        return None
    return "No operators were recorded: profile with activities=[ProfilerActivity.CPU, ...]."


def _rows(
    trace: Trace, times: OperatorTimes, groups: Groups, kind: np.ndarray, shapes_id: np.ndarray | None
) -> list[OperatorRow]:
    columns = (times.host_self_ns, times.host_total_ns, times.device_self_ns, times.device_total_ns)
    sums = [sum_by(groups, column).tolist() for column in columns]
    names = [key_text(trace, key) for key in times.key[groups.first].tolist()]
    shapes = _texts(trace, shapes_id, groups.first)
    kinds = [_KIND_NAMES.get(k, "launch") for k in kind[groups.first].tolist()]
    return [
        OperatorRow(
            name=name,
            kind=kind_name,
            input_shapes=shape,
            count=count,
            host_self_ns=host_self,
            host_total_ns=host_total,
            device_self_ns=device_self,
            device_total_ns=device_total,
        )
        for name, kind_name, shape, count, host_self, host_total, device_self, device_total in zip(
            names, kinds, shapes, count_by(groups).tolist(), *sums, strict=True
        )
    ]


def _texts(trace: Trace, shapes_id: np.ndarray | None, first: Int64Array) -> list[str | None]:
    if shapes_id is None:
        return [None] * len(first)
    return [trace.strings[i] if i != NONE else None for i in shapes_id[first].tolist()]


def _not_attributed(times: OperatorTimes) -> OperatorRow:
    return OperatorRow(
        name=NOT_ATTRIBUTED,
        kind="not_attributed",
        count=times.n_not_attributed,
        host_self_ns=None,
        host_total_ns=None,
        device_self_ns=times.not_attributed_ns,
        device_total_ns=times.not_attributed_ns,
    )
