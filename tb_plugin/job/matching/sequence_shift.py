"""Ranks whose files count the collectives of a group from another number than those of others do: torch's Seq, off by a constant.

    step        10        11        12
    rank 0      4 5 6     7 8 9     10 11 12
    rank 1      44 45 46  47 48 49  50 51 52     by Seq it has none of theirs, by what is 40 less all end together

The number in the first step that all have tells how far off it is, and ends whether it is: what was done together ends together
(`ends.py`), in more of what is then matched, or as often, on one clock, and at the same time. Else the numbers stand.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.grouping import group_by, min_by
from tb_plugin.job.matching.ends import ENOUGH, JITTER_NS, MOST, apart
from tb_plugin.job.matching.positions import first_common_step

if TYPE_CHECKING:
    from tb_plugin.job.ranks.ranks import Ranks
    from tb_plugin.job.ranks.rows import CollectiveRows, JobRows


class SequenceShift(NamedTuple):
    """`more`: by which the numbers of a rank, by its place, are more than those of others of its group, a place too."""

    rank: int
    group: int
    more: int


class _Fit(NamedTuple):
    """Of two ranks: how many of what both have end together, and how far their clocks are then apart, ns."""

    share: float
    offset: int


def numbered_as_others(job: JobRows, of: Ranks) -> tuple[JobRows, list[SequenceShift]]:
    """With the numbers of most; and whose were others."""
    found = list[SequenceShift]()
    rows, common = job.rows, first_common_step(of)
    is_numbered = (rows.sequence != NONE) & (rows.group != NONE) & ~rows.is_between_two
    first = np.flatnonzero(is_numbered & (rows.step == common)) if common is not None else np.zeros(0, np.int64)
    its = group_by(rows.group[first], rows.rank[first])
    group, rank, least = rows.group[first][its.first], rows.rank[first][its.first], min_by(its, rows.sequence[first])
    low, high = np.full(len(job.groups), np.iinfo(np.int64).max), np.full(len(job.groups), NONE)
    np.minimum.at(low, group, least)
    np.maximum.at(high, group, least)
    differ = [np.flatnonzero(group == place) for place in np.flatnonzero(low < high).tolist()]
    for its_ranks in sorted(differ, key=len, reverse=True):  # of a pair nobody knows whose are off, but by larger groups
        found += _of_group(
            rows, of, is_numbered, int(group[its_ranks[0]]), rank[its_ranks], least[its_ranks], {one.rank for one in found}
        )
    if not found:
        return job, found
    sequence = rows.sequence.copy()
    for one in found:
        sequence[is_numbered & (rows.rank == one.rank) & (rows.group == one.group)] -= one.more
    return replace(job, rows=replace(rows, sequence=sequence)), found


def _of_group(
    rows: CollectiveRows,
    of: Ranks,
    is_numbered: BoolArray,
    group: int,
    ranks: Int64Array,
    least: Int64Array,
    known: set[int],
) -> list[SequenceShift]:
    """`ranks`: its members that are here, each with its least number in the first common step. `known`: who is off elsewhere."""
    numbers, n_ranks = np.unique(least, return_counts=True)
    is_known = np.isin(ranks, list(known))
    most = int(max(numbers[n_ranks == n_ranks.max()], key=lambda number: np.count_nonzero(~is_known[least == number])))
    as_most = ranks[least == most].tolist()
    use = np.flatnonzero(is_numbered & (rows.group == group) & rows.is_there)
    found = []
    for rank, more in zip(ranks.tolist(), (least - most).tolist(), strict=True):
        if more == 0:
            continue
        beside = [other for other in as_most if of.ranks[other].host == of.ranks[rank].host]
        other = (beside or as_most)[0]
        mine, its = (use[rows.rank[use] == each] for each in (rank, other))
        as_is, shifted = _fit(rows, its, mine, 0), _fit(rows, its, mine, more)
        is_better = shifted.share > as_is.share
        if bool(beside) and shifted.share == as_is.share:
            is_better = abs(shifted.offset) <= JITTER_NS < abs(as_is.offset)
        if shifted.share >= MOST and is_better:
            found.append(SequenceShift(rank, group, more))
    return found


def _fit(rows: CollectiveRows, its: Int64Array, mine: Int64Array, more: int) -> _Fit:
    _, at, of_mine = np.intersect1d(rows.sequence[its], rows.sequence[mine] - more, return_indices=True)
    if len(at) < ENOUGH:
        return _Fit(0.0, 0)
    found = apart(rows.end[its[at]], rows.end[mine[of_mine]][None], np.ones((1, len(at)), np.bool_))
    return _Fit(float((np.abs(found.rest[0]) <= JITTER_NS).mean()), int(found.offset[0]))
