"""Which operators cost? Groups the entries of `trace.operator_times`, with their work and rates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.grouping import Groups, sum_by
from tb_plugin.trace.groupings.grouping import choices
from tb_plugin.trace.kinds import DEVICE_KINDS, Kind, is_kind
from tb_plugin.trace.scope.recorded import DEVICE, HOST, SHAPES
from tb_plugin.trace.scope.selection import selected
from tb_plugin.trace.times.operator_times import OperatorTimes, times_of
from tb_plugin.views.operators.effects import with_effects
from tb_plugin.views.operators.figures import matrix_cores, work
from tb_plugin.views.operators.groupings import GROUPINGS, OF_ONE_NAME, group, outermost
from tb_plugin.views.operators.result import OperatorRow, Operators, OperatorsParams, OperatorTotals

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Int64Array
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.operators.groupings import Rows
    from tb_plugin.views.operators.result import GroupBy

NOT_ATTRIBUTED: Final = "not attributed"


def compute(trace: Trace, params: OperatorsParams) -> Operators:
    """Rows whose self times add up to all host time of operators and ranges, and to all device time."""
    kept = selected(trace, params)
    times = times_of(trace, params)
    grouped = group(trace, times, params.group_by)
    has_device = DEVICE.is_there(trace)
    rows = _rows(trace, times, grouped, kept, params.group_by, has_device)
    rows, no_effect = with_effects(trace, params, times, grouped.groups, rows)
    flops = [row.flops for row in rows if row.flops is not None]
    if times.n_not_attributed:
        rows.append(_not_attributed(times))
    rows.sort(key=lambda row: (-row.device_self_ns, -(row.host_self_ns or 0), row.name))
    return Operators(
        group_by=params.group_by,
        has_device=has_device,
        has_shapes=bool((trace.events.shapes_id[times.row] != NONE).any()),
        no_shapes=SHAPES.lack(trace),
        groupings=choices(trace, GROUPINGS, params.group_by, grouped.keys),
        no_effect=no_effect,
        rows=rows,
        totals=OperatorTotals(
            count=int(np.count_nonzero(kept[times.row])),
            host_self_ns=int(times.host_self_ns.sum()),
            device_self_ns=int(times.device_self_ns.sum()) + times.not_attributed_ns,
            not_attributed_ns=times.not_attributed_ns,
            flops=sum(flops) if flops else None,
        ),
    )


def missing(trace: Trace) -> str | None:
    if is_kind(trace.events.kind, (Kind.OPERATOR, Kind.ANNOTATION, *DEVICE_KINDS)).any():
        return None
    return HOST.why_not(trace)


def _rows(trace: Trace, times: OperatorTimes, grouped: Rows, kept: BoolArray, by: GroupBy, has_device: bool) -> list[OperatorRow]:
    groups, counts = grouped.groups, kept[times.row]
    # torch's sums where groups are torch's: by name an operator inside one of its name counts in both.
    outer = None if by in OF_ONE_NAME else outermost(trace, times, groups)
    done = work(trace, times, groups, counts, outer)
    cores = matrix_cores(trace, times, groups, kept) if has_device else None
    host_self, device_self = (sum_by(groups, column).tolist() for column in (times.host_self_ns, times.device_self_ns))
    host_total, device_total = (_total(groups, column, outer) for column in (times.host_total_ns, times.device_total_ns))
    rows = []
    for i, (label, count) in enumerate(zip(grouped.labels, sum_by(groups, counts.astype(np.int64)).tolist(), strict=True)):
        over: Literal["device", "host"] = "device" if device_total[i] else "host"
        over_ns = device_total[i] or host_total[i]
        flops, n_bytes = done.flops[i], done.input_bytes[i]
        rows.append(
            OperatorRow(
                name=label.name,
                kind=label.kind,
                input_shapes=label.input_shapes,
                count=count,
                host_self_ns=host_self[i],
                host_total_ns=host_total[i],
                device_self_ns=device_self[i],
                device_total_ns=device_total[i],
                flops=flops,
                flops_per_s=_per_s(flops, over_ns),
                input_bytes=n_bytes,
                input_bytes_per_s=_per_s(n_bytes, over_ns) if done.has_all_bytes[i] else None,
                rates_over=over if over_ns and (flops is not None or done.has_all_bytes[i]) else None,
                matrix_core_share=cores.share[i] if cores else None,
                matrix_core_unknown_share=cores.unknown_share[i] if cores else None,
                matrix_core_eligible=cores.eligible[i] if cores else None,
            )
        )
    return rows


def _total(groups: Groups, values: Int64Array, outer: BoolArray | None) -> list[int]:
    sums: list[int] = sum_by(groups, values if outer is None else np.where(outer, values, 0)).tolist()
    return sums


def _per_s(amount: int | None, over_ns: int) -> float | None:
    return None if amount is None or over_ns == 0 else amount / over_ns * 1e9


def _not_attributed(times: OperatorTimes) -> OperatorRow:
    """Only what is known of work that no operator launched: the rest is what a row has by default, None."""
    return OperatorRow(
        name=NOT_ATTRIBUTED,
        kind="not_attributed",
        count=times.n_not_attributed,
        device_self_ns=times.not_attributed_ns,
        device_total_ns=times.not_attributed_ns,
    )
