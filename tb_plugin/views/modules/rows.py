"""From sums to the rows of the view: modules in the order of the tree, then what is in none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.views.modules.result import ModuleRow, PhaseTimes
from tb_plugin.views.modules.scopes import FRAME_PREFIX

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.modules.tree import ModuleTree

OUTSIDE = "not in a module"
NOT_ATTRIBUTED = "not attributed"

FORWARD, BACKWARD = 0, 1


@dataclass(frozen=True, kw_only=True)
class Sums:
    """Self values by (node, phase); the last node is "not in a module"."""

    host_ns: Int64Array
    device_ns: Int64Array
    kernels: Int64Array
    calls: Int64Array
    not_attributed_ns: int
    not_attributed_kernels: int


def modules(trace: Trace, tree: ModuleTree, sums: Sums) -> list[ModuleRow]:
    host_total, device_total, kernels_total = (
        _with_descendants(tree, values) for values in (sums.host_ns, sums.device_ns, sums.kernels)
    )
    rows: list[ModuleRow] = []
    row_of_node: dict[int, int] = {}
    for node in tree.in_order():
        name = trace.text(tree.name_id[node]).removeprefix(FRAME_PREFIX)
        above = rows[row_of_node[tree.parent[node]]] if tree.parent[node] != NONE else None
        first = tree.first_row[node]
        row_of_node[node] = len(rows)
        rows.append(
            ModuleRow(
                id=len(rows),
                parent=None if above is None else above.id,
                depth=0 if above is None else above.depth + 1,
                kind="module",
                name=name,
                class_name=name.rpartition("_")[0] or name,
                path=name if above is None else f"{above.path}/{name}",
                calls=int(sums.calls[node, FORWARD]),
                recomputed=int(sums.calls[node, BACKWARD]),
                kernels_self=int(sums.kernels[node].sum()),
                kernels_total=int(kernels_total[node].sum()),
                host=_phases(sums.host_ns[node], host_total[node]),
                device=_phases(sums.device_ns[node], device_total[node]),
                first_start_ns=int(trace.events.start_ns[first]),
                first_end_ns=int(trace.events.end_ns[first]),
            )
        )
    return rows


def _with_descendants(tree: ModuleTree, values: Int64Array) -> Int64Array:
    """Each node's values and those of all nodes below it. A parent has a smaller number than its children."""
    total: Int64Array = values.copy()
    for node in range(len(tree) - 1, -1, -1):
        if tree.parent[node] != NONE:
            total[tree.parent[node]] += total[node]
    return total


def _phases(own: Int64Array, total: Int64Array) -> PhaseTimes:
    return PhaseTimes(
        forward_self_ns=int(own[FORWARD]),
        forward_total_ns=int(total[FORWARD]),
        backward_self_ns=int(own[BACKWARD]),
        backward_total_ns=int(total[BACKWARD]),
        self_ns=int(own.sum()),
        total_ns=int(total.sum()),
    )


def _no_module(backward_ns: int | None, all_ns: int) -> PhaseTimes:
    return PhaseTimes(
        forward_self_ns=None,
        forward_total_ns=None,
        backward_self_ns=backward_ns,
        backward_total_ns=backward_ns,
        self_ns=all_ns,
        total_ns=all_ns,
    )


def outside(row: int, sums: Sums) -> ModuleRow:
    host, device, kernels = sums.host_ns[-1], sums.device_ns[-1], int(sums.kernels[-1].sum())
    return ModuleRow(
        id=row,
        parent=None,
        depth=0,
        kind="outside",
        name=OUTSIDE,
        class_name="",
        path=OUTSIDE,
        calls=0,
        recomputed=0,
        kernels_self=kernels,
        kernels_total=kernels,
        host=_no_module(int(host[BACKWARD]), int(host.sum())),
        device=_no_module(int(device[BACKWARD]), int(device.sum())),
        first_start_ns=None,
        first_end_ns=None,
    )


def not_attributed(row: int, sums: Sums) -> ModuleRow:
    return ModuleRow(
        id=row,
        parent=None,
        depth=0,
        kind="not_attributed",
        name=NOT_ATTRIBUTED,
        class_name="",
        path=NOT_ATTRIBUTED,
        calls=0,
        recomputed=0,
        kernels_self=sums.not_attributed_kernels,
        kernels_total=sums.not_attributed_kernels,
        host=None,
        device=_no_module(None, sums.not_attributed_ns),
        first_start_ns=None,
        first_end_ns=None,
    )
