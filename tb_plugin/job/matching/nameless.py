"""Process groups of what names none (before 2024, replayed graphs): told by which ranks' collectives end together, or not told.

    rank 0   stream 20    ends  1.0  2.0  3.1      stream 24    ends 5.0      a rank has a stream for each of its groups
    rank 1                      1.0  2.0  3.1                        5.1      stream 20: 0+1 | 2+3, told apart
    rank 2                      1.4  2.3  3.7                        5.0      stream 24: 0+2 | 1+3
    rank 3                      1.4  2.3  3.7                        5.1

Streams of a rank are numbered by their first use in the first step that all have: the same number is the same purpose. On each
number, collectives of one kind are matched by their place, and two ranks

    end together    by the rule of `ends.py`, of ranks of one host without an offset unless their steps are off by it as well
    end apart       where in half of them the ends lie 60 us apart, or more, and a quarter of the time, or ten times as far as
                    those that end together on hosts no closer
    or neither

All together are one group, as most jobs have. Sets of equal size, in which all end together and apart from all others, are the
groups. Else, or where streams do not agree on what two clocks differ by, nothing is known of a stream: its rows are of no group.
In groups so found a collective that does not end together is of none, nor one that ends together in all of them: it may be one
of all. So a wait is off by no more than ends that are together may lie apart. Where files list one group no proof is
needed, nor in a job of two; of gloo nothing can be told: its members end 10 ms apart, and are held to be of one group.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.compute.distinct import distinct
from tb_plugin.compute.grouping import group_by
from tb_plugin.job.matching.ends import ENOUGH
from tb_plugin.job.matching.nameless_sets import UNEVEN, Stream, of_none, sets_of
from tb_plugin.job.matching.own_clocks import TELLING
from tb_plugin.job.matching.positions import NOWHERE, first_common_step, lanes, positions
from tb_plugin.job.ranks.no_device import is_not_whole
from tb_plugin.job.ranks.rows import NAMELESS
from tb_plugin.trace.collectives.groups import ProcessGroup

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tb_plugin.job.ranks.ranks import Rank, Ranks
    from tb_plugin.job.ranks.rows import CollectiveRows, JobRows


def told_apart(job: JobRows, of: Ranks) -> JobRows:
    """With the groups of rows that name none, where there may be several."""
    place = next((place for place, group in enumerate(job.groups) if group == NAMELESS), NONE)
    is_host = job.rows.is_there & (job.rows.stream == NONE)
    mine = np.flatnonzero((job.rows.group == place) & ~job.rows.is_between_two & ~is_host)
    if place == NONE or not _may_be_several(of, distinct(job.rows.rank[mine]).tolist()):
        return job
    channel = np.full(len(job.rows), NONE, np.int64)
    channel[mine] = _channels(job.rows.take(mine), of)
    job = replace(job, rows=replace(job.rows, channel=channel))
    streams = list(_streams(job, of, mine))
    here = _here(streams, of)
    found, clocks = sets_of(streams, of, len(here))
    groups, group = list(job.groups), job.rows.group.copy()
    for stream, sets in zip(streams, found, strict=True):
        group[stream.rows] = NONE
        # Whose files end before they have enough on this stream are of one of its groups, and where there is one of that.
        short = [rank for rank in here if rank not in stream.ranks and _may_lack(of.ranks[rank])]
        for one in sets:
            ranks = [stream.ranks[each] for each in one.places]
            is_all = len(ranks) == len(here) - len(short)
            if not is_all:
                groups.append(_group(of, ranks, len(sets), len(here) - len(short)))
            its = stream.rows[np.isin(job.rows.rank[stream.rows], [*ranks, *short] if is_all else ranks)]
            group[its] = place if is_all else len(groups) - 1
        group[of_none(stream, sets, of, clocks)] = NONE
    ungrouped = mine[group[mine] == NONE]
    return replace(job, rows=replace(job.rows, group=group), groups=tuple(groups), ungrouped=ungrouped)


def _may_be_several(of: Ranks, ranks: list[int]) -> bool:
    """Not where the files list one, nor of two ranks."""
    return len(ranks) > 1 and of.world_size != 2 and any(of.ranks[rank].summary.n_groups_of_rank != 1 for rank in ranks)


def _here(streams: list[Stream], of: Ranks) -> list[int]:
    """Places of the ranks of which it is known with whom their collectives end: not of those whose files end before."""
    told = {rank for stream in streams for rank in stream.ranks}
    return [place for place, rank in enumerate(of.ranks) if place in told or not _may_lack(rank)]


def _may_lack(rank: Rank) -> bool:
    """Collectives that it took part in may be missing in its file."""
    return rank.lacks_device or is_not_whole(rank.summary)


def _group(of: Ranks, ranks: list[int], n_groups: int, n_here: int) -> ProcessGroup:
    """Its members are known where the file of every rank is here; else no more of them than the world has for each group."""
    world = max(of.world_size or 0, len(of.ranks))
    if world == n_here:
        return ProcessGroup("", "", len(ranks), tuple(of.numbers[rank] for rank in ranks))
    return ProcessGroup("", "", world // n_groups, None)


def _channels(rows: CollectiveRows, of: Ranks) -> Int64Array:
    """Of each row the number of its stream. One whose kernel is lost is of the stream of the one of its kind before it."""
    channel = np.zeros(len(rows), np.int64)
    common = first_common_step(of)
    for rank in distinct(rows.rank).tolist():
        mine = np.flatnonzero(rows.rank == rank)
        stream = _with_lost(rows.stream[mine], rows.kind[mine], rows.is_there[mine])
        is_later = np.zeros(len(mine), np.int64) if common is None else (rows.step[mine] < common).astype(np.int64)
        order = np.argsort(is_later, kind="stable")
        _, first, number = np.unique(stream[order], return_index=True, return_inverse=True)
        channel[mine[order]] = np.argsort(np.argsort(first))[number.reshape(-1)]
    return channel


def _with_lost(stream: Int64Array, kind: Int64Array, is_there: BoolArray) -> Int64Array:
    found: Int64Array = stream.copy()
    for one in distinct(kind[~is_there]).tolist():
        its = np.flatnonzero(kind == one)
        last = np.maximum.accumulate(np.where(is_there[its], np.arange(len(its)), NONE))
        if is_there[its].any():
            found[its] = stream[its][np.where(last == NONE, int(np.argmax(is_there[its])), last)]
    return found


def _streams(job: JobRows, of: Ranks, mine: Int64Array) -> Iterator[Stream]:
    rows, lane = job.rows, lanes(job)
    position = positions(rows, of, lane)
    for number in distinct(rows.channel[mine]).tolist():
        its = mine[rows.channel[mine] == number]
        tells = np.isin(rows.kind[its], TELLING)
        met = group_by(lane[its[tells]], position[its[tells]]) if tells.any() else ()
        if len(met) < ENOUGH:
            tells |= np.isin(rows.kind[its], UNEVEN)
        use = its[tells & (position[its] != NOWHERE) & rows.is_there[its]]
        ranks = _that_tell(of, distinct(rows.rank[its]), rows.rank[use])
        use = use[np.isin(rows.rank[use], ranks)]
        yield _stream(rows, its, use, ranks, lane[use], position[use])


def _that_tell(of: Ranks, ranks: Int64Array, of_row: Int64Array) -> Int64Array:
    """Not who has too few to tell, where others have enough and its file lacks some: the others are told without it."""
    n = np.bincount(of_row, minlength=len(of.ranks))[ranks]
    is_out = np.array([_may_lack(of.ranks[rank]) for rank in ranks.tolist()], np.bool_) & (n < ENOUGH)
    return ranks if (n[~is_out] < ENOUGH).any() else ranks[~is_out]


def _stream(
    rows: CollectiveRows, its: Int64Array, use: Int64Array, ranks: Int64Array, lane: Int64Array, position: Int64Array
) -> Stream:
    """`use`: rows that tell, and of them the lane and place."""
    if len(use) == 0:
        none = np.zeros((len(ranks), 0), np.int64)
        return Stream(its, ranks.tolist(), none, none, none.astype(np.bool_), none[0], none[0].astype(np.bool_))
    met = group_by(lane, position)
    place = np.searchsorted(ranks, rows.rank[use])
    row = np.full((len(ranks), len(met)), NONE, np.int64)
    row[place, met.of] = use
    is_there = row != NONE
    shortest = np.full(len(met), np.iinfo(np.int64).max)
    np.minimum.at(shortest, met.of, rows.duration[use])
    longest = int(np.argmax(is_there.sum(axis=1)))  # of one rank the order is that of time
    at = np.where(is_there[longest], rows.end[row[longest]], np.iinfo(np.int64).max)
    order = np.argsort(at, kind="stable")
    row, is_there = row[:, order], is_there[:, order]
    even = ~np.isin(rows.kind[use[met.first]], UNEVEN)
    return Stream(its, ranks.tolist(), row, np.where(is_there, rows.end[row], 0), is_there, shortest[order], even[order])
