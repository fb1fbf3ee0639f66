"""The same collective on several ranks.

    key of a collective        (group, torch's sequence number), where all rows of the group have one
    else                       (group, place in the order in which the rank issued them): positions.py
    of a send or receive       (sender, receiver, place in that direction)
    of a nameless group        (kind, stream by first use, and on the host the size, place in that order)

Sizes are never part of the key of a named group: all-to-all-v and uneven shards differ by rank. Issued collectives whose record
was lost hold their place, so that one lost kernel makes one instance incomplete and shifts none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.grouping import Groups, group_by
from tb_plugin.job.matching.positions import NOWHERE, lanes_and_pairs, positions, run_starts
from tb_plugin.job.ranks.rows import NAMELESS
from tb_plugin.trace.collectives import kinds

if TYPE_CHECKING:
    from tb_plugin.job.ranks.ranks import Ranks
    from tb_plugin.job.ranks.rows import CollectiveRows, JobRows
    from tb_plugin.trace.collectives.groups import ProcessGroup


@dataclass(frozen=True, kw_only=True)
class Matched:
    """`of`: the instance of each row, NONE for rows that cannot be matched. The rest is one value an instance."""

    of: Int64Array
    group: Int64Array
    kind: Int64Array  # of its first row
    n_there: Int64Array  # members with times
    n_members: Int64Array  # of its group, whether their files are here or not
    is_mismatch: BoolArray  # members disagree on kind, type or, of an all-reduce, size: a bug in the job

    def __len__(self) -> int:
        return len(self.group)

    @property
    def is_matched(self) -> BoolArray:
        found: BoolArray = self.n_there >= 2
        return found

    @property
    def is_complete(self) -> BoolArray:
        """Every member of the group is here with it: the one definition of a group that is whole, instance by instance.

        Only then is the last that came known, and with it the transfer.
        """
        found: BoolArray = self.n_there >= self.n_members
        return found

    def without(self, is_out: BoolArray, is_there: BoolArray) -> Matched:
        """As if these rows were not there where their collectives have others. Both of each row."""
        n = len(self)
        has_others = np.append(np.bincount(self.of[(self.of != NONE) & ~is_out], minlength=n) > 0, np.False_)[self.of]
        gone = is_out & has_others
        n_gone = np.bincount(self.of[gone & is_there], minlength=n)
        return replace(self, of=np.where(gone, NONE, self.of), n_there=self.n_there - n_gone)


def matched(job: JobRows, of: Ranks) -> Matched:
    """All rows whose group is known."""
    rows = job.rows
    own = np.array(of.numbers, np.int64)[rows.rank]
    is_pair, lane = rows.is_between_two, lanes_and_pairs(job, of)
    can = (rows.group != NONE) & ~(is_pair & (rows.peer == NONE)) & ~((own == rows.peer) & is_pair)
    position = positions(rows, of, lane)
    named = _has_sequence(rows, is_pair, len(job.groups))[rows.group] & ~is_pair
    place = np.where(named, rows.sequence, position)
    can &= place != NOWHERE
    # A pair is one lane whatever the name of the group that each side gives it: two sides, one message.
    group = np.where(is_pair, -2, rows.group)
    part = _part(rows.rank, group, lane, place)
    usable = np.flatnonzero(can)
    keys = group_by(group[usable], lane[usable], place[usable], part[usable])
    instance = np.full(len(rows), NONE, np.int64)
    instance[usable] = keys.of
    first = usable[keys.first]
    n_there = np.bincount(keys.of[rows.is_there[usable]], minlength=len(keys)).astype(np.int64)
    return Matched(
        of=instance,
        group=rows.group[first],
        kind=rows.kind[first],
        n_there=n_there,
        n_members=_members(job, of, rows.group[first], is_pair[first]),
        is_mismatch=_mismatches(rows, usable, keys),
    )


def _has_sequence(rows: CollectiveRows, is_pair: BoolArray, n_groups: int) -> BoolArray:
    """Of each group: do all of its rows but sends and receives have torch's number?"""
    lacking = rows.group[(rows.sequence == NONE) & ~is_pair]
    has: BoolArray = np.bincount(lacking[lacking != NONE], minlength=n_groups + 1) == 0
    has[-1] = False  # of no group
    return has


def _part(*columns: Int64Array) -> Int64Array:
    """0, 1 ... for rows with equal columns: a call that runs as several kernels."""
    order = np.lexsort(columns[::-1])
    part = np.empty(len(order), np.int64)
    part[order] = np.arange(len(order)) - run_starts(*(column[order] for column in columns))
    return part


def _members(job: JobRows, of: Ranks, group: Int64Array, is_pair: BoolArray) -> Int64Array:
    """How many ranks belong to each instance: as the group says, else all of the world or those that are here."""
    counts = [_size(job, of, place, one) for place, one in enumerate(job.groups)]
    return np.where(is_pair, 2, np.array([*counts, 0], np.int64)[group])


def _size(job: JobRows, of: Ranks, place: int, group: ProcessGroup) -> int:
    """Of a group whose members are not known: as many as are said, and at least those that are here."""
    if group.ranks is not None:
        return len(group.ranks)
    said = (of.world_size or 0) if group == NAMELESS else group.size
    return max(said, len(distinct(job.rows.rank[job.rows.group == place])))


def _mismatches(rows: CollectiveRows, usable: Int64Array, keys: Groups) -> BoolArray:
    kind = np.where(np.isin(rows.kind, (kinds.SEND, kinds.RECV)), kinds.SEND, rows.kind)[usable]
    dtype, size = rows.dtype[usable], np.where(rows.kind == kinds.ALL_REDUCE, rows.size, NONE)[usable]
    found = np.zeros(len(keys), np.bool_)
    for column, unknown in ((kind, kinds.OTHER), (dtype, NONE), (size, NONE)):
        known = column != unknown
        low = np.full(len(keys), np.iinfo(np.int64).max)
        high = np.full(len(keys), np.iinfo(np.int64).min)
        np.minimum.at(low, keys.of[known], column[known])
        np.maximum.at(high, keys.of[known], column[known])
        found |= (low < high) & (high != np.iinfo(np.int64).min)
    return found
