"""Which nn.Module costs? Every instant of a thread and every device event goes to the innermost scope around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.intervals import union_length
from tb_plugin.trace.forward_backward import forward_backward
from tb_plugin.trace.kinds import DEVICE_KINDS, HOST_KINDS, Kind
from tb_plugin.views.modules import scopes as scopes_of
from tb_plugin.views.modules.result import ModuleRow, Modules, ModulesParams, ModuleTotals, PhaseTimes
from tb_plugin.views.modules.tree import ModuleTree, grow

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.modules.scopes import Scopes

OUTSIDE = "not in a module"
NOT_ATTRIBUTED = "not attributed"

_FORWARD, _BACKWARD = 0, 1


@dataclass(frozen=True, kw_only=True)
class _Sums:
    """Self values by (node, phase); the last node is "not in a module"."""

    host_ns: Int64Array
    device_ns: Int64Array
    kernels: Int64Array
    calls: Int64Array
    not_attributed_ns: int
    not_attributed_kernels: int


def compute(trace: Trace, params: ModulesParams) -> Modules:
    """Self times add up to all device time, and to all host time of the threads that run modules or autograd."""
    del params
    forward = forward_backward(trace).forward
    scopes = scopes_of.find(trace, forward)
    tree, node, backward = grow(trace, scopes, forward)
    sums = _sums(trace, scopes, np.where(node == NONE, len(tree), node), backward, len(tree))
    rows = _module_rows(trace, tree, sums)
    rows.append(_outside(len(rows), sums))
    if sums.not_attributed_ns or sums.not_attributed_kernels:
        rows.append(_not_attributed(len(rows), sums))
    return Modules(
        has_device=bool(np.isin(trace.events.kind, DEVICE_KINDS).any()),
        has_backward=bool((backward & (node != NONE)).any()),
        rows=rows,
        totals=ModuleTotals(
            host_ns=int(sums.host_ns.sum()),
            device_ns=int(sums.device_ns.sum()) + sums.not_attributed_ns,
            kernels=int(sums.kernels.sum()) + sums.not_attributed_kernels,
            not_attributed_ns=sums.not_attributed_ns,
        ),
    )


def missing(trace: Trace) -> str | None:
    if len(scopes_of.module_frames(trace)):
        return None
    if trace.info.with_stack:
        return "No nn.Module frames: no module was called through its __call__ while the profile was recorded."
    return "No nn.Module frames: record with profile(with_stack=True). TorchScript's module hierarchy is not read yet."


def _sums(trace: Trace, scopes: Scopes, node: Int64Array, backward: BoolArray, n_nodes: int) -> _Sums:
    events = trace.events
    slot = 2 * node + backward  # one number for (node, phase)
    n_slots = 2 * (n_nodes + 1)
    outside = 2 * n_nodes + _FORWARD

    host_ns = _by_slot(slot, scopes.exclusive_ns, n_slots)
    host_ns[outside] += max(0, _covered_ns(trace, scopes) - int(scopes.exclusive_ns.sum()))

    work = np.flatnonzero(np.isin(events.kind, DEVICE_KINDS))
    duration = (events.end_ns - events.start_ns)[work]
    is_kernel = events.kind[work] == Kind.KERNEL
    anchor = np.where(events.launch[work] != NONE, events.launch[work], events.owner[work])
    known = anchor != NONE
    around = scopes_of.innermost(trace, scopes, anchor[known])
    work_slot = np.full(len(around), outside, np.int64)
    work_slot[around != NONE] = slot[around[around != NONE]]
    return _Sums(
        host_ns=host_ns.reshape(-1, 2),
        device_ns=_by_slot(work_slot, duration[known], n_slots).reshape(-1, 2),
        kernels=_by_slot(work_slot, is_kernel[known].astype(np.int64), n_slots).reshape(-1, 2),
        calls=_by_slot(slot, scopes.is_frame.astype(np.int64), n_slots).reshape(-1, 2),
        not_attributed_ns=int(duration[~known].sum()),
        not_attributed_kernels=int(is_kernel[~known].sum()),
    )


def _by_slot(slot: Int64Array, value: Int64Array, n_slots: int) -> Int64Array:
    return np.bincount(slot, weights=value, minlength=n_slots).astype(np.int64)


def _covered_ns(trace: Trace, scopes: Scopes) -> int:
    """Time in which anything was open, summed over the threads that have scopes."""
    events = trace.events
    on_host = np.isin(events.kind, HOST_KINDS)
    covered = 0
    for track in np.unique(events.track[scopes.row]).tolist():
        rows = np.flatnonzero(on_host & (events.track == track))
        covered += union_length(events.start_ns[rows], events.end_ns[rows])
    return covered


def _module_rows(trace: Trace, tree: ModuleTree, sums: _Sums) -> list[ModuleRow]:
    host_total, device_total, kernels_total = (
        _with_descendants(tree, values) for values in (sums.host_ns, sums.device_ns, sums.kernels)
    )
    rows: list[ModuleRow] = []
    row_of_node: dict[int, int] = {}
    for node in tree.in_order():
        name = trace.text(tree.name_id[node]).removeprefix(scopes_of.FRAME_PREFIX)
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
                calls=int(sums.calls[node, _FORWARD]),
                recomputed=int(sums.calls[node, _BACKWARD]),
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
        forward_self_ns=int(own[_FORWARD]),
        forward_total_ns=int(total[_FORWARD]),
        backward_self_ns=int(own[_BACKWARD]),
        backward_total_ns=int(total[_BACKWARD]),
        self_ns=int(own.sum()),
        total_ns=int(total.sum()),
    )


def _no_module(backward_ns: int, all_ns: int) -> PhaseTimes:
    return PhaseTimes(
        forward_self_ns=None,
        forward_total_ns=None,
        backward_self_ns=backward_ns,
        backward_total_ns=backward_ns,
        self_ns=all_ns,
        total_ns=all_ns,
    )


def _outside(row: int, sums: _Sums) -> ModuleRow:
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
        host=_no_module(int(host[_BACKWARD]), int(host.sum())),
        device=_no_module(int(device[_BACKWARD]), int(device.sum())),
        first_start_ns=None,
        first_end_ns=None,
    )


def _not_attributed(row: int, sums: _Sums) -> ModuleRow:
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
        device=_no_module(0, sums.not_attributed_ns),
        first_start_ns=None,
        first_end_ns=None,
    )
