"""Matches that cannot be: a member that ends before the last one has come.

The test needs no clock between ranks of one host; between hosts it is made again with the solved clocks and their error. An
instance that fails is not used; where more than 5 % of a group's fail, none of that group is: its order differs between ranks.

    rank 3 with 2    fails    with 1 fails    with 2, 6, 7 fails    all others agree

Nor is it the order where torch's numbers tell it, or several groups fail, and each time for one rank: its clock is none that
others follow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tb_plugin.base.units import NONE
from tb_plugin.compute.grouping import group_by, max_by, min_by
from tb_plugin.trace.collectives import kinds

if TYPE_CHECKING:
    from tb_plugin.base.units import BoolArray, Int64Array
    from tb_plugin.job.matching.matching import Matched
    from tb_plugin.job.ranks.rows import CollectiveRows

MOST_FAILING: Final = 0.05
_ENOUGH: Final = 3
_MOST_ASKED: Final = 2
"""Of two that meet nobody but each other it may be either."""

DEVICES_NS: Final = 5_000
"""What the clocks of two devices of one host differ by, at most (DLRM on 8 V100: 1.8 us; simulated: 2 sigma of 1 us each)."""


def impossible(
    rows: CollectiveRows,
    found: Matched,
    place: Int64Array,
    start: Int64Array,
    end: Int64Array,
    slack_ns: Int64Array,
    resolution_ns: int,
) -> BoolArray:
    """Instances in which members at one `place` (a host, or a component of clocks) end before the last of them has come.

    `start`, `end`, `slack_ns` are of each row, on the clock of its place.
    """
    tested = _tested(rows, found, place, start, end, slack_ns + DEVICES_NS + 2 * resolution_ns)
    failed = np.zeros(len(found), np.bool_)
    failed[tested.instance[tested.fails]] = True
    return failed


class _Tested(NamedTuple):
    """Of each instance at each place."""

    instance: Int64Array
    fails: BoolArray
    first: Int64Array  # rank of the member that ends first
    last: Int64Array  # and of the one that comes last


def _tested(
    rows: CollectiveRows, found: Matched, place: Int64Array, start: Int64Array, end: Int64Array, slack_ns: Int64Array
) -> _Tested:
    use = np.flatnonzero(rows.is_there & (found.of >= 0))
    together = group_by(found.of[use], place[use])
    kind = rows.kind[use]
    # Of a pair only the receiver has to wait: it may not end before the sender has begun.
    begins = np.where(kind == kinds.RECV, np.iinfo(np.int64).min, start[use])
    ends = np.where(kind == kinds.SEND, np.iinfo(np.int64).max, end[use] + slack_ns[use])
    end_first, come_last = min_by(together, ends), max_by(together, begins)
    binds = np.isin(kind[together.first], (*kinds.SYNCHRONISING, kinds.SEND, kinds.RECV, kinds.SEND_RECV))
    first, last = np.full(len(together), NONE), np.full(len(together), NONE)
    for who, each, most in ((first, ends, end_first), (last, begins, come_last)):
        at = np.flatnonzero(each == most[together.of])
        who[together.of[at]] = rows.rank[use[at]]
    return _Tested(found.of[use][together.first], (end_first < come_last) & binds, first, last)


def likely_off(rows: CollectiveRows, found: Matched, place: Int64Array, refused: Int64Array) -> list[int]:
    """Who ends first or comes last in nearly all that fails in these groups, at most two; by place. Nobody where it may be the
    order: of one of several groups of a rank, or of collectives that torch did not number.
    """
    tested = _tested(rows, found, place, rows.start, rows.end, np.full(len(rows), DEVICES_NS))
    fails = tested.fails & np.isin(found.group[tested.instance], refused)
    n_failed = int(fails.sum())
    its = np.isin(found.of, tested.instance[fails]) & rows.is_there
    if n_failed < _ENOUGH or (len(refused) == 1 and (rows.sequence[its] == NONE).any()):
        return []
    first, last = tested.first[fails], tested.last[fails]
    count = np.bincount(np.concatenate((first, last[last != first])))
    ranks = np.flatnonzero(count >= (1 - MOST_FAILING) * n_failed).tolist()
    if len(refused) == 1:
        is_used = rows.is_there & (found.of >= 0)
        ranks = [rank for rank in ranks if len(np.unique(rows.group[is_used & (rows.rank == rank)])) == 1]
    return ranks if len(ranks) <= _MOST_ASKED else []


def refused_groups(found: Matched, failed: BoolArray, n_groups: int) -> Int64Array:
    """Places of groups of which too many matches failed."""
    is_tested = found.is_matched
    tested = np.bincount(found.group[is_tested], minlength=n_groups)
    wrong = np.bincount(found.group[is_tested & failed], minlength=n_groups)
    refused: Int64Array = np.flatnonzero(wrong > MOST_FAILING * np.maximum(tested, 1))
    return refused
