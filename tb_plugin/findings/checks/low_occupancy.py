"""Do memory-bound kernels keep too few warps on a multiprocessor to hide the time that memory takes?

Matrix products, convolutions and attention have few warps on purpose: they hide it in other ways, and do not count here. Nor do
kernels that reach most of the memory's bandwidth as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.findings import worth
from tb_plugin.findings.check import Check, Evidence, Seen
from tb_plugin.findings.words import counted
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.names import rows_named
from tb_plugin.trace.scope.recorded import DEVICE, OCCUPANCY
from tb_plugin.trace.times.occupancy import occupancy_percent
from tb_plugin.trace.work.kernel_bytes import kernel_bytes
from tb_plugin.trace.work.taxonomy import Category, category_of_kernel

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.findings.facts import Facts

_BOUND_BY_MEMORY: Final = (Category.NORMALISATION, Category.ELEMENTWISE, Category.REDUCTION, Category.INDEXING, Category.FUSED)
_LOW_PERCENT: Final = 25
_FAST: Final = 0.6
"""Of the bandwidth: what good kernels reach."""


def find(facts: Facts) -> Seen | None:
    trace = facts.trace
    work = trace.work
    # With less than one block for each multiprocessor the grid is too small: a finding of its own.
    occupancy_of = occupancy_percent(work)
    low = (occupancy_of < _LOW_PERCENT) & (work.blocks_per_sm >= 1)
    rows = work.row[low].astype(np.int64)
    wanted = (trace.events.kind[rows] == Kind.KERNEL) & rows_named(
        trace, rows, lambda name: category_of_kernel(name) in _BOUND_BY_MEMORY
    )
    wanted &= np.isin(rows, facts.in_window(facts.busiest)) & ~np.isin(rows, _fast(facts))
    rows, occupancy = rows[wanted], occupancy_of[low][wanted] / 100
    time_ns = facts.window_part(facts.union_of(rows))
    if facts.share(time_ns) < worth.ALWAYS_SOME:
        return None
    mean = float(np.average(occupancy, weights=facts.duration(rows)))
    return Seen(
        title="Let more blocks of these kernels fit on a multiprocessor: fewer registers, less shared memory, other block sizes",
        what=f"{counted(len(rows), 'kernel')} that mostly move memory ran for {format_ns(time_ns)} "
        f"({percent(facts.share(time_ns))}) with {percent(mean)} of the warps that a multiprocessor can hold.",
        evidence=[
            Evidence(text="device time of these kernels", value=time_ns, unit="ns"),
            Evidence(text="their mean achieved occupancy, by time", value=mean, unit="share"),
        ],
        rows=rows,
        gain_ns=None,
        gain_how="unknown: what more warps would save depends on what limits the kernel; a kernel profiler tells.",
        confidence="maybe",
    )


def _fast(facts: Facts) -> Int64Array:
    """Kernels that are known to move their bytes about as fast as memory can."""
    moved = kernel_bytes(facts.trace)
    return moved.row[moved.at_bandwidth_ns >= _FAST * facts.duration(moved.row)]


CHECK: Final = Check(
    id="low_occupancy",
    looks_for="memory-bound kernels with low occupancy",
    needs=(DEVICE, OCCUPANCY),
    find=find,
    unless='The kernel reaches the memory\'s bandwidth with the warps that it has ("of bandwidth" in the kernels view).',
    link="https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html",
)
