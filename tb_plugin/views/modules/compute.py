"""Which nn.Module costs? Every instant of a thread and every device event goes to the innermost scope around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.intervals import union_length
from tb_plugin.trace.forward_backward import forward_backward
from tb_plugin.trace.kinds import DEVICE_KINDS, HOST_KINDS, Kind
from tb_plugin.views.modules import rows as rows_of
from tb_plugin.views.modules import scopes as scopes_of
from tb_plugin.views.modules.result import Modules, ModulesParams, ModuleTotals
from tb_plugin.views.modules.rows import FORWARD, Sums
from tb_plugin.views.modules.tree import grow

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace
    from tb_plugin.views.modules.scopes import Scopes


def compute(trace: Trace, params: ModulesParams) -> Modules:
    """Self times add up to all device time, and to all host time of the threads that run modules or autograd."""
    del params
    forward = forward_backward(trace).forward
    scopes = scopes_of.find(trace, forward)
    tree, node, backward = grow(trace, scopes, forward)
    sums = _sums(trace, scopes, np.where(node == NONE, len(tree), node), backward, len(tree))
    rows = rows_of.modules(trace, tree, sums)
    rows.append(rows_of.outside(len(rows), sums))
    if sums.not_attributed_ns or sums.not_attributed_kernels:
        rows.append(rows_of.not_attributed(len(rows), sums))
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


def _sums(trace: Trace, scopes: Scopes, node: Int64Array, backward: BoolArray, n_nodes: int) -> Sums:
    events = trace.events
    slot = 2 * node + backward  # one number for (node, phase)
    n_slots = 2 * (n_nodes + 1)
    outside = 2 * n_nodes + FORWARD

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
    return Sums(
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
