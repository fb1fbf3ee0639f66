from __future__ import annotations

import pytest

from tb_plugin.base.errors import NotFoundError
from tb_plugin.views.memory import VIEW
from tb_plugin.views.memory.allocations import allocations
from tb_plugin.views.memory.allocations_result import AllocationsParams
from tb_plugin.views.memory.result import MemoryCount, MemoryParams
from tests.trace_text import trace_from_text
from tests.views.memory.drawing import CPU, HIP, Change, Operator, trace_of

# 1000 bytes are there before the recording: 300 at address 9, which goes in it, and 700 which nobody mentions.
TRAIN = trace_of(
    [Operator("aten::mm", 0, 10), Operator("aten::add", 20, 30), Operator("aten::empty", 22, 24)],
    [
        Change(5, 100, 1, (1100, 4000)),
        Change(8, 50, 2, (1150, 4000)),
        Change(15, -300, 9, (850, 4000)),
        Change(23, 400, 3, (1250, 5000)),
        Change(25, -50, 2, (1200, 5000)),
        Change(35, -400, 3, (800, 5000)),
        Change(36, 8, 4, (8, 0), CPU),
    ],
    capacity=10_000,
)


def test_the_accelerator_is_shown_first_and_every_device_is_listed() -> None:
    result = VIEW.main.answer(TRAIN, MemoryParams())
    assert result.device == "cuda:0"
    assert [(d.id, d.title, d.n_events) for d in result.devices] == [("cpu", "CPU", 1), ("cuda:0", "CUDA 0", 6)]
    cpu, cuda = result.devices
    assert (cuda.peak_allocated_bytes, cuda.peak_ns, cuda.peak_reserved_bytes, cuda.peak_reserved_ns) == (
        1250,
        23_000,
        5000,
        23_000,
    )
    assert (cuda.capacity_bytes, cpu.capacity_bytes) == (10_000, None)
    assert (cpu.peak_allocated_bytes, cpu.peak_reserved_bytes) == (8, None)


def test_what_is_alive_at_the_peak_adds_up_to_it() -> None:
    held = VIEW.main.answer(TRAIN, MemoryParams()).held
    assert (held.time_ns, held.is_peak, held.allocated_bytes, held.fragmentation_bytes) == (23_000, True, 1250, 3750)
    assert held.known == MemoryCount(count=3, bytes=550)
    assert held.earlier == MemoryCount(count=0, bytes=0)
    assert held.rest_bytes == 700
    blocks = allocations(TRAIN, AllocationsParams(alive=True, sort="bytes", descending=True)).rows
    assert [(b.name, b.via, b.bytes, b.allocated_ns, b.lifetime_ns) for b in blocks] == [
        ("aten::add", "aten::empty", 400, 23_000, 12_000),
        ("aten::mm", None, 100, 5_000, None),
        ("aten::mm", None, 50, 8_000, 17_000),
    ]


def test_blocks_from_before_the_recording_are_known_by_their_release() -> None:
    held = VIEW.main.answer(TRAIN, MemoryParams(at_ns=9_000)).held
    assert (held.is_peak, held.time_ns, held.allocated_bytes) == (False, 9_000, 1150)
    assert held.known == MemoryCount(count=2, bytes=150)
    assert held.earlier == MemoryCount(count=1, bytes=300)
    assert held.rest_bytes == 700


def test_operators_add_up_to_the_events_of_the_range() -> None:
    result = VIEW.main.answer(TRAIN, MemoryParams())
    found = {
        (row.name, row.via): (row.allocations, row.allocated_bytes, row.releases, row.released_bytes, row.alive_bytes)
        for row in result.groups
    }
    assert found == {
        ("aten::add", "aten::empty"): (1, 400, 0, 0, 400),
        ("aten::mm", None): (2, 150, 0, 0, 150),
        ("aten::add", None): (0, 0, 1, 50, 0),
        (None, None): (0, 0, 2, 700, 0),
    }
    assert result.allocations == MemoryCount(count=3, bytes=550)
    assert result.releases == MemoryCount(count=3, bytes=750)
    assert result.releases_of_earlier == MemoryCount(count=1, bytes=300)
    assert result.never_released == MemoryCount(count=1, bytes=100)
    assert {(row.name, row.via): (row.largest_bytes, row.never_released, row.never_released_bytes) for row in result.groups} == {
        ("aten::add", "aten::empty"): (400, 0, 0),
        ("aten::mm", None): (100, 1, 100),
        ("aten::add", None): (None, 0, 0),
        (None, None): (None, 0, 0),
    }


def test_fragmentation_is_largest_where_reserved_and_allocated_differ_most() -> None:
    cuda = VIEW.main.answer(TRAIN, MemoryParams()).devices[1]
    assert (cuda.peak_fragmentation_bytes, cuda.peak_fragmentation_ns) == (4200, 35_000)
    first = VIEW.main.answer(TRAIN, MemoryParams(t0_ns=0, t1_ns=10_000)).devices[1]
    assert (first.peak_fragmentation_bytes, first.peak_fragmentation_ns) == (2900, 5_000)


def test_groups_that_are_not_listed_are_summed() -> None:
    every = VIEW.main.answer(TRAIN, MemoryParams())
    some = VIEW.main.answer(TRAIN, MemoryParams(top=1))
    assert (len(some.groups), some.n_groups, every.others) == (1, 4, None)
    assert some.others is not None
    for name in ("allocations", "allocated_bytes", "releases", "released_bytes", "never_released_bytes", "alive", "alive_bytes"):
        assert getattr(some.groups[0], name) + getattr(some.others, name) == sum(getattr(row, name) for row in every.groups)
    assert some.others.largest_bytes == 100


def test_filters_say_which_allocations_count_and_not_what_is_alive() -> None:
    result = VIEW.main.answer(TRAIN, MemoryParams(inside="^aten::mm$"))
    assert (result.allocations, result.releases.count) == (MemoryCount(count=2, bytes=150), 0)
    assert result.held == VIEW.main.answer(TRAIN, MemoryParams()).held


def test_the_range_of_chosen_steps() -> None:
    steps = [Operator("ProfilerStep#1", 0, 12), Operator("ProfilerStep#2", 12, 40)]
    trace = trace_of(steps, [Change(5, 100, 1, (100, 100)), Change(15, 20, 2, (120, 120)), Change(50, 5, 3, (125, 125))])
    result = VIEW.main.answer(trace, MemoryParams(steps="2"))
    assert (result.start_ns, result.end_ns, result.allocations) == (12_000, 40_000, MemoryCount(count=1, bytes=20))


def test_a_range_counts_its_own_events_only() -> None:
    result = VIEW.main.answer(TRAIN, MemoryParams(t0_ns=10_000, t1_ns=25_000))
    assert (result.allocations.count, result.releases.count) == (1, 1)
    assert (result.curve.time_ns[0], result.curve.time_ns[-1]) == (10_000, 25_000)
    assert result.curve.allocated_bytes == [1150, 850, 1250, 1250]
    # aten::mm did nothing in the range, and still holds memory at its peak.
    (mm,) = [row for row in result.groups if row.name == "aten::mm"]
    assert (mm.allocations, mm.alive, mm.alive_bytes) == (0, 2, 150)


def test_a_peak_before_the_range_is_its_start() -> None:
    result = VIEW.main.answer(TRAIN, MemoryParams(t0_ns=10_000, t1_ns=14_000))
    cuda = result.devices[1]
    assert (cuda.peak_allocated_bytes, cuda.peak_ns) == (1150, 10_000)
    assert result.held.allocated_bytes == 1150


def test_the_recording_may_begin_at_the_peak() -> None:
    trace = trace_of([Operator("aten::mm", 0, 10)], [Change(5, -100, 1, (900, 2000))])
    result = VIEW.main.answer(trace, MemoryParams())
    assert (result.held.allocated_bytes, result.held.row, result.held.earlier) == (1000, None, MemoryCount(count=1, bytes=100))
    assert result.held.rest_bytes == 900
    assert result.curve.allocated_bytes == [1000, 900, 900]


def test_a_wish_for_another_device_is_answered_or_refused_in_words() -> None:
    assert VIEW.main.answer(TRAIN, MemoryParams(device="cpu")).held.allocated_bytes == 8
    for device in ("cuda:7", "nope"):
        with pytest.raises(NotFoundError, match=f"device={device}: this profile has memory events of .*cuda:0"):
            VIEW.main.answer(TRAIN, MemoryParams(device=device))


@pytest.mark.parametrize(
    ("device", "title"), [(HIP, "HIP 0"), ((12, 3), "XPU 3"), ((20, 0), "PrivateUse1 0"), ((77, 0), "device type 77 0")]
)
def test_devices_of_any_vendor_have_a_name(device: tuple[int, int], title: str) -> None:
    trace = trace_of([Operator("aten::mm", 0, 10)], [Change(5, 100, 1, (100, 200), device)])
    result = VIEW.main.answer(trace, MemoryParams())
    assert [each.title for each in result.devices] == [title]
    assert VIEW.main.answer(trace, MemoryParams(device=result.device)).notes == []


def test_a_file_without_totals_gets_a_running_sum_that_is_never_negative() -> None:
    changes = [Change(1, 100, None), Change(2, -300, None), Change(3, 50, None)]
    result = VIEW.main.answer(trace_of([Operator("aten::mm", 0, 10)], changes), MemoryParams())
    assert result.totals == "summed"
    assert result.curve.allocated_bytes == [200, 300, 0, 50, 50]
    assert (result.curve.reserved_bytes, result.held.fragmentation_bytes) == (None, None)
    assert (result.held.known, result.held.earlier, result.held.rest_bytes) == (None, None, None)
    assert [row.alive_bytes for row in result.groups] == [None]
    assert any("no totals (torch before 1.10 writes none)" in note for note in result.notes)
    assert any("no addresses" in note for note in result.notes)
    (device,) = result.devices
    assert (device.no_reserved, device.no_addresses) == ("The file has no totals.", "The file has no addresses.")


def test_a_file_some_of_whose_events_have_no_total_is_not_taken_for_an_old_one() -> None:
    changes = [Change(1, 100, None, (100, 500)), Change(2, 300, None)]
    (note, _) = VIEW.main.answer(trace_of([Operator("aten::mm", 0, 10)], changes), MemoryParams()).notes
    assert note.startswith("Not every allocation of this file has a total: the curve is the sum")


def test_a_device_says_why_a_figure_of_it_is_not_known() -> None:
    trace = trace_of([], [Change(1, 100, 1, (100, 500)), Change(2, 50, 2, (50, 0), (0, -1))])
    found = {each.id: each for each in VIEW.main.answer(trace, MemoryParams()).devices}
    assert found["cpu"].no_reserved == "This allocator does not report a reserve."
    assert [each.no_addresses for each in found.values()] == [None, None]
    assert all(each.no_reserved is None for each in found.values() if each.peak_reserved_bytes is not None)
    assert all((each.no_capacity is None) == (each.capacity_bytes is not None) for each in found.values())


def test_an_address_used_again_is_another_block() -> None:
    changes = [Change(1, 100, 1, (100, 500)), Change(2, -100, 1, (0, 500)), Change(3, 60, 1, (60, 500))]
    blocks = allocations(trace_of([], changes), AllocationsParams(alive=True, at_ns=3_000)).rows
    assert [(b.bytes, b.name, b.released_ns) for b in blocks] == [(60, None, None)]


def test_an_allocation_on_another_thread_has_that_threads_operator() -> None:
    operators = [Operator("aten::mm", 0, 10, thread=1), Operator("backward", 0, 10, thread=2)]
    trace = trace_of(operators, [Change(5, 100, 1, (100, 100), thread=2)])
    assert [row.name for row in VIEW.main.answer(trace, MemoryParams()).groups] == ["backward"]


def test_a_profile_without_memory_says_how_to_record_it() -> None:
    trace = trace_from_text("thread 1 | aten::mm 0-10")
    assert "profile_memory=True" in (VIEW.main.missing(trace) or "")
    result = VIEW.main.answer(trace, MemoryParams())
    assert (result.devices, result.groups, result.curve.time_ns) == ([], [], [])
    assert VIEW.main.missing(TRAIN) is None


def test_text_and_csv_have_every_operator() -> None:
    result = VIEW.main.answer(TRAIN, MemoryParams())
    text = VIEW.main.text(result)
    assert "aten::add (via aten::empty)" in text
    assert "not attributed" in text
    table = VIEW.main.table(result)
    assert len(table.rows) == len(result.groups)
    assert {len(row) for row in table.rows} == {len(table.columns)}
    assert "no addresses" in VIEW.main.text(VIEW.main.answer(trace_of([], [Change(1, 5, None)]), MemoryParams()))
