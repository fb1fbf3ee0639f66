"""An area of the timeline holds what overlaps it, counted with what lies inside."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter, defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tb_plugin.base.errors import UsageError
from tb_plugin.trace.kinds import DEVICE_KINDS, Kind
from tb_plugin.trace.track_names import track_name
from tb_plugin.views.timeline.area import NAMING, ON_STREAMS
from tb_plugin.views.timeline.compute import area, window
from tb_plugin.views.timeline.own import NO_WORK
from tb_plugin.views.timeline.result import AreaDevice, AreaParams, AreaTrack, TimelineArea, WindowParams
from tb_plugin.views.timeline.text import area_table
from tests.profiles import SAMPLES, over, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace
    from tb_plugin.views.timeline.result import AreaGroup

TRACE = trace_from_text(
    """
    thread 1 | aten::linear 10-40 | aten::addmm 15-35 | aten::relu 50-60 | aten::relu 70-90
    stream 7 | gemm 30-55 <- aten::addmm | relu_kernel 60-65 <- aten::relu | relu_kernel 90-95 <- aten::relu
    """
)


def _ask(t0_us: float, t1_us: float, tracks: str | None = None, trace: Trace = TRACE) -> TimelineArea:
    return area(trace, AreaParams(t0_ns=int(t0_us * 1000), t1_ns=int(t1_us * 1000), tracks=tracks))


def _drawn(result: TimelineArea) -> dict[str, tuple[int, float, float]]:
    return {row.name or "": (row.count, row.time_ns / 1000, (row.self_ns or 0) / 1000) for row in result.rows}


def test_only_what_lies_inside_counts() -> None:
    first = TRACE.info.start_ns / 1000
    found = _drawn(_ask(first + 10, first + 45, "0"))
    del found["cudaLaunchKernel"]  # without length
    assert found == {"aten::linear": (1, 20, 5), "aten::addmm": (1, 15, 15), "aten::relu": (1, 5, 5)}


def test_an_empty_area_is_an_error_of_the_asker() -> None:
    with pytest.raises(UsageError, match="ends after"):
        _ask(10, 10)


def test_a_place_without_events_holds_nothing() -> None:
    assert _ask(10**6, 10**6 + 1).rows == []


def _naive(trace: Trace, t0: int, t1: int, tracks: set[int]) -> dict[tuple[str, int], list[int]]:
    events = trace.events
    sums: dict[tuple[str, int], list[int]] = defaultdict(lambda: [0, 0])
    for row in range(len(events)):
        start, end = int(events.start_ns[row]), int(events.end_ns[row])
        if int(events.track[row]) in tracks and start < t1 and (end > t0 or start == end == t0):
            entry = sums[trace.text(int(events.name_id[row])), int(events.kind[row])]
            entry[0] += 1
            entry[1] += min(end, t1) - max(start, t0)
    return sums


def test_a_call_in_a_call_of_the_same_name_counts_once() -> None:
    """The area begins in both: what lies in it is one stretch of time."""
    nested = trace_from_text(
        """
        thread 1 | aten::to 0-100 | aten::to 10-90 | aten::copy_ 20-40 | aten::to 50-60 | aten::to 120-130
        thread 2 | aten::to 0-50
        """
    )
    some, all_of_it = _drawn(_ask(30, 125, "0", nested)), _drawn(_ask(0, 130, None, nested))
    assert [some[name] for name in ("aten::to", "aten::copy_")] == [(4, 75, 65), (1, 10, 10)]
    assert all_of_it["aten::to"][1] == 110 + 50  # threads are side by side
    whole = area(nested, AreaParams(t0_ns=0, t1_ns=130_000, group_by="category"))
    assert {row.name: row.time_ns for row in whole.rows} == {"copy": 160_000}


@settings(max_examples=50)
@given(st.integers(-5_000, 100_000), st.integers(1, 110_000), st.sampled_from(["0", "1", "0,1"]))
def test_counts_and_times_equal_a_walk(t0: int, length: int, tracks: str) -> None:
    t0 += TRACE.info.start_ns
    found = area(TRACE, AreaParams(t0_ns=t0, t1_ns=t0 + length, tracks=tracks))
    naive = _naive(TRACE, t0, t0 + length, set(map(int, tracks.split(","))))
    assert sorted((r.name, r.count, r.time_ns) for r in found.rows) == sorted((n, c, t) for (n, _), (c, t) in naive.items())


MODULES = trace_from_text(
    """
    thread 1 | ProfilerStep#3 0-100 | nn.Module: Net_0 5-90 | nn.Module: Linear_0 10-50 | aten::mm 20-40
    thread 1 | ProfilerStep#4 100-190 | aten::relu 110-120
    stream 7 | gemm_a 120-150 <- aten::mm | relu_kernel 150-155 <- aten::relu | <ProfilerStep#3> 118-180
    """
)


def _by(group_by: AreaGroup, trace: Trace = MODULES) -> TimelineArea:
    return area(trace, AreaParams(t0_ns=trace.info.start_ns, t1_ns=trace.info.end_ns, group_by=group_by))


def test_a_row_is_a_module_a_step_or_a_category_and_device_work_follows_its_launch() -> None:
    module = {(row.name, row.on_device): (row.self_ns or 0) / 1000 for row in _by("module").rows}
    # mm itself and its kernel are of the inner module; the outer one has what is left of its own call.
    assert module["Net_0/Linear_0", False] == 20 + 20
    assert module["Net_0/Linear_0", True] == 30
    assert module["Net_0", False] == 85 - 40
    by_class = {(row.name, row.on_device): (row.self_ns or 0) / 1000 for row in _by("class").rows}
    assert by_class["Linear", True] == 30
    assert by_class["Net", False] == 85 - 40
    step = {(row.name, row.on_device): (row.self_ns or 0) / 1000 for row in _by("step").rows}
    assert (step["ProfilerStep#4", False], step["ProfilerStep#4", True]) == (90, 5)
    category = {row.name: row for row in _by("category").rows}
    assert (category["matmul"].self_ns, category["matmul"].kind) == (30_000, None)
    assert category["operator"].self_ns == 30_000


def test_modules_of_one_class_are_one_row_wherever_they_are() -> None:
    twice = trace_from_text(
        """
        thread 1 | nn.Module: Net_0 0-90 | nn.Module: Linear_0 10-30 | nn.Module: Linear_1 40-70 | aten::relu 95-99
        """
    )
    assert [(row.name, row.count, row.self_ns) for row in _by("class", twice).rows] == [
        ("Linear", 2, 50_000),
        ("Net", 1, 40_000),
        (None, 1, 4_000),
    ]


@pytest.mark.parametrize("group_by", ["module", "class"])
def test_a_step_over_the_work_of_a_device_is_not_among_what_runs_in_no_module(group_by: AreaGroup) -> None:
    trace = trace_from_text("""
        thread 1 | ProfilerStep#1 0-90 | aten::mm 0-5
        stream 7 | <ProfilerStep#1> 10-90 | gemm 10-40
    """)
    of_device = [(row.name, row.count, row.time_ns, row.self_ns) for row in _by(group_by, trace).rows if row.on_device]
    assert of_device == [(None, 1, 30_000, 30_000), (NAMING, 1, 80_000, None)]


@over(SAMPLES + real("h100_bert_small", "a100_nccl"))
def test_groups_share_out_the_same_events_and_self_time(path: Path) -> None:
    trace = trace_of(path)
    by_name = _by("name", trace)
    naming = sum(row.count for row in by_name.rows if row.self_ns is None)
    for group_by in ("category", "module", "class", "step"):
        found = _by(group_by, trace)
        assert (found.count, found.devices, found.tracks) == (by_name.count, by_name.devices, by_name.tracks)
        assert (found.host_self_ns, found.device_self_ns) == (by_name.host_self_ns, by_name.device_self_ns)
        assert sum(row.count for row in found.rows) == found.count
        for on_device, self_ns in ((True, found.device_self_ns), (False, found.host_self_ns)):
            assert sum(row.self_ns or 0 for row in found.rows if row.on_device == on_device) == self_ns
        assert len({(row.name, row.on_device) for row in found.rows}) == len(found.rows) == found.n_names
        # What names others is never a group's time: a group of nothing else has none.
        assert sum(row.count for row in found.rows if row.self_ns is None) <= naming


_LEVELS: tuple[AreaGroup, ...] = ("name", "category", "module", "class", "step")


@over(SAMPLES + real("h100_bert_small"))
def test_rows_of_the_second_level_add_up_to_their_row_and_shares_to_all(path: Path) -> None:
    trace = trace_of(path)
    length = trace.info.end_ns - trace.info.start_ns
    ask = AreaParams(t0_ns=trace.info.start_ns + length // 3, t1_ns=trace.info.start_ns + 2 * length // 3, top=20000)
    for group_by, then_by in itertools.permutations(_LEVELS, 2):
        ask = msgspec.structs.replace(ask, group_by=group_by, then_by=None, of_row=None)
        whole = area(trace, ask)
        for side, self_ns in ((False, whole.host_self_ns), (True, whole.device_self_ns)):
            shares = [row.share or 0 for row in whole.rows if row.on_device == side]
            assert sum(shares) == pytest.approx(1 if self_ns else 0)
        for row in whole.rows[:3] + whole.rows[-2:]:
            assert row.mean_ns * row.count == pytest.approx(row.time_ns)
            found = area(trace, msgspec.structs.replace(ask, then_by=then_by, of_row=row.longest.row))
            assert sum(each.count for each in found.rows) == row.count
            assert sum(each.self_ns or 0 for each in found.rows) == (row.self_ns or 0)
            assert sum(each.share or 0 for each in found.rows) == pytest.approx(row.share or 0)
            assert {each.on_device for each in found.rows} == {row.on_device}
            assert len({(each.name, each.kind) for each in found.rows}) == len(found.rows) == found.n_names
            assert (found.count, found.host_self_ns) == (whole.count, whole.host_self_ns)  # of the area, opened or not


@over(SAMPLES + real("h100_bert_small"))
def test_the_names_in_a_step_are_those_of_its_events_one_by_one(path: Path) -> None:
    trace = trace_of(path)
    events = trace.events
    for row in _by("step", trace).rows:
        like = row.longest.row
        ask = AreaParams(
            t0_ns=trace.info.start_ns, t1_ns=trace.info.end_ns, group_by="step", then_by="name", of_row=like, top=20000
        )
        found = area(trace, ask).rows
        naive = Counter(
            (trace.text(int(events.name_id[each])), Kind(int(events.kind[each])).name.lower())
            for each in np.flatnonzero(
                (events.step == events.step[like]) & (events.start_ns < ask.t1_ns) & (events.end_ns >= ask.t0_ns)
            ).tolist()
            if (Kind(int(events.kind[each])) in ON_STREAMS) == row.on_device
        )
        assert {(each.name, each.kind): each.count for each in found} == naive


def test_the_names_in_a_module_are_those_of_a_walk() -> None:
    t0, t1 = MODULES.info.start_ns, MODULES.info.end_ns
    row = next(row for row in _by("module").rows if row.name == "Net_0/Linear_0" and not row.on_device)
    ask = AreaParams(t0_ns=t0, t1_ns=t1, group_by="module", then_by="name", of_row=row.longest.row)
    found = {each.name: (each.count, each.time_ns, each.mean_ns, each.self_ns) for each in area(MODULES, ask).rows}
    assert found.pop("cudaLaunchKernel")[0] == 1
    assert found == {"nn.Module: Linear_0": (1, 40_000, 40_000, 20_000), "aten::mm": (1, 20_000, 20_000, 20_000)}


@pytest.mark.parametrize(("then_by", "of_row"), [("name", None), (None, 0), ("name", -1), ("name", 10**6)])
def test_a_second_level_is_of_a_row_that_is_there(then_by: AreaGroup | None, of_row: int | None) -> None:
    with pytest.raises(UsageError, match="of_row"):
        area(TRACE, AreaParams(t0_ns=0, t1_ns=9, then_by=then_by, of_row=of_row))


def _naive_self(trace: Trace, t0: int, t1: int, track: int) -> dict[tuple[str, int], int]:
    """Time of what began last among the open events, change by change."""
    events = trace.events
    rows = [
        row
        for row in np.flatnonzero(events.track == track).tolist()
        if events.kind[row] not in NO_WORK and events.start_ns[row] < t1 and events.end_ns[row] > t0
    ]
    changes = sorted({t0, t1, *(min(max(int(time[row]), t0), t1) for row in rows for time in (events.start_ns, events.end_ns))})
    sums: dict[tuple[str, int], int] = defaultdict(int)
    is_open: list[int] = []
    waiting = rows[::-1]
    for now, then in pairwise(changes):
        while waiting and events.start_ns[waiting[-1]] <= now:
            is_open.append(waiting.pop())
        is_open = [row for row in is_open if events.end_ns[row] > now]
        if is_open:
            sums[trace.text(int(events.name_id[is_open[-1]])), int(events.kind[is_open[-1]])] += then - now
    return {key: ns for key, ns in sums.items() if ns}


# Of files with rounded times a child may end after its parent: there the walk differs by as much.
@over(SAMPLES + real("h100_bert_small", "h100_owlv2", "mi300_resnet_ddp_checkpoint"))
def test_self_times_are_those_of_what_began_last_and_no_time_counts_twice(path: Path) -> None:
    trace = trace_of(path)
    middle = (trace.info.start_ns + trace.info.end_ns) // 2
    t0, t1 = middle - 3_000_000, middle + 3_000_000
    for track in np.unique(trace.events.track).tolist():
        found = area(trace, AreaParams(t0_ns=t0, t1_ns=t1, tracks=str(track)))
        assert found.n_names == len(_naive(trace, t0, t1, {track}))
        own = {(row.name, Kind[(row.kind or "").upper()]): row.self_ns for row in found.rows if row.self_ns}
        assert own == _naive_self(trace, t0, t1, track)
        assert sum(own.values()) == found.host_self_ns + found.device_self_ns == sum(each.self_ns for each in found.tracks)
        assert all(each.idle_ns is not None and 0 <= each.idle_ns == t1 - t0 - each.self_ns for each in found.tracks)
        assert all(0 <= (row.self_ns or 0) <= row.time_ns for row in found.rows)


@over(SAMPLES + real("h100_owlv2", "a100_2ranks_rank0", "v100_ns_resolution", "mi300_sglang_decode"))
def test_a_device_is_busy_while_any_of_its_streams_works(path: Path) -> None:
    trace = trace_of(path)
    events = trace.events
    middle = (trace.info.start_ns + trace.info.end_ns) // 2
    t0, t1 = middle - 300_000, middle + 300_000
    found = area(trace, AreaParams(t0_ns=t0, t1_ns=t1))
    busy: dict[int, set[int]] = defaultdict(set)
    for row in np.flatnonzero(np.isin(events.kind, DEVICE_KINDS) & (events.start_ns < t1) & (events.end_ns > t0)).tolist():
        device = int(trace.tracks.device[events.track[row]])
        busy[device].update(range(max(int(events.start_ns[row]), t0), min(int(events.end_ns[row]), t1)))
    works = set(
        trace.tracks.device[events.track[np.isin(events.kind, DEVICE_KINDS)]].tolist()
    )  # one that is idle here is told of
    assert {each.device: each.busy_ns for each in found.devices} == {device: len(busy[device]) for device in works if device >= 0}
    assert all(each.gaps_ns == t1 - t0 - each.busy_ns for each in found.devices)
    assert all(0 <= each.self_ns <= t1 - t0 for each in found.tracks)  # also where times are rounded


def test_an_area_in_which_a_device_does_nothing_is_a_gap() -> None:
    before = area(TRACE, AreaParams(t0_ns=TRACE.info.start_ns - 9_000, t1_ns=TRACE.info.start_ns - 1_000))
    assert [(each.busy_ns, each.gaps_ns) for each in before.devices] == [(0, 8_000)]


def test_what_other_streams_of_a_device_do_is_no_gap_of_it() -> None:
    trace = trace_from_text("""
        stream 7          | gemm 0-40
        stream 40         | ncclDevKernel 30-50
        device 1 stream 7 | gemm 0-10
    """)
    first = trace.info.start_ns / 1000
    names = {track_name(trace, track): track for track in range(len(trace.tracks))}
    found = _ask(first, first + 100, str(names["stream 40"]), trace)
    assert found.devices == [
        AreaDevice(device=0, busy_ns=50_000, gaps_ns=50_000, n_streams=2, area_streams=["stream 40"], area_busy_ns=20_000)
    ]
    assert found.device_self_ns == 20_000


def test_a_step_on_a_thread_is_not_ranked_with_the_kernels_of_a_device() -> None:
    found = _ask(0, 200, None, MODULES)
    sides = [row.on_device for row in found.rows]
    assert sides == sorted(sides, reverse=True)
    of_device = [(row.name, row.self_ns) for row in found.rows if row.on_device]
    assert of_device == [("gemm_a", 30_000), ("relu_kernel", 5_000), ("ProfilerStep#3", None)]
    assert (found.device_self_ns, found.host_self_ns) == (35_000, 190_000)


@pytest.mark.parametrize("kind", [Kind.DEVICE_ANNOTATION, Kind.SYNC])
def test_a_named_range_and_a_wait_on_a_stream_have_no_time_of_their_own(kind: Kind) -> None:
    """As the projection of `ProfilerStep#` on a device, which is as long as all its kernels; a wait lies beside copies."""
    trace = trace_from_text("""
        thread 1 | ProfilerStep#1 0-90
        stream 7 | gemm 10-40 | other 35-60
    """)
    events = trace.events
    kinds = events.kind.copy()
    kinds[[trace.text(n) == "other" for n in events.name_id.tolist()]] = kind
    trace = dataclasses.replace(trace, events=dataclasses.replace(events, kind=kinds))
    found = _ask(20, 70, "1", trace)
    assert [(row.name, row.self_ns) for row in found.rows] == [("gemm", 20_000), ("other", None)]
    assert found.tracks == [AreaTrack(id=1, name="stream 7", count=2, self_ns=20_000, idle_ns=30_000)]
    assert found.devices == [
        AreaDevice(device=0, busy_ns=20_000, gaps_ns=30_000, n_streams=1, area_streams=["stream 7"], area_busy_ns=20_000)
    ]
    assert found.device_self_ns == 20_000


@pytest.mark.parametrize(("tracks", "ids"), [("0-1", [0, 1]), ("1, 0-0,1", [0, 1]), ("1-99", [1]), ("", []), (None, [0, 1])])
def test_a_window_and_an_area_read_the_asked_tracks_alike(tracks: str | None, ids: list[int]) -> None:
    first, last = TRACE.info.start_ns, TRACE.info.end_ns + 1
    drawn = window(TRACE, WindowParams(t0_ns=first, t1_ns=last, width_px=100, tracks=tracks)).header["lane_track"]
    assert sorted(set(drawn)) == ids
    inside = area(TRACE, AreaParams(t0_ns=first, t1_ns=last, tracks=tracks)).count
    assert inside == np.isin(TRACE.events.track, ids).sum()


@pytest.mark.parametrize("tracks", ["x", "1;2", "9" * 30])
def test_what_names_no_track_is_an_error_of_the_asker_in_both(tracks: str) -> None:
    with pytest.raises(UsageError, match="tracks: "):
        window(TRACE, WindowParams(t0_ns=0, t1_ns=9, width_px=9, tracks=tracks))
    with pytest.raises(UsageError, match="tracks: "):
        area(TRACE, AreaParams(t0_ns=0, t1_ns=9, tracks=tracks))


def test_the_table_of_an_area_has_its_rows_not_its_devices() -> None:
    found = area(TRACE, AreaParams(t0_ns=TRACE.info.start_ns, t1_ns=TRACE.info.end_ns))
    table = area_table(found)
    assert [row[0] for row in table.rows] == [row.name for row in found.rows]
    assert table.rows[0][table.columns.index("longest")] == found.rows[0].longest.row
