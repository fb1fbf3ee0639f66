"""InstanceRows: matched collectives one by one, and the longest of some."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.strides import in_strides
from tb_plugin.base.units import NONE
from tb_plugin.compute.distinct import distinct
from tb_plugin.views.ranks.basis.instance_row import InstanceRow
from tb_plugin.views.ranks.basis.last_ranks import last_ranks
from tb_plugin.views.ranks.basis.on_job import window
from tb_plugin.views.ranks.basis.sorts import sort_name, sorts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.base.units import Float64Array, Int64Array
    from tb_plugin.views.ranks.basis.analysed import Analysed

_FEW: Final = 16  # ranks named of one: what fits side by side
MOST_LAST: Final = 64  # named of those who came last together


def lasted(of: Analysed) -> Int64Array:
    """[instance], from its first arrival to its last end; meaningful where it is known."""
    return of.job.instances.last_end - of.job.instances.first_arrival


def longest_of(
    of: Analysed, group: Int64Array, took: Int64Array | Float64Array, also: Sequence[int] = ()
) -> dict[int, InstanceRow]:
    """Of each group the instance that took longest, the first of equals. `group`, `took`: of each instance; NONE is in none.

    `also`: places of ranks that are named of each, the event of one of which is its.
    """
    known = np.flatnonzero(of.job.instances.is_known & (group != NONE))
    ordered = known[np.lexsort((-took[known], group[known]))]
    groups, first = np.unique(group[ordered], return_index=True)
    return dict(zip(groups.tolist(), instance_rows(of, ordered[first], also), strict=True))


def instance_rows(of: Analysed, use: Int64Array, also: Sequence[int] = ()) -> list[InstanceRow]:
    """Of these instances, which are known."""
    job, found, sorts = of.job, of.job.instances, sorts_of(of)
    dimension = of.dimensions.of_rows(job.matched.group)
    zero = found.first_arrival[found.is_known].min(initial=np.iinfo(np.int64).max)
    members = np.flatnonzero(np.isin(job.matched.of, use) & job.rows.is_there)
    members = members[np.argsort(job.matched.of[members], kind="stable")]  # those of one lie together
    begins, ends = (np.searchsorted(job.matched.of[members], use, side) for side in ("left", "right"))
    by_wait = members[np.lexsort((-job.waits.wait[members], ~np.isin(job.rows.rank[members], also), job.matched.of[members]))]
    took, rows = lasted(of), []
    for at, begin, end, came_last in zip(use.tolist(), begins.tolist(), ends.tolist(), last_ranks(job, use), strict=True):
        last, transfer = int(found.last[at]), float(found.transfer[at])
        every = members[begin:end]
        some = every[:_FEW]
        group, sequence = int(job.matched.group[at]), int(job.rows.sequence[every].max())
        shown = int(by_wait[begin])
        named = [shown, *(() if last == NONE else (last,)), *some.tolist()]
        step = next((number for number in job.rows.step[named].tolist() if number != NONE), NONE)
        places = sorted({*also, *job.rows.rank[named].tolist()})
        begun, _ = window([of.stretches[place] for place in places], None if step == NONE else step)
        rows.append(
            InstanceRow(
                at_ns=int(found.last_arrival[at]) - int(zero),
                step=None if step == NONE else step,
                dimension=of.dimensions.names[int(dimension[at])],
                kind=sort_name(int(sorts.kind[at])),
                group=(job.table.groups[group].name or None) if group != NONE else None,
                sequence=None if sequence == NONE else sequence,
                members=in_strides([job.of.numbers[place] for place in distinct(job.rows.rank[every]).tolist()]),
                n_ranks=int(job.matched.n_members[at]),
                bytes=int(sorts.size[at]) if sorts.size[at] > 0 else None,
                wait_ns=int(found.last_arrival[at] - found.first_arrival[at]),
                transfer_ns=round(transfer) if np.isfinite(transfer) else None,
                last_ranks=sorted(job.of.numbers[place] for place in came_last)[:MOST_LAST],
                n_last=len(came_last),
                worker=job.of.ranks[int(job.rows.rank[shown])].of.worker,
                row=int(job.rows.row[shown]),
                ranks=[job.of.numbers[place] for place in places],
                begin_ns=int(found.first_arrival[at]) - begun,
                lasts_ns=int(took[at]),
            )
        )
    return rows
