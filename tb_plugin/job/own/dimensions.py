"""What each process group of a job is for: as it was described, or, where it was not, by how it was used, which is marked.

what one rank's collectives tell (trace/collectives/dimensions.py)           pipeline, expert, world
all-gathers, reduce-scatters and all-reduces that kernels hide               data
neighbouring ranks of one host, many collectives a step                     tensor
few a step                                                                  data
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.intervals import Merged, length_within
from tb_plugin.job.ranks.rows import NAMELESS, shift_of
from tb_plugin.trace.collectives import kinds
from tb_plugin.trace.collectives.dimensions import NOT_RECORDED, dimension_told

if TYPE_CHECKING:
    from tb_plugin.base.units import Int64Array
    from tb_plugin.job.job import Job
    from tb_plugin.trace.collectives.groups import ProcessGroup

_MANY_A_STEP: Final = 12
_SENT_AHEAD: Final = (kinds.ALL_GATHER, kinds.REDUCE_SCATTER, kinds.ALL_REDUCE)
_PARTLY_HIDDEN: Final = 0.25
"""Of tensor groups, sequence-parallel ones too, the next kernel waits: nothing hides them."""


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
    by_group = np.argsort(job.rows.group, kind="stable")
    cuts = np.searchsorted(job.rows.group[by_group], np.arange(len(job.table.groups) + 1))
    host_of = {rank.number: rank.host for rank in job.of.ranks}
    found = [
        _dimension(job, group, by_group[first:after], host_of)
        for group, first, after in zip(job.table.groups, cuts[:-1], cuts[1:], strict=True)
    ]
    names = list(dict.fromkeys(found))
    none = (NOT_RECORDED, False)
    if none not in names:
        names.append(none)
    return Dimensions(
        names=tuple(name for name, _ in names),
        inferred=tuple(inferred for _, inferred in names),
        of_group=np.array([*(names.index(each) for each in found), names.index(none)], np.int64),
    )


def _dimension(job: Job, group: ProcessGroup, mine: Int64Array, host_of: dict[int, int]) -> tuple[str, bool]:
    """`mine`: its rows; `host_of`: by the number of a rank."""
    if group == NAMELESS:
        return NOT_RECORDED, False
    rows = job.rows
    kind = rows.kind[mine]
    told = dimension_told(group, kind, job.of.world_size)
    if told is not None:
        return told
    members = group.ranks
    if members is None:
        return NOT_RECORDED, False
    if np.isin(kind, _SENT_AHEAD).all() and _hidden(job, mine) >= _PARTLY_HIDDEN:
        return "data", True
    n_ranks = len(distinct(rows.rank[mine]))
    n_steps = max(len(distinct(rows.step[mine])), 1)
    hosts = {host_of[number] for number in members if number in host_of}
    is_near = np.all(np.diff(members) == 1) and len(hosts) == 1
    return ("tensor" if is_near and len(kind) / n_ranks / n_steps >= _MANY_A_STEP else "data"), True


def _hidden(job: Job, rows: Int64Array) -> float:
    """In the median of these rows, which share of a collective runs while a kernel computes: FSDP's are sent ahead, and so
    are gradients that replicas of it sum up.
    """
    share = []
    for rank in distinct(job.rows.rank[rows]).tolist():
        mine = rows[(job.rows.rank[rows] == rank) & job.rows.is_there[rows]]
        start, end = job.rows.start[mine], job.rows.end[mine]
        computing = job.of.ranks[rank].computing
        shift = shift_of(job.of.ranks[rank], job.table.base_ns)
        busy = Merged(computing["start"] + shift, computing["end"] + shift)
        share.append(length_within(busy, start, end) / np.maximum(end - start, 1))
    return float(np.median(np.concatenate(share)))
