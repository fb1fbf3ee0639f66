"""All collectives of a job in one table, and its process groups.

    rank  start  end  kind  group  sequence  size  peer  step     times: ns since the job's first event, each on its rank's own
clock

A group is known by its name and members, since older torch gives all rows of a mesh one name. Where no group was recorded (2023,
gloo) and the rank is in one group at most, all collectives are of one nameless group, unless `nameless.py` tells several apart;
a rank in several then tells nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Int64Array
from tb_plugin.trace.collectives import kinds
from tb_plugin.trace.collectives.groups import ProcessGroup

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tb_plugin.job.ranks.ranks import Rank, Ranks
    from tb_plugin.trace.rank.summary import RankSummary

_DAY_NS: Final = 86_400 * 10**9
NAMELESS: Final = ProcessGroup("", "", NONE, None)


@dataclass(frozen=True, kw_only=True)
class CollectiveRows:
    """One row per collective of a rank; in the order of ranks, and in each as they were issued."""

    rank: Int64Array  # a place in the job's ranks, not a number
    start: Int64Array
    end: Int64Array
    issued: Int64Array
    is_there: BoolArray  # with times; else it was issued and its record is not in the file
    group: Int64Array  # a place in `groups`; NONE: cannot be told
    kind: Int64Array
    sequence: Int64Array
    size: Int64Array  # of the message, bytes
    dtype: Int64Array  # numbers that are equal for equal types
    peer: Int64Array  # number of the rank on the other side
    stream: Int64Array  # of its rank's device; NONE of gloo, and of what is not in the file
    channel: Int64Array  # of a row that names no group: which of its rank's streams (`nameless.py`); NONE: one is all there is
    step: Int64Array  # its number
    row: Int64Array  # in the rank's trace
    dispatched: Int64Array  # what an all-to-all brought here; NONE: it brought back, or did not say

    def __len__(self) -> int:
        return len(self.rank)

    @property
    def duration(self) -> Int64Array:
        return self.end - self.start

    @cached_property
    def is_between_two(self) -> BoolArray:
        """A send or a receive."""
        found: BoolArray = (self.kind == kinds.SEND) | (self.kind == kinds.RECV)
        return found

    def take(self, places: Int64Array) -> CollectiveRows:
        """These rows."""
        return CollectiveRows(**{each.name: getattr(self, each.name)[places] for each in fields(self)})


@dataclass(frozen=True, kw_only=True)
class JobRows:
    """`base_ns`: Unix time of time 0."""

    rows: CollectiveRows
    groups: tuple[ProcessGroup, ...]
    base_ns: int
    unnamed_ranks: tuple[int, ...]  # places of ranks that are in several groups and do not say which one a collective is of
    ungrouped: Int64Array  # places of rows that name no group, and by their ends may be of several


def job_rows(of: Ranks) -> JobRows:
    base = _base(of)
    groups: dict[ProcessGroup, int] = {}
    dtypes: dict[str, int] = {}
    parts = [_rows(place, rank, base, groups, dtypes) for place, rank in enumerate(of.ranks)]
    names = [each.name for each in fields(CollectiveRows)]
    rows = CollectiveRows(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})
    unnamed = tuple(place for place, rank in enumerate(of.ranks) if _is_unnamed(rank))
    return JobRows(rows=rows, groups=tuple(groups), base_ns=base, unnamed_ranks=unnamed, ungrouped=np.zeros(0, np.int64))


def _base(of: Ranks) -> int:
    """Where the first rank begins, of those whose clocks are not days off: in years a double holds no ns."""
    begun = sorted(rank.summary.base_ns + rank.summary.start_ns for rank in of.ranks)
    return next(one for one in begun if begun[len(begun) // 2] - one < _DAY_NS)


def shift_of(rank: Rank, base_ns: int) -> int:
    """Of its times to the job's; integers, since epoch nanoseconds do not fit a double."""
    return rank.summary.base_ns - base_ns


def _rows(place: int, rank: Rank, base_ns: int, groups: dict[ProcessGroup, int], dtypes: dict[str, int]) -> CollectiveRows:
    table, shift = rank.collectives, shift_of(rank, base_ns)
    is_there = table["row"] != NONE
    group = _numbered(table["group"], [groups.setdefault(_key(group), len(groups)) for group in rank.summary.groups])
    if not rank.lacks_device and (is_nameless(rank.summary) or _is_told_by_ends(rank)):
        group = np.full(len(group), groups.setdefault(NAMELESS, len(groups)), np.int64)
    dtype = _numbered(table["dtype"], [dtypes.setdefault(name, len(dtypes)) for name in rank.summary.dtypes])
    return CollectiveRows(
        rank=np.full(len(group), place, np.int64),
        start=np.where(is_there, table["start"] + shift, NONE),
        end=np.where(is_there, table["end"] + shift, NONE),
        issued=table["issued"] + shift,
        is_there=is_there,
        group=group,
        kind=table["kind"],
        sequence=table["sequence"],
        size=table["size"],
        dtype=dtype,
        peer=table["peer"],
        stream=table["stream"],
        channel=np.full(len(group), NONE, np.int64),
        step=table["step"],
        row=table["row"],
        dispatched=table["dispatched"],
    )


def is_nameless(summary: RankSummary) -> bool:
    """No collective names its group, and there is only one that it could be."""
    return not summary.groups and (summary.n_groups_of_rank or 1) == 1


def _is_told_by_ends(rank: Rank) -> bool:
    """No collective names its group, though there are several, and kernels ran (replayed graphs): `nameless.py`."""
    return not rank.summary.groups and bool((rank.collectives["stream"] != NONE).any())


def _is_unnamed(rank: Rank) -> bool:
    """No collective names its group, and there are several that it could be."""
    is_told = is_nameless(rank.summary) or _is_told_by_ends(rank)
    return not rank.summary.groups and not is_told and len(rank.collectives["row"]) > 0


def _key(group: ProcessGroup) -> ProcessGroup:
    """Without what ranks of one group may say differently."""
    return ProcessGroup(group.name, group.description, group.size, group.ranks)


def _numbered(column: Int64Array, numbers: Sequence[int]) -> Int64Array:
    found: Int64Array = np.array([*numbers, NONE], np.int64)[column]
    return found
