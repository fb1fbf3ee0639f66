"""What each process group of a job is for: as it was described, or, where it was not, by how it was used, which is marked.

only sends and receives                                                     pipeline
only all-to-all                                                             expert
neighbouring ranks of one host, many collectives a step                     tensor
few a step                                                                  data
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.compute.distinct import distinct
from tb_plugin.job.rows import NAMELESS
from tb_plugin.trace.collectives import kinds
from tb_plugin.trace.collectives.dimensions import NOT_RECORDED, dimension_of

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.job.job import Job

_MANY_A_STEP: Final = 12


@dataclass(frozen=True, kw_only=True)
class Dimensions:
    """`of_group`: a place in `names` for each group; one more, the last, for rows of no group."""

    names: tuple[str, ...]
    inferred: tuple[bool, ...]
    of_group: Int64Array

    def of_rows(self, group: Int64Array) -> Int64Array:
        found: Int64Array = self.of_group[group]
        return found


def dimensions(job: Job) -> Dimensions:
    """In the order of their first group. Nameless groups are told by the kind of each collective: they have no dimension."""
    found = [_dimension(job, place) for place in range(len(job.table.groups))]
    names = list(dict.fromkeys(found))
    none = (NOT_RECORDED, False)
    if none not in names:
        names.append(none)
    return Dimensions(
        names=tuple(name for name, _ in names),
        inferred=tuple(inferred for _, inferred in names),
        of_group=np.array([*(names.index(each) for each in found), names.index(none)], np.int64),
    )


def _dimension(job: Job, place: int) -> tuple[str, bool]:
    group = job.table.groups[place]
    if group == NAMELESS:
        return NOT_RECORDED, False
    said = dimension_of(group, job.of.world_size)
    if said is not None:
        return said, False
    rows = job.rows
    kind = rows.kind[rows.group == place]
    if np.isin(kind, (kinds.SEND, kinds.RECV)).all():
        return "pipeline", True
    if (kind == kinds.ALL_TO_ALL).all():
        return "expert", True
    members = group.ranks
    if members is None:
        return NOT_RECORDED, False
    n_ranks = len(distinct(rows.rank[rows.group == place]))
    n_steps = max(len(distinct(rows.step[rows.group == place])), 1)
    hosts = {rank.host for rank in job.of.ranks if rank.number in members}
    is_near = np.all(np.diff(members) == 1) and len(hosts) == 1
    return ("tensor" if is_near and len(kind) / n_ranks / n_steps >= _MANY_A_STEP else "data"), True
