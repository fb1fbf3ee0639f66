"""Pairs, curve and callers against loops, on made-up events of every shape."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.trace.memory.callers import innermost
from tb_plugin.trace.memory.series import all_series
from tb_plugin.views.memory import VIEW
from tb_plugin.views.memory.allocations import allocations
from tb_plugin.views.memory.allocations_result import AllocationsParams
from tb_plugin.views.memory.blocks import alive_after, pair
from tb_plugin.views.memory.curve import curve
from tb_plugin.views.memory.result import MemoryParams
from tests.views.memory import naive
from tests.views.memory.drawing import CPU, CUDA, Change, Operator, trace_of

changes = st.lists(
    st.tuples(st.integers(0, 60), st.sampled_from([-64, -8, 8, 64, 512]), st.integers(1, 4), st.integers(1, 2)),
    min_size=1,
    max_size=40,
).map(lambda rows: [Change(at, size, address, None, CUDA, thread) for at, size, address, thread in sorted(rows)])
operators = st.lists(
    st.tuples(st.integers(0, 40), st.integers(1, 30), st.integers(1, 2), st.sampled_from(["aten::mm", "aten::empty"])),
    max_size=12,
).map(lambda rows: [Operator(name, start, start + length, thread) for start, length, thread, name in rows])


@given(changes, st.integers(0, 39))
def test_blocks_alive_are_those_of_a_dictionary(rows: list[Change], upto: int) -> None:
    position = min(upto, len(rows) - 1)
    n_bytes, address = np.array([c.bytes for c in rows]), np.array([c.address for c in rows])
    blocks = pair(n_bytes, address)
    events = [naive.Event(i, i, i, c.bytes, c.address or 0, 0, 0) for i, c in enumerate(rows)]
    expected = {event.row for event in naive.alive(events, position + 1).values()}
    assert set(alive_after(blocks, n_bytes, position).tolist()) == expected
    assert np.flatnonzero(blocks.earlier).tolist() == naive.earlier(events)


@given(operators, changes)
def test_the_innermost_operator_is_the_last_one_that_is_still_open(ops: list[Operator], rows: list[Change]) -> None:
    trace = trace_of(ops, rows)
    memory_rows = trace.memory.row.astype(np.int64)
    assert innermost(trace, memory_rows).tolist() == [naive.innermost(trace, row) for row in memory_rows.tolist()]


@given(changes, st.integers(1, 12), st.integers(0, 50), st.integers(1, 40))
def test_a_reduced_curve_keeps_the_extremes_and_both_ends(rows: list[Change], points: int, start: int, length: int) -> None:
    (series,) = all_series(trace_of([Operator("aten::mm", 0, 61)], rows))
    t0, t1 = start * 1000, (start + length) * 1000
    full, reduced = curve(series, t0, t1, 10_000), curve(series, t0, t1, points)
    assert max(reduced.allocated_bytes) == max(full.allocated_bytes)
    assert min(reduced.allocated_bytes) == min(full.allocated_bytes) >= 0
    assert (reduced.time_ns[0], reduced.time_ns[-1]) == (t0, t1)
    assert (reduced.allocated_bytes[0], reduced.allocated_bytes[-1]) == (full.allocated_bytes[0], full.allocated_bytes[-1])
    assert len(reduced.time_ns) <= 4 * points + 2
    exact = set(zip(full.time_ns, full.allocated_bytes, strict=True))
    assert set(zip(reduced.time_ns, reduced.allocated_bytes, strict=True)) <= exact
    assert reduced.time_ns == sorted(reduced.time_ns)


@given(operators, changes, st.integers(0, 70), st.integers(0, 70))
def test_any_range_of_any_device_adds_up(ops: list[Operator], rows: list[Change], t0: int, t1: int) -> None:
    mixed = [row._replace(device=CPU) if i % 3 == 0 else row for i, row in enumerate(rows)]
    trace = trace_of(ops, mixed)
    for device in {"cpu" if row.device == CPU else "cuda:0" for row in mixed}:
        result = VIEW.main.answer(trace, MemoryParams(device=device, t0_ns=t0 * 1000, t1_ns=t1 * 1000))
        assert sum(row.allocated_bytes for row in result.groups) == result.allocations.bytes
        assert sum(row.releases for row in result.groups) == result.releases.count
        assert result.held.known is not None
        assert sum(row.alive or 0 for row in result.groups) == result.held.known.count
        alive = allocations(trace, AllocationsParams(device=device, t0_ns=t0 * 1000, t1_ns=t1 * 1000, alive=True))
        assert result.held.earlier is not None
        assert alive.matching.bytes == result.held.known.bytes + result.held.earlier.bytes
        assert result.held.allocated_bytes == max(result.curve.allocated_bytes)
        assert result.window_start_ns <= result.start_ns < result.end_ns
