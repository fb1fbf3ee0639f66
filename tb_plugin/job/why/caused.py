"""What who comes last makes the others wait: of each rank and step, over the collectives in which it came last.

    others        |        |      |
    this rank                         |     at least from the last but one on, at most from the median of the others on

Two collectives that wait for it at once wait for one lateness: time counts once. Where several came last together it is of each
of them at most, of none at least. Sends and receives are left out: a receive is posted early by design, and what it waits for
its sender is nobody's fault.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.compute.intervals import union

if TYPE_CHECKING:
    from tb_plugin.base.units import Float64Array, Int64Array
    from tb_plugin.job.job import Job
    from tb_plugin.job.own.own_time import OwnTime


@dataclass(frozen=True, kw_only=True)
class Caused:
    """`least_ns`, `most_ns`: [rank, step]. `n_last`: [rank], collectives, sends and receives too, to which it came last,
    alone.
    """

    n_last: Int64Array
    least_ns: Float64Array
    most_ns: Float64Array


def caused(job: Job, own: OwnTime) -> Caused:
    found, rows, n = job.instances, job.rows, len(job.of.ranks)
    last = np.flatnonzero(job.waits.is_last)
    last = last[found.n_members[job.matched.of[last]] > 1]
    n_last = np.bincount(rows.rank[last[found.has_last[job.matched.of[last]]]], minlength=n)
    last = last[~rows.is_between_two[last] & np.isin(rows.step[last], own.number)]
    use, rank, step = job.matched.of[last], rows.rank[last], np.searchsorted(own.number, rows.step[last])
    alone = found.has_last[use]
    came, second = found.last_arrival[use], found.second_arrival[use]
    median = np.rint(found.others_arrival[use]).astype(np.int64)
    shape = (n, len(own.number))
    return Caused(
        n_last=n_last.astype(np.int64),
        least_ns=_once(second[alone], came[alone], rank[alone], step[alone], shape),
        most_ns=_once(median, came, rank, step, shape),
    )


def _once(t0: Int64Array, t1: Int64Array, rank: Int64Array, step: Int64Array, shape: tuple[int, int]) -> Float64Array:
    """[rank, step]: the time that [t0, t1) of each cover; ranks one after the other on one axis."""
    result = np.zeros(shape)
    if len(t0) == 0:
        return result
    low = int(t0.min())
    at = rank * (int(t1.max()) - low + 2) - low
    merged = union(t0 + at, t1 + at)
    order = np.argsort(t0 + at, kind="stable")
    first = order[np.searchsorted((t0 + at)[order], merged.start)]
    np.add.at(result, (rank[first], step[first]), merged.end - merged.start)
    return result
