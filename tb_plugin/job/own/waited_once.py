"""How long a rank waits in some of its collectives, each instant once.

    tensor  |== waits ==|-- moves data --|
    data        |==== waits ====|--|
    once    |====================|

Who waits in two streams for the same late rank loses no more than who waits in one: times of collectives that are open at once do
not add up. Not what computing hides of it: `exposed.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.compute.intervals import union_length_by

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.job.job import Job


def waited_once(job: Job, rows: Int64Array) -> Int64Array:
    """[rank], ns: the union of [start, start + wait) of these rows, which are known, on the job's clock."""
    start = job.waits.start[rows]
    return union_length_by(start, start + job.waits.wait[rows], job.rows.rank[rows], len(job.of.ranks))
