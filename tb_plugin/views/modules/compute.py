"""Which nn.Module costs? Every instant of a thread and every device event goes to the innermost scope around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.base.units import NONE
from tb_plugin.trace.modules import scopes as module_scopes
from tb_plugin.trace.modules.paths import module_walk
from tb_plugin.trace.scope.recorded import DEVICE, MODULES
from tb_plugin.trace.scope.selection import selected
from tb_plugin.views.modules import rows as rows_of
from tb_plugin.views.modules.effects import with_effects
from tb_plugin.views.modules.result import Modules, ModulesParams, ModuleTotals
from tb_plugin.views.modules.shape import shape_of
from tb_plugin.views.modules.sums import BACKWARD, COLUMNS, sums_of

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


def compute(trace: Trace, params: ModulesParams) -> Modules:
    """Self times add up to all device time, and to all host time of the threads that run modules or autograd."""
    walk = module_walk(trace)
    kept = selected(trace, params)
    sums = sums_of(trace, walk, kept)
    shape = shape_of(walk.tree, params.group_by)
    rows = rows_of.modules(trace, walk, shape, sums, kept)
    rows, no_effect = with_effects(trace, params, rows)
    has_calls = any(row.calls is not None for row in rows)
    rows.append(rows_of.outside(len(rows), sums))
    if sums.not_attributed_ns or sums.not_attributed_kernels:
        rows.append(rows_of.not_attributed(len(rows), sums))
    totals = dict(zip(COLUMNS, sums.values.sum(axis=(0, 1)).tolist(), strict=True))
    backward = walk.scopes.kind == module_scopes.AUTOGRAD
    return Modules(
        group_by=shape.group_by,
        has_device=DEVICE.is_there(trace),
        has_backward=bool((backward & (walk.node != NONE)).any()) or bool(sums.values[:-1, BACKWARD].any()),
        has_calls=has_calls,
        has_qualified=any(row.qualified for row in rows),
        has_host_memory=sums.has_host_memory,
        has_device_memory=sums.has_device_memory,
        no_effect=no_effect,
        rows=rows,
        totals=ModuleTotals(
            host_ns=totals["host_ns"],
            device_ns=totals["device_ns"] + sums.not_attributed_ns,
            kernels=totals["kernels"] + sums.not_attributed_kernels,
            not_attributed_ns=sums.not_attributed_ns,
        ),
    )


def missing(trace: Trace) -> str | None:
    return MODULES.lack(trace)
