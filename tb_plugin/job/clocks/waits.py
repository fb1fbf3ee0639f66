"""Wait and transfer of every member of every matched collective.

    A(c) = the last arrival of its members, on the job's clock
    wait(r, c) = A(c) - start       transfer(r, c) = end - A(c)       together the row's duration, to the ns

Of sends and receives of one kernel (`batches.py`) A is the latest of all, and a message's transfer is that of its own part, from
its own last arrival: where the kernel's end does not tell it, it took that long at most.

Not the shortest duration over ranks: that is transfer only if clocks agree and the last one's kernel starts without delay. Of an
incomplete instance (`matching.py`) the last may be one that is not here: its wait is a lower bound, and what is left of the row
is wait or transfer, not told apart. Of a row whose wait is not known at all everything is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.base.units import NONE, BoolArray, Float64Array, Int64Array
from tb_plugin.compute.grouping import max_by, min_by
from tb_plugin.job.clocks.came_last import is_last
from tb_plugin.job.matching.batches import PartEnds, batches, part_ends
from tb_plugin.job.matching.causality import DEVICES_NS

if TYPE_CHECKING:
    from tb_plugin.job.clocks.clock import Clocks
    from tb_plugin.job.matching.matching import Matched
    from tb_plugin.job.ranks.rows import CollectiveRows


@dataclass(frozen=True, kw_only=True)
class WaitTimes:
    """One value a row: wait, transfer and what is not told apart are its duration. A group of one rank has transfer alone.

    `is_known`: there is a wait, at least as a lower bound.
    """

    wait: Int64Array
    transfer: Int64Array
    untold: Int64Array
    is_known: BoolArray
    is_last: BoolArray  # it came last, alone or with others (`came_last.py`)
    start: Int64Array  # on the job's clock
    end: Int64Array
    parts: PartEnds | None  # of kernels that send or receive several messages


@dataclass(frozen=True, kw_only=True)
class Instances:
    """One value an instance; meaningful where `is_known`."""

    is_known: BoolArray
    last: Int64Array  # row of the latest by the clock, be it by a hair: who came last, `WaitTimes.is_last` says; NONE
    n_last: Int64Array  # how many came last
    last_arrival: Int64Array
    second_arrival: Int64Array  # of the last but one
    others_arrival: Float64Array  # median of all but the last
    first_arrival: Int64Array
    last_end: Int64Array
    first_end: Int64Array
    transfer: Float64Array  # median over members, ns; NaN where a member is missing
    is_at_most: BoolArray  # transfer may be less: its kernels do more than that
    n_members: Int64Array

    @property
    def has_last(self) -> BoolArray:
        """One came last, alone."""
        alone: BoolArray = self.is_known & (self.n_last == 1) & (self.n_members > 1)
        return alone


def waits(
    rows: CollectiveRows, found: Matched, on: Int64Array, clocks: Clocks, refused: BoolArray
) -> tuple[WaitTimes, Instances]:
    """`on`: the clock of each row; `refused` instances are not known."""
    start = rows.start - np.where(rows.is_there, clocks.shift(on, rows.start), 0)
    end = rows.end - np.where(rows.is_there, clocks.shift(on, rows.end), 0)
    use = np.flatnonzero(rows.is_there & (found.of != NONE))
    of = found.of[use]
    known = found.is_matched & ~refused & _one_component(found, of, clocks.component[on[use]])
    use = use[known[of]]
    order = np.lexsort((start[use], found.of[use]))
    use = use[order]
    of = found.of[use]
    instances = _instances(found, known, use, of, start, end)
    last_arrival = instances.last_arrival[of]
    is_whole = np.append(found.is_complete & (known | (found.n_members == 1)), np.False_)[found.of]  # NONE is the last
    of_kernel, of_parts = batches(rows), part_ends(rows, found, known, end, DEVICES_NS + clocks.slack_at(on, rows.end))
    if of_kernel is not None:
        latest = np.full(len(rows), np.iinfo(np.int64).min)
        latest[use] = last_arrival
        last_arrival = max_by(of_kernel, latest)[of_kernel.of[use]]
        is_whole = min_by(of_kernel, is_whole.astype(np.int64))[of_kernel.of] > 0
    duration = rows.duration[use]
    transfer = np.clip(end[use] - last_arrival, 0, duration)
    wait, rest, is_known = np.zeros(len(rows), np.int64), np.where(rows.is_there, rows.duration, 0), np.zeros(len(rows), np.bool_)
    wait[use], rest[use], is_known[use] = duration - transfer, transfer, True
    came_last, count = np.zeros(len(rows), np.bool_), instances.n_members  # rows lie by instance, then by arrival
    came_last[use] = is_last(start[use], rows.start[use], on[use], np.repeat(np.cumsum(count), count) - 1, clocks)
    told = WaitTimes(
        wait=wait,
        transfer=np.where(is_whole, rest, 0),
        untold=np.where(is_whole, 0, rest),
        is_known=is_known,
        is_last=came_last,
        start=start,
        end=end,
        parts=of_parts,
    )
    instances = replace(instances, n_last=np.bincount(of[came_last[use]], minlength=len(found)).astype(np.int64))
    instances = _with_transfer(instances, found, of, transfer)
    return told, instances if of_parts is None else _of_parts(instances, found, use, of_parts)


def _one_component(found: Matched, of: Int64Array, component: Int64Array) -> BoolArray:
    low, high = np.full(len(found), np.iinfo(np.int64).max), np.full(len(found), -1)
    np.minimum.at(low, of, component)
    np.maximum.at(high, of, component)
    same: BoolArray = low == high
    return same


def _instances(
    found: Matched, known: BoolArray, use: Int64Array, of: Int64Array, start: Int64Array, end: Int64Array
) -> Instances:
    """`use`: rows by instance, then by arrival."""
    n = len(found)
    count = np.bincount(of, minlength=n).astype(np.int64)
    stop = np.cumsum(count)
    begin = stop - count
    some = count > 0
    arrivals, none = start[use], np.zeros(n, np.int64)
    first_end, last_end = np.full(n, np.iinfo(np.int64).max), np.full(n, np.iinfo(np.int64).min)
    np.minimum.at(first_end, of, end[use])
    np.maximum.at(last_end, of, end[use])

    def at(place: Int64Array) -> Int64Array:
        result: Int64Array = none.copy()
        result[some] = arrivals[place[some]]
        return result

    last = np.full(n, NONE, np.int64)
    last[some] = use[stop[some] - 1]
    return Instances(
        is_known=known,
        last=last,
        n_last=none,
        last_arrival=at(stop - 1),
        second_arrival=at(np.maximum(stop - 2, begin)),
        others_arrival=(at(begin + np.maximum(count - 2, 0) // 2) + at(begin + np.maximum(count - 1, 0) // 2)) / 2,
        first_arrival=at(begin),
        last_end=np.where(some, last_end, 0),
        first_end=np.where(some, first_end, 0),
        transfer=np.full(n, np.nan),
        is_at_most=np.zeros(n, np.bool_),
        n_members=count,
    )


def _with_transfer(instances: Instances, found: Matched, of: Int64Array, transfer: Int64Array) -> Instances:
    """The median over the members of complete instances."""
    n = len(found)
    order = np.lexsort((transfer, of))
    value, count = transfer[order], instances.n_members
    stop = np.cumsum(count)
    begin = stop - count
    use = (count > 0) & found.is_complete
    median = np.full(n, np.nan)
    low, high = begin + np.maximum(count - 1, 0) // 2, begin + count // 2
    median[use] = (value[low[use]] + value[high[use]]) / 2
    return replace(instances, transfer=median)


def _of_parts(instances: Instances, found: Matched, use: Int64Array, parts: PartEnds) -> Instances:
    """`use`: rows of known instances. Messages of a kernel with several take as long as their own parts."""
    n = len(found)
    n_several, n_told = (np.bincount(found.of[use], weights=each[use], minlength=n) for each in (parts.is_several, parts.is_told))
    over = np.full(n, np.iinfo(np.int64).min)
    np.maximum.at(over, found.of[use], parts.end[use])
    is_part = (n_several > 0) & np.isfinite(instances.transfer)
    transfer = np.where(is_part, np.maximum(over - instances.last_arrival, 0), instances.transfer)
    return replace(instances, transfer=transfer, is_at_most=is_part & (n_told == 0))
