"""How much of a window devices spend on each category of work: the parts add up to the time in which they are busy.

kernels   |--A--|              an instant of n kernels counts 1/n for each
             |----B----|
copies   |---------------C---------------|       copies and sets count where no kernel runs
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.intervals import EMPTY, intersect, join, length, subtract, union
from tb_plugin.compute.wall_share import wall_shares
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.work.taxonomy import CATEGORIES, category_by_row

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tb_plugin.base.units import Float64Array, Int64Array
    from tb_plugin.compute.intervals import Merged
    from tb_plugin.trace.model import Trace


def category_times(trace: Trace, devices: Iterable[Int64Array], window: Merged) -> Float64Array:
    """Time of each of CATEGORIES in the window, ns, summed over devices; of each device the rows of its work."""
    category, time_ns = category_by_row(trace), np.zeros(len(CATEGORIES))
    for work in devices:
        kernels, ns = kernel_times(trace, work, window)
        time_ns += np.bincount(category[kernels], weights=ns, minlength=len(CATEGORIES))
        is_kernel = trace.events.kind[work] == Kind.KERNEL
        taken, others = _union_of(trace, work[is_kernel]), work[~is_kernel]
        # Of two at once that are no kernels the first category.
        for each in distinct(category[others]).tolist():
            mine = _union_of(trace, others[category[others] == each])
            time_ns[each] += length(intersect(subtract(mine, taken), window))
            taken = join(taken, mine)
    return time_ns


def kernel_times(trace: Trace, work: Int64Array, window: Merged) -> tuple[Int64Array, Float64Array]:
    """(kernels of one device with time in the window, the time of the window that is each one's, ns)."""
    rows = work[trace.events.kind[work] == Kind.KERNEL]
    ns = wall_shares(trace.events.start_ns[rows], trace.events.end_ns[rows], window)
    return rows[ns > 0], ns[ns > 0]


def _union_of(trace: Trace, rows: Int64Array) -> Merged:
    return union(trace.events.start_ns[rows], trace.events.end_ns[rows]) if len(rows) else EMPTY
