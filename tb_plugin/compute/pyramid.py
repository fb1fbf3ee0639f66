"""Level of detail: any window over millions of events, answered with about one row per pixel and lane.

Events in lane order (no two of a lane overlap, so starts and ends both rise) are cut into *blocks*. A level with shift k
puts the events of a lane that start in the same 2^k ns into one block; an event of 2^k ns or more is always a block of
its own. So a block is either one event, exactly, or several events that are each shorter than 2^k ns.

    position  0   1   2   3      level shift 4 (16 ns)   block  first  longest  parts
    start     0   3   9  20                                  0      0        1  kind 4: 3 ns, kind 9: 4 ns   events 0 1 2
    end       2   7  10  60                                  1      3        3  kind 4: 40 ns                event 3, as it is
    kind      4   9   4   4                                  -      4                                        (sentinel)

A block needs its first position and its longest event: it ends where the next block begins. Its parts say how long it is at
work and of what kind most of that is, exactly, whatever it is merged with. Costs 5 bytes an event, 12 a block and 5 a part; a
level is kept only where it is clearly smaller than the last one, so all together less than 30 an event.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tb_plugin.base import progress
from tb_plugin.compute.ranges import ranges

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tb_plugin.base.units import BoolArray, Int64Array

Positions = npt.NDArray[np.intp]

_FIRST_SHIFT = 6  # 64 ns: below, a screen holds few events of any real trace
_LAST_SHIFT = 62
_EVENTS = -1  # the "shift" of events as they are: even those of one instant are apart
_FEW_BLOCKS = 256
_AT_ONCE = 1 << 18


class KindTimes(NamedTuple):
    """The time of each kind in each block: those of block b are `first[b]` to `first[b + 1]`, at least one, by kind."""

    first: npt.NDArray[np.uint32]
    kind: npt.NDArray[np.uint8]
    ns: npt.NDArray[np.float32]

    def of_blocks(self, which: Positions) -> KindTimes:
        """Of these blocks."""
        low, n = self.first[which], self.first[which + 1] - self.first[which]
        places = ranges(low.astype(np.int64), n.astype(np.int64))
        return KindTimes(np.concatenate(([0], np.cumsum(n))).astype(np.uint32), self.kind[places], self.ns[places])

    def merged(self, begins: BoolArray) -> KindTimes:
        """Of blocks merged: `begins` says of each block whether it is the first of a new one."""
        block = np.repeat(np.cumsum(begins) - 1, np.diff(self.first))
        kinds = np.flatnonzero(np.bincount(self.kind, minlength=1 << 8)).astype(np.uint8)
        place = np.zeros(1 << 8, np.intp)
        place[kinds] = np.arange(len(kinds))
        n_blocks = np.count_nonzero(begins)
        merged = []
        for low in range(0, n_blocks, _AT_ONCE):  # a table of blocks and kinds needs no sorting; not of all blocks, for memory
            n = min(_AT_ONCE, n_blocks - low)
            here = slice(*np.searchsorted(block, [low, low + n]).tolist())
            key = (block[here] - low) * len(kinds) + place[self.kind[here]]
            found = np.bincount(key, minlength=n * len(kinds)) > 0
            ns = np.bincount(key, weights=self.ns[here], minlength=n * len(kinds))[found].astype(np.float32)
            merged.append((found.reshape(n, -1).sum(axis=1), kinds[np.flatnonzero(found) % len(kinds)], ns))
        n_parts, kind, ns = (np.concatenate(columns) for columns in zip(*merged, strict=True))
        return KindTimes(np.concatenate(([0], np.cumsum(n_parts))).astype(np.uint32), kind, ns)

    def busy_ns(self) -> npt.NDArray[np.float32]:
        """Of each block the time of all kinds."""
        heads = self.first[:-1].astype(np.intp)
        return np.add.reduceat(self.ns, heads) if len(heads) else self.ns

    def main_kinds(self) -> npt.NDArray[np.uint8]:
        """Of each block the kind with most time, of several the least."""
        return self.kind[self._most()]

    def other_kinds(self) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
        """(how many kinds each block has besides its main one, these kinds by block, the share of the block's time that each
        has, of 255). One that rounds to none is left out.
        """
        heads = self.first[:-1].astype(np.intp)
        busy = np.repeat(self.busy_ns(), np.diff(self.first))
        share = np.rint(255 * np.divide(self.ns, busy, out=np.zeros(len(self.ns), np.float32), where=busy > 0)).astype(np.uint8)
        share[self._most()] = 0
        is_other = share > 0
        n = np.add.reduceat(is_other, heads, dtype=np.uint8) if len(heads) else np.empty(0, np.uint8)
        return n, self.kind[is_other], share[is_other]

    def _most(self) -> Positions:
        heads = self.first[:-1].astype(np.intp)
        if not len(heads):
            return heads
        begins = np.zeros(len(self.ns), np.bool_)
        begins[heads] = True
        return _argmax(self.ns, begins, heads)


@dataclass(frozen=True, kw_only=True)
class Level:
    """Blocks of all lanes, lane after lane. `first` has one entry more, the number of events."""

    shift: int
    first: npt.NDArray[np.uint32]
    longest: npt.NDArray[np.uint32]
    parts: KindTimes
    lane_first: Int64Array  # block where each lane begins, and the number of blocks


@dataclass(frozen=True, kw_only=True)
class Blocks:
    """What a window shows: `n_of_lane` blocks of each asked lane, in order. One event where `count` is 1."""

    shift: int
    n_of_lane: Int64Array
    start_ns: Int64Array
    end_ns: Int64Array
    longest_row: Positions
    count: Int64Array
    parts: KindTimes


@dataclass(frozen=True, kw_only=True)
class Pyramid:
    """`row_at` maps position in lane order to the caller's row; `start_ns`, `end_ns` and `kind` are the caller's, by row."""

    row_at: npt.NDArray[np.uint32]
    lane_first: Int64Array  # position where each lane begins, and the number of events
    start_ns: Int64Array
    end_ns: Int64Array
    kind: npt.NDArray[np.uint8]
    levels: tuple[Level, ...]

    @property
    def n_bytes(self) -> int:
        """What this holds besides the caller's own columns."""
        columns = (c for v in self.levels for c in (v.first, v.longest, *v.parts, v.lane_first))
        return self.row_at.nbytes + self.lane_first.nbytes + sum(c.nbytes for c in columns)

    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """All that this holds besides the caller's own, by name: `from_columns` makes it again."""
        shifts = np.array([level.shift for level in self.levels], np.int64)
        columns: dict[str, npt.NDArray[Any]] = {"row_at": self.row_at, "lane_first": self.lane_first, "shift": shifts}
        for level in self.levels:
            own: dict[str, npt.NDArray[Any]] = {"first": level.first, "longest": level.longest, "lane_first": level.lane_first}
            columns |= {f"{level.shift}.{name}": column for name, column in own.items()}
            columns |= {f"{level.shift}.parts.{name}": column for name, column in level.parts._asdict().items()}
        return columns


def from_columns(
    columns: Mapping[str, npt.NDArray[Any]], start_ns: Int64Array, end_ns: Int64Array, kind: npt.NDArray[np.uint8]
) -> Pyramid:
    """The pyramid with these columns, over the caller's own, by row."""
    levels = []
    for shift in columns["shift"].tolist():
        own = {name: columns[f"{shift}.{name}"] for name in ("first", "longest", "lane_first")}
        parts = KindTimes(*(columns[f"{shift}.parts.{name}"] for name in KindTimes._fields))
        levels.append(Level(shift=shift, parts=parts, **own))
    row_at, lane_first = columns["row_at"], columns["lane_first"]
    return Pyramid(row_at=row_at, lane_first=lane_first, start_ns=start_ns, end_ns=end_ns, kind=kind, levels=tuple(levels))


def build(
    lane: npt.NDArray[np.integer], n_lanes: int, start_ns: Int64Array, end_ns: Int64Array, kind: npt.NDArray[np.uint8]
) -> Pyramid:
    """`lane` and `kind` by row; rows must rise in start within each lane."""
    narrow = lane.astype(np.uint16) if n_lanes < 1 << 16 else lane  # NumPy sorts 16 bits by counting
    in_lanes = np.argsort(narrow, kind="stable")
    row_at = in_lanes.astype(np.uint32)
    lane_first = np.concatenate(([0], np.cumsum(np.bincount(lane, minlength=n_lanes)))).astype(np.int64)
    start, length = start_ns[in_lanes], (end_ns - start_ns)[in_lanes]
    level = Level(
        shift=0,
        first=np.arange(len(row_at) + 1, dtype=np.uint32),
        longest=np.arange(len(row_at), dtype=np.uint32),
        parts=KindTimes(np.arange(len(row_at) + 1, dtype=np.uint32), kind[in_lanes], length.astype(np.float32)),
        lane_first=lane_first,
    )
    levels: list[Level] = []
    top_shift = int(start_ns.max(initial=0)).bit_length()
    block_start, block_longest = start, length
    for shift in range(_FIRST_SHIFT, top_shift + 1):
        n_before = len(level.longest)
        if n_before <= _FEW_BLOCKS:
            break
        begins = _begins(block_start, block_longest, level.lane_first, shift)
        share = np.count_nonzero(begins) / n_before
        if share <= 0.5 or (share <= 0.8 and levels and shift >= level.shift + 3):
            progress.now("the timeline from farther away")
            level = _merged(level, begins, block_longest, shift)
            levels.append(level)
            block_start, block_longest = start[level.first[:-1]], length[level.longest]
    return Pyramid(row_at=row_at, lane_first=lane_first, start_ns=start_ns, end_ns=end_ns, kind=kind, levels=tuple(levels))


def window(pyramid: Pyramid, lanes: Int64Array, t0_ns: int, t1_ns: int, shift: int, max_blocks: int) -> Blocks:
    """The blocks of these lanes that touch [t0, t1], none of events of 2^shift ns or more, coarser if they are too many."""
    while True:
        level = next((v for v in reversed(pyramid.levels) if v.shift <= shift), None)
        low, high = _span(pyramid, level, lanes, t0_ns, t1_ns)
        n_blocks = int((high - low).sum())
        if level is None or level.shift < shift or n_blocks <= max_blocks:
            blocks = _at_shift(_gather(pyramid, level, low, high - low), pyramid, shift)
            n_blocks = len(blocks.count)
        if n_blocks <= max_blocks or shift >= _LAST_SHIFT:
            return blocks
        # One more shift at most halves the blocks, so this never goes further than it must.
        shift = min(_LAST_SHIFT, shift + math.ceil(math.log2(n_blocks / max_blocks)))


def _gather(pyramid: Pyramid, level: Level | None, low: Int64Array, n_of_lane: Int64Array) -> Blocks:
    """The level's own blocks, `n_of_lane` from `low` on; without a level, the events."""
    which = ranges(low, n_of_lane)
    if level is None:
        first, last, longest = (which.astype(np.uint32),) * 3
    else:
        first, last, longest = level.first[which], level.first[which + 1] - np.uint32(1), level.longest[which]
    row = pyramid.row_at[longest].astype(np.intp)
    end = pyramid.end_ns[pyramid.row_at[last]]
    if level is None:
        length = (end - pyramid.start_ns[row]).astype(np.float32)
        parts = KindTimes(np.arange(len(row) + 1, dtype=np.uint32), pyramid.kind[row], length)
    else:
        parts = level.parts.of_blocks(which)
    return Blocks(
        shift=level.shift if level is not None else _EVENTS,
        n_of_lane=n_of_lane,
        start_ns=pyramid.start_ns[pyramid.row_at[first]],
        end_ns=end,
        longest_row=row,
        count=last.astype(np.int64) - first + 1,
        parts=parts,
    )


def _at_shift(blocks: Blocks, pyramid: Pyramid, shift: int) -> Blocks:
    """The same, merged further."""
    if shift == blocks.shift or len(blocks.count) == 0:
        return dataclasses.replace(blocks, shift=shift)
    longest_ns = pyramid.end_ns[blocks.longest_row] - pyramid.start_ns[blocks.longest_row]
    lane_first = np.concatenate(([0], np.cumsum(blocks.n_of_lane)))
    begins = _begins(blocks.start_ns, longest_ns, lane_first, shift)
    heads = np.flatnonzero(begins)
    if len(heads) == len(begins):
        return dataclasses.replace(blocks, shift=shift)
    return Blocks(
        shift=shift,
        n_of_lane=np.diff(np.searchsorted(heads, lane_first)),
        start_ns=blocks.start_ns[heads],
        end_ns=blocks.end_ns[np.append(heads[1:], len(begins)) - 1],
        longest_row=blocks.longest_row[_argmax(longest_ns, begins, heads)],
        count=np.add.reduceat(blocks.count, heads),
        parts=blocks.parts.merged(begins),
    )


def _begins(start: Int64Array, longest_ns: Int64Array, lane_first: Int64Array, shift: int) -> BoolArray:
    """Where a block of 2^shift ns begins: at a new lane, a new bucket, or an event that is too long to merge."""
    bucket = start >> shift
    begins = longest_ns >= (1 << shift)
    begins[1:] |= bucket[1:] != bucket[:-1]
    begins[lane_first[:-1][lane_first[:-1] < len(start)]] = True
    return begins


def _merged(level: Level, begins: BoolArray, longest_ns: Int64Array, shift: int) -> Level:
    heads = np.flatnonzero(begins)
    return Level(
        shift=shift,
        first=np.append(level.first[heads], level.first[-1]),
        longest=level.longest[_argmax(longest_ns, begins, heads)],
        parts=level.parts.merged(begins),
        lane_first=np.searchsorted(heads, level.lane_first).astype(np.int64),
    )


def _argmax(values: npt.NDArray[Any], begins: BoolArray, heads: Positions) -> Positions:
    """Where the first largest value of each group is."""
    group = np.cumsum(begins) - 1
    largest = np.flatnonzero(values == np.maximum.reduceat(values, heads)[group])
    found = np.empty(len(heads), np.intp)
    found[group[largest[::-1]]] = largest[::-1]
    return found


def _span(pyramid: Pyramid, level: Level | None, lanes: Int64Array, t0_ns: int, t1_ns: int) -> tuple[Int64Array, Int64Array]:
    """First block that ends at or after t0, and first block that starts after t1, of each lane. Bisects all lanes at once."""
    lane_first = pyramid.lane_first if level is None else level.lane_first

    def ends_before(block: Int64Array) -> BoolArray:
        last = block if level is None else level.first[block + 1].astype(np.intp) - 1
        return pyramid.end_ns[pyramid.row_at[last]] < t0_ns

    def starts_before(block: Int64Array) -> BoolArray:
        first = block if level is None else level.first[block]
        return pyramid.start_ns[pyramid.row_at[first]] <= t1_ns

    bounds = []
    for is_before in (ends_before, starts_before):
        low, high = lane_first[lanes].copy(), lane_first[lanes + 1].copy()
        while (open_ := low < high).any():
            middle = (low + high) >> 1
            before = np.zeros(len(lanes), np.bool_)
            before[open_] = is_before(middle[open_])
            low = np.where(before, middle + 1, low)
            high = np.where(open_ & ~before, middle, high)
        bounds.append(low)
    return bounds[0], np.maximum(bounds[0], bounds[1])
