"""A window shows every event once: as itself, or counted in a block of its lane that covers it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.compute import pyramid

MANY = 1 << 30


class Case(NamedTuple):
    lane: list[int]
    start: list[int]
    end: list[int]
    kind: list[int]


@st.composite
def _cases(draw: st.DrawFn) -> Case:
    """Up to three lanes of events that follow each other, rows ordered by (lane, start)."""
    lane, start, end, kind = [], [], [], []
    for number in range(draw(st.integers(1, 3))):
        now = draw(st.integers(0, 5_000))
        for gap, length in draw(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 3_000) | st.just(0)), max_size=30)):
            lane.append(number)
            start.append(now + gap)
            now += gap + length
            end.append(now)
            kind.append(draw(st.integers(7, 9)))
    return Case(lane, start, end, kind)


def _build(case: Case) -> pyramid.Pyramid:
    lane, start, end = (np.array(column, np.int64) for column in case[:3])
    return pyramid.build(lane, 3, start, end, np.array(case.kind, np.uint8))


@given(_cases(), st.integers(0, 20_000), st.integers(0, 20_000), st.integers(0, 14), st.just(MANY) | st.integers(3, 20))
def test_every_event_of_the_window_is_in_one_block_of_its_lane(case: Case, t0: int, length: int, shift: int, most: int) -> None:
    blocks = pyramid.window(_build(case), np.arange(3), t0, t0 + length, shift, most)
    edges = np.concatenate(([0], np.cumsum(blocks.n_of_lane)))
    for lane in range(3):
        rows = [r for r in range(len(case.lane)) if case.lane[r] == lane]
        inside = {r for r in rows if case.end[r] >= t0 and case.start[r] <= t0 + length}
        mine = slice(int(edges[lane]), int(edges[lane + 1]))
        n_events = int(blocks.count[mine].sum())
        runs = [rows[k : k + n_events] for k in range(len(rows) - n_events + 1)]
        assert any(inside <= set(run) and _stands_for(case, blocks, mine, run) for run in runs)


def _stands_for(case: Case, blocks: pyramid.Blocks, mine: slice, rows: list[int]) -> bool:
    """Whether these blocks are these rows, cut into groups."""
    place = 0
    parts = blocks.parts
    n_others, other, share = parts.other_kinds()
    ends = np.cumsum(n_others, dtype=int)
    columns = (blocks.start_ns, blocks.end_ns, blocks.count, blocks.longest_row, parts.busy_ns(), parts.main_kinds())
    of_lane = (column[mine] for column in (*columns, ends - n_others, ends))
    for start, end, count, longest, busy_ns, kind, low, high in zip(*of_lane, strict=True):
        group = rows[place : place + int(count)]
        place += int(count)
        if longest not in group or (case.start[group[0]], case.end[group[-1]]) != (start, end):
            return False
        by_kind = [sum(case.end[r] - case.start[r] for r in group if case.kind[r] == each) for each in range(10)]
        if busy_ns != sum(by_kind) or kind != max({case.kind[r] for r in group}, key=lambda each: (by_kind[each], -each)):
            return False
        shares = dict(zip(other[low:high].tolist(), share[low:high].tolist(), strict=True))
        for each in {*range(10)} - {int(kind)}:
            exact = 255 * by_kind[each] / busy_ns if busy_ns else 0
            if abs(shares.pop(each, 0) - exact) > 0.5 + 1e-4:
                return False
        if shares:
            return False
        if case.end[longest] - case.start[longest] != max(case.end[r] - case.start[r] for r in group):
            return False
    return place == len(rows)


@given(_cases(), st.integers(0, 14))
def test_nothing_as_long_as_a_bucket_is_merged_and_blocks_are_at_most_two_a_bucket(case: Case, shift: int) -> None:
    blocks = pyramid.window(_build(case), np.arange(3), -1, MANY, shift, MANY)
    merged = blocks.count > 1
    lengths = np.array(case.end)[blocks.longest_row] - np.array(case.start)[blocks.longest_row] if case.lane else np.empty(0)
    assert (lengths[merged] < 1 << shift).all()
    assert int(blocks.count.sum()) == len(case.lane)
    lane_of_block = np.repeat(np.arange(3), blocks.n_of_lane)
    _, per_bucket = np.unique(np.stack((lane_of_block, blocks.start_ns >> shift)), axis=1, return_counts=True)
    short = np.unique((lane_of_block * MANY + (blocks.start_ns >> shift))[lengths < 1 << shift], return_counts=True)[1]
    assert (short == 1).all()
    assert (per_bucket <= 2).all()


def test_levels_answer_as_the_events_do() -> None:
    random = np.random.default_rng(7)
    length = random.integers(1, 400, 20_000)
    gap = random.integers(0, 200, 20_000)
    end = np.cumsum(length + gap)
    lane = np.repeat([0, 1], 10_000)
    built = pyramid.build(lane, 2, end - length, end, random.integers(0, 5, 20_000).astype(np.uint8))
    assert built.levels
    assert built.n_bytes < 30 * len(lane)
    bare = pyramid.Pyramid(
        row_at=built.row_at,
        lane_first=built.lane_first,
        start_ns=built.start_ns,
        end_ns=built.end_ns,
        kind=built.kind,
        levels=(),
    )
    for shift in range(0, 24, 3):
        for t0, t1 in ((0, int(end[-1])), (70_000, 90_000), (1_000_000, 3_000_000)):
            a = pyramid.window(built, np.arange(2), t0, t1, shift, MANY)
            b = pyramid.window(bare, np.arange(2), t0, t1, shift, MANY)
            # A level may begin with events just left of the window, as the block they belong to is sent whole.
            assert abs(len(a.count) - len(b.count)) <= 2
            inner = slice(1, -1)
            assert a.end_ns[inner].tolist()[-50:] == b.end_ns[inner].tolist()[-50:]
            assert a.parts.busy_ns().sum() >= b.parts.busy_ns().sum() * 0.999
            assert a.parts.main_kinds()[inner].tolist()[-50:] == b.parts.main_kinds()[inner].tolist()[-50:]


def test_too_many_blocks_are_merged_further() -> None:
    start = np.arange(0, 100_000, 10)
    built = pyramid.build(np.zeros(len(start), np.int64), 1, start, start + 5, np.zeros(len(start), np.uint8))
    blocks = pyramid.window(built, np.arange(1), 0, 100_000, 0, 500)
    assert 100 < len(blocks.count) <= 500
    assert blocks.count.sum() == len(start)
