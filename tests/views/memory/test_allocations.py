"""The list of allocations: every window of every order is a slice of a list that a loop makes."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.answers.bodies import csv_text
from tb_plugin.base.errors import UsageError
from tb_plugin.question import outline
from tb_plugin.views.memory.allocations import allocations
from tb_plugin.views.memory.allocations_result import AllocationsParams, MemoryAllocation
from tb_plugin.views.memory.result import MemoryCount
from tests.views.memory import naive
from tests.views.memory.drawing import CPU, CUDA, Change, Operator, trace_of

if TYPE_CHECKING:
    from tb_plugin.trace.model import Trace

TRAIN = trace_of(
    [Operator("aten::mm", 0, 10), Operator("aten::add", 20, 30)],
    [
        Change(5, 100, 1, (1100, 4000)),
        Change(8, 50, 2, (1150, 4000)),
        Change(15, -300, 9, (850, 4000)),
        Change(23, 400, 3, (1250, 5000)),
        Change(25, -50, 2, (1200, 5000)),
        Change(36, 8, 4, (8, 0), CPU),
    ],
)


def test_a_block_has_its_life_and_where_it_comes_from() -> None:
    found = allocations(TRAIN, AllocationsParams())
    assert (found.matching, found.total, found.has_addresses) == (MemoryCount(count=5, bytes=858),) * 2 + (True,)
    assert [
        (r.device, r.state, r.allocated_ns, r.released_ns, r.lifetime_ns, r.bytes, r.name, r.address) for r in found.rows
    ] == [
        ("cuda:0", "held", 5_000, None, None, 100, "aten::mm", "0x1"),
        ("cuda:0", "released", 8_000, 25_000, 17_000, 50, "aten::mm", "0x2"),
        ("cuda:0", "held", 23_000, None, None, 400, "aten::add", "0x3"),
        ("cpu", "held", 36_000, None, None, 8, None, "0x4"),
        ("cuda:0", "earlier", None, 15_000, None, 300, None, "0x9"),
    ]


def test_filters_of_the_list() -> None:
    def sizes(**params: object) -> list[int]:
        return [row.bytes for row in allocations(TRAIN, AllocationsParams(**params)).rows]  # type: ignore[arg-type]

    assert sizes(q="MM$") == [100, 50]
    assert sizes(min_bytes=100, sort="bytes") == [100, 300, 400]
    assert sizes(only="held") == [100, 400, 8]
    assert sizes(only="earlier") == [300]
    assert sizes(device="cpu") == [8]
    assert sizes(t0_ns=8_000, t1_ns=24_000) == [50, 400, 300]
    assert sizes(inside="aten::add") == [400]
    assert sizes(alive=True, at_ns=9_000) == [100, 50, 300]
    assert allocations(TRAIN, AllocationsParams(q="mm")).total.count == 5
    with pytest.raises(UsageError, match="regular expression"):
        sizes(q="(")


def test_what_has_no_value_comes_last_both_ways() -> None:
    for descending in (False, True):
        rows = allocations(TRAIN, AllocationsParams(sort="name", descending=descending)).rows
        assert [row.name for row in rows][-2:] == [None, None]
        rows = allocations(TRAIN, AllocationsParams(sort="released_ns", descending=descending)).rows
        assert [row.released_ns for row in rows][2:] == [None] * 3


changes = st.lists(
    st.tuples(st.integers(0, 60), st.sampled_from([-64, -8, 8, 64, 512]), st.integers(1, 5), st.sampled_from([CPU, CUDA])),
    min_size=1,
    max_size=40,
).map(lambda rows: [Change(at, size, address, None, device) for at, size, address, device in sorted(rows)])
columns = st.sampled_from(["allocated_ns", "released_ns", "lifetime_ns", "bytes", "name", "device", "address"])


@given(changes, columns, st.booleans(), st.integers(0, 20), st.integers(1, 9))
def test_windows_are_slices_of_the_sorted_list(
    rows: list[Change], column: str, descending: bool, offset: int, limit: int
) -> None:
    trace = trace_of([Operator("aten::mm", 0, 20), Operator("aten::add", 30, 50)], rows)
    every = [*_naive(trace, (0, -1), "cpu"), *_naive(trace, (1, 0), "cuda:0")]
    given_rows = allocations(trace, AllocationsParams(sort=column, descending=descending)).rows  # type: ignore[arg-type]
    assert {(r.row, r.allocated_ns, r.released_ns, r.bytes, r.device) for r in given_rows} == set(every)
    if column not in ("device", "address"):
        values = [getattr(row, column) for row in given_rows]
        known = [value for value in values if value is not None]
        assert known == sorted(known, reverse=descending)
        assert values[len(known) :] == [None] * (len(values) - len(known))
    params = AllocationsParams(sort=column, descending=descending, offset=offset, limit=limit)  # type: ignore[arg-type]
    assert allocations(trace, params).rows == given_rows[offset : offset + limit]


def _naive(trace: Trace, device: tuple[int, int], name: str) -> list[tuple[int, int | None, int | None, int, str]]:
    """(row, allocated, released, bytes, device) of each block of a device."""
    open_blocks: dict[int, naive.Event] = {}
    found: list[tuple[int, int | None, int | None, int, str]] = []
    for event in naive.events_of(trace, device):
        before = open_blocks.pop(event.address, None)
        if before is not None:
            found.append((before.row, before.time_ns, event.time_ns, before.bytes, name))
        elif event.bytes < 0:
            found.append((event.row, None, event.time_ns, -event.bytes, name))
        if event.bytes > 0:
            open_blocks[event.address] = event
    return [*found, *((event.row, event.time_ns, None, event.bytes, name) for event in open_blocks.values())]


def test_csv_is_the_same_list_in_base_units() -> None:
    text = csv_text(outline.table(allocations(TRAIN, AllocationsParams(sort="bytes", descending=True))))
    rows = list(csv.DictReader(io.StringIO(text)))
    assert tuple(rows[0]) == MemoryAllocation.__struct_fields__
    assert [row["bytes"] for row in rows] == ["400", "300", "100", "50", "8"]
    assert (rows[1]["allocated_ns"], rows[1]["state"]) == ("", "earlier")


def test_without_addresses_each_event_is_a_row() -> None:
    trace = trace_of([], [Change(1, 100, None), Change(2, -100, None)])
    found = allocations(trace, AllocationsParams())
    assert not found.has_addresses
    assert [(row.state, row.allocated_ns, row.released_ns, row.address) for row in found.rows] == [
        ("unknown", 0, None, None),
        ("unknown", None, 1_000, None),
    ]
    assert allocations(trace, AllocationsParams(alive=True)).rows == []
