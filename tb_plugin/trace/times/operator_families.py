"""Host work by what it computes: the part `other_host` of the breakdown, split by the categories of operators.

Where no device works this is what a step is made of. An instant belongs to the innermost operator open on its thread whose name
tells what it does, as a kernel without a telling name does (`work/taxonomy.py`); of several threads to the first category.

    aten::linear 0-10 | aten::addmm 2-8 | aten::empty 3-4      matmul 0-10: both tell the same, aten::empty tells nothing
    Optimizer.step#SGD.step 10-20 | aten::add_ 12-18           other 10-12, elementwise 12-18, other 18-20
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE, Int64Array
from tb_plugin.compute.coverage import Pieces, by_priority, within
from tb_plugin.compute.intervals import EMPTY, Merged, intersect, length_within, union
from tb_plugin.compute.nesting import depths, marked_around
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.times.breakdown import CATEGORIES as PARTS
from tb_plugin.trace.work.taxonomy import CATEGORIES, Category, category_by_row

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace


def operator_families(trace: Trace, pieces: Pieces, t0_ns: Int64Array, t1_ns: Int64Array) -> Int64Array:
    """One row per window [t0_ns, t1_ns), one column per category, ns: a row sums to the window's `other_host`.

    `pieces`: `breakdown.activity`.
    """
    host = _host_work(pieces)
    sets = [intersect(one, host) for one in _unions(trace)]
    times = within(by_priority(sets), t0_ns, t1_ns)
    times[:, Category.OTHER] += length_within(host, t0_ns, t1_ns) - times.sum(axis=1)
    return times


def _host_work(pieces: Pieces) -> Merged:
    is_host = pieces.category[:-1] == PARTS.index("other_host")
    return union(pieces.left[:-1][is_host], pieces.left[1:][is_host])


def _unions(trace: Trace) -> list[Merged]:
    """When an operator of each category is the innermost that tells, on any thread; in the order of CATEGORIES."""
    events = trace.events
    category = category_by_row(trace)
    tells = (events.kind == Kind.OPERATOR) & (category != Category.OTHER)
    rows = np.flatnonzero(tells)
    if not len(rows):
        return [EMPTY for _ in CATEGORIES]
    around = marked_around(events.nest_parent, tells, events.nest_parent[rows])
    depth = depths(events.nest_parent)[rows]
    # Where an event begins it is the innermost, where it ends what is around it. At one time: ends first, from the inside out.
    time = np.concatenate((events.end_ns[rows], events.start_ns[rows]))
    begins = np.repeat([0, 1], len(rows))
    order = np.lexsort((np.concatenate((-depth, depth)), begins, time, np.tile(events.track[rows], 2)))
    innermost = np.concatenate((around, rows))[order][:-1]
    left, right = time[order][:-1], time[order][1:]
    track = np.tile(events.track[rows], 2)[order]
    is_open = (innermost != NONE) & (track[:-1] == track[1:]) & (right > left)
    of = category[innermost]
    return [union(left[which], right[which]) for c in range(len(CATEGORIES)) for which in [is_open & (of == c)]]
