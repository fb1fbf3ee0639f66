"""The timeline shows every event, names what it links, and finds what is searched."""

from __future__ import annotations

import dataclasses
import itertools
import json
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.base.errors import NotFoundError, UsageError
from tb_plugin.base.units import NONE
from tb_plugin.question.question import NoParams
from tb_plugin.trace.kinds import HOST_KINDS, Kind
from tb_plugin.trace.scope.selection import Selection, selected
from tb_plugin.views.timeline import compute, details, index
from tb_plugin.views.timeline.result import EventParams, SearchParams, WindowParams
from tests.profiles import SAMPLES, over, real, sample, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace

STEP = """
    thread 1 | ProfilerStep#1 0-100 | aten::linear 5-40 | aten::addmm 10-30 | aten::relu 50-60
    thread 2 | autograd 20-90
    stream 7 | gemm_a 35-70 <- aten::addmm
    stream 7 | relu_kernel 70-80 <- aten::relu
"""


def _decode(body: bytes) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """As a page reads it."""
    size = int.from_bytes(body[:4], "little")
    assert (4 + size) % 8 == 0
    header = json.loads(body[4 : 4 + size])
    columns = {}
    for name, place in header["columns"].items():
        column = np.frombuffer(body, np.dtype(place["dtype"]), place["length"], 4 + size + place["offset"])
        columns[name] = np.cumsum(column, dtype=np.int32) if place.get("delta") else column
    return header, columns


def _row(trace: Trace, name: str) -> int:
    return next(r for r in range(len(trace.events)) if trace.text(trace.events.name_id[r]) == name)


def _check_window(trace: Trace, t0: int, t1: int, width: int) -> None:
    """Every event of the window is covered by a block of its lane, and in no lane do blocks overlap."""
    header, columns = _decode(compute.window(trace, WindowParams(t0_ns=t0, t1_ns=t1, width_px=width)).encode())
    unit, events = header["unit_ns"], trace.events
    start = columns["start"].astype(np.int64) * unit + t0
    end = start + columns["width"].astype(np.int64) * unit
    assert sum(header["lane_blocks"]) == len(start)
    lane_of_block = np.repeat(np.arange(len(header["lane_blocks"])), header["lane_blocks"])
    same_lane = lane_of_block[1:] == lane_of_block[:-1]
    assert (start[1:] >= end[:-1] - 2 * unit)[same_lane].all()
    track_of_block = np.array(header["lane_track"])[lane_of_block]
    for track in range(len(trace.tracks)):
        inside = (events.track == track) & (events.end_ns >= t0) & (events.start_ns <= t1)
        mine = track_of_block == track
        assert int(columns["count"][mine].sum()) >= int(inside.sum())
        if t0 <= trace.info.start_ns and t1 >= trace.info.end_ns:
            assert int(columns["count"][mine].sum()) == int(inside.sum())
        singles = columns["row"][mine & (columns["count"] == 1)]
        assert len(np.unique(singles)) == len(singles)
        # Nothing of a bucket's length is hidden in a merged block.
        long_ones = np.flatnonzero(inside & (events.end_ns - events.start_ns >= header["bucket_ns"]))
        assert set(long_ones.tolist()) <= set(singles.tolist())


@given(
    st.lists(st.tuples(st.integers(1, 3), st.integers(0, 900), st.integers(0, 90)), min_size=1, max_size=40),
    st.integers(0, 900),
    st.integers(1, 900),
    st.sampled_from([1, 7, 100, 2000]),
)
def test_no_event_is_lost_at_any_window_and_resolution(
    events: list[tuple[int, int, int]], t0_us: int, length_us: int, width: int
) -> None:
    lines = [f"thread {t} | op{t} {a}-{a + n}" if t < 3 else f"stream {t} | k {a}-{a + n}" for t, a, n in events]
    trace = trace_from_text("\n".join(lines))
    _check_window(trace, trace.info.start_ns, max(trace.info.end_ns, trace.info.start_ns + 1), width)
    _check_window(trace, t0_us * 1000, (t0_us + length_us) * 1000, width)


def test_tracks_come_in_the_order_to_read_them() -> None:
    tracks = compute.tracks(trace_from_text(STEP), NoParams())
    assert [(t.name, t.group, t.lanes) for t in tracks.tracks] == [
        ("stream 7", 0, 1),
        ("thread 1 main", 1, 4),
        ("thread 2", 1, 1),
    ]
    assert [g.device for g in tracks.groups] == [0, None]
    assert [(s.name, s.start_ns, s.end_ns) for s in tracks.steps] == [("ProfilerStep#1", 0, 100_000)]
    device = next(d for d in tracks.density if d.device == 0)
    assert sum(device.busy) / len(device.busy) == pytest.approx(0.45, abs=0.01)


def test_one_event_says_who_called_it_and_what_it_launched() -> None:
    trace = trace_from_text(STEP)
    addmm = compute.event(trace, EventParams(row=_row(trace, "aten::addmm")))
    assert [p.name for p in addmm.parents] == ["aten::linear", "ProfilerStep#1"]
    assert [k.name for k in addmm.launched] == ["gemm_a"]
    assert (addmm.duration_ns, addmm.step, addmm.track_name) == (20_000, "ProfilerStep#1", "thread 1")
    linear = compute.event(trace, EventParams(row=_row(trace, "aten::linear")))
    assert linear.self_ns == 15_000
    kernel = compute.event(trace, EventParams(row=_row(trace, "gemm_a")))
    assert kernel.self_ns is None
    assert kernel.owner is not None
    assert kernel.owner.name == "aten::addmm"
    assert kernel.launch is not None
    assert kernel.launch.kind == "runtime"


def test_backward_finds_the_operator_that_its_gradient_belongs_to() -> None:
    trace = trace_from_text("thread 1 | aten::detach 0-2 | aten::mm 3-9\nthread 2 | MmBackward0 20-30")
    # The number is given out by mm; detach, which records no gradient, carries the one that is next.
    sequence, thread = np.full(3, 7), np.array([0, 0, 1])
    trace = dataclasses.replace(trace, events=dataclasses.replace(trace.events, sequence=sequence, forward_thread=thread))
    backward = compute.event(trace, EventParams(row=_row(trace, "MmBackward0")))
    assert [f.name for f in backward.forward] == ["aten::mm"]
    assert [b.name for b in compute.event(trace, EventParams(row=_row(trace, "aten::mm"))).backward] == ["MmBackward0"]
    assert compute.event(trace, EventParams(row=_row(trace, "aten::detach"))).backward == []


def test_kernels_have_the_colour_of_their_category_and_data_loading_its_own() -> None:
    trace = trace_from_text("""
        thread 1 | enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__ 0-5 | aten::mm 6-9
        stream 7 | ncclDevKernel_AllReduce 10-20 | gemm 20-30
    """)
    _, columns = _decode(compute.window(trace, WindowParams(t0_ns=0, t1_ns=50_000, width_px=2000)).encode())
    tracks = compute.tracks(trace, NoParams())
    paints = tracks.paints
    counts = {paint: n for paint, n in zip(paints, tracks.n_of_paint, strict=True) if n > 0}
    assert counts == {"operator": 1, "data_loader": 1, "communication": 1, "matmul": 1}
    shown = {trace.text(n): paints[p] for n, p in zip(columns["name_id"].tolist(), columns["paint"].tolist(), strict=True)}
    assert [shown[name] for name in sorted(shown)] == ["operator", "data_loader", "matmul", "communication"]


@pytest.mark.parametrize("filters", [{"inside": "addmm"}, {"steps": "1"}, {"inside": "relu"}, {"inside": "nothing_is_named_so"}])
def test_a_window_with_filters_holds_what_they_keep_at_any_resolution(filters: dict[str, str]) -> None:
    trace = trace_from_text(STEP)
    kept = np.flatnonzero(selected(trace, Selection(**filters)))
    whole = index.index_of(trace)
    for width in (1, 7, 100, 5000):
        asked = msgspec.convert({"t0_ns": 0, "t1_ns": 100_000, "width_px": width, **filters}, WindowParams)
        header, columns = _decode(compute.window(trace, asked).encode())
        assert header["lane_track"] == whole.lane_track.tolist()  # the same lanes
        lane = np.repeat(np.arange(len(header["lane_blocks"])), header["lane_blocks"])
        assert int(columns["count"].sum()) == len(kept)
        assert set(columns["row"].tolist()) <= set(kept.tolist())
        for row, at in zip(columns["row"].tolist(), lane.tolist(), strict=True):
            assert whole.track_lane_first[trace.events.track[row]] + whole.depth[row] == at
    assert sorted(columns["row"].tolist()) == kept.tolist()


@pytest.mark.parametrize(("q", "regex"), [("MM", False), ("mm$|relu", True), ("nothing_is_named_so", False)])
def test_a_window_of_what_is_sought_holds_the_hits_at_any_resolution(q: str, *, regex: bool) -> None:
    trace = trace_from_text(STEP)
    hits = compute.search(trace, SearchParams(q=q, regex=regex)).hits
    for width in (1, 7, 100, 5000):
        asked = WindowParams(t0_ns=0, t1_ns=100_000, width_px=width, q=q, regex=regex)
        _, columns = _decode(compute.window(trace, asked).encode())
        assert int(columns["count"].sum()) == len(hits)
        assert set(columns["row"].tolist()) <= {hit.row for hit in hits}
    assert sorted(columns["row"].tolist()) == sorted(hit.row for hit in hits)


def test_a_window_with_a_filter_that_names_nothing_is_an_error_of_the_asker() -> None:
    with pytest.raises(NotFoundError):
        compute.window(trace_from_text(STEP), WindowParams(module="Net_0"))


def test_an_unknown_row_is_not_found() -> None:
    trace = trace_from_text(STEP)
    for row in (-1, len(trace.events)):
        with pytest.raises(NotFoundError):
            compute.event(trace, EventParams(row=row))


def test_integers_too_large_for_a_browser_become_text() -> None:
    assert details.browser_safe({"a": [1, 2**60], "b": True, "c": 1.5}) == {"a": [1, str(2**60)], "b": True, "c": 1.5}


def test_search_counts_all_and_sends_the_first_in_order_of_time() -> None:
    trace = trace_from_text(STEP)
    found = compute.search(trace, SearchParams(q="RELU"))
    assert [h.name for h in found.hits] == ["aten::relu", "relu_kernel"]
    assert (found.total, found.total_ns, sum(found.density)) == (2, 20_000, 2)
    assert compute.search(trace, SearchParams(q="relu", limit=1, offset=1)).hits == found.hits[1:]
    assert compute.search(trace, SearchParams(q="")).total == 0
    assert compute.search(trace, SearchParams(q="relu", limit=0, t0_ns=0)).hits == []
    assert compute.search(trace, SearchParams(q="a.+u$", regex=True)).hits[0].name == "aten::relu"
    assert compute.search(trace, SearchParams(q="a.+u$")).total == 0
    with pytest.raises(UsageError):
        compute.search(trace, SearchParams(q="(", regex=True))


def test_pages_of_hits_hold_each_hit_once_though_many_begin_at_the_same_time() -> None:
    threads = "\n".join(f"thread {n} | " + " | ".join(f"mm {10 * i}-{10 * i + n}" for i in range(20)) for n in range(1, 10))
    trace = trace_from_text(threads)
    everything = compute.search(trace, SearchParams(q="mm")).hits
    assert [hit.row for hit in everything] == [
        row for _, row in sorted((start, row) for row, start in enumerate(trace.events.start_ns.tolist()))
    ]
    for limit in (1, 7, 50):
        pages = [compute.search(trace, SearchParams(q="mm", limit=limit, offset=at)).hits for at in range(0, 180, limit)]
        assert list(itertools.chain(*pages)) == everything


def test_search_comes_to_python_frames_last() -> None:
    trace = trace_from_text(
        """
        thread 1 | nn.py(1): softmax 0-50 | nn.py(1): softmax 60-90
        thread 1 | aten::softmax 10-20 | aten::softmax 70-80
        stream 7 | softmax_kernel 30-40 <- aten::softmax
        """
    )
    everything = compute.search(trace, SearchParams(q="softmax"))
    assert [hit.kind for hit in everything.hits] == ["operator", "kernel", "operator", "python", "python"]
    assert everything.first == 0
    in_sight = compute.search(trace, SearchParams(q="softmax", t0_ns=55_000, t1_ns=95_000))
    assert in_sight.hits[in_sight.first].name == "aten::softmax"
    for place, hit in enumerate(everything.hits):
        assert compute.search(trace, SearchParams(q="softmax", row=hit.row, limit=2)).place == place
    only_frames = compute.search(trace, SearchParams(q="softmax", t0_ns=0, t1_ns=5_000))
    assert only_frames.hits[only_frames.first].kind == "python"


def test_search_tells_the_place_of_an_event_and_of_a_window_among_all_hits() -> None:
    short = " | ".join(f"mm {10 * i}-{10 * i + 5}" for i in range(40))
    trace = trace_from_text(f"thread 1 | {short}\nthread 2 | mm 0-4 | mm 60-95 | mm 100-101")
    everything = compute.search(trace, SearchParams(q="mm"))
    rows = [hit.row for hit in everything.hits]
    assert (everything.place, everything.first, everything.n_in_window) == (None, 0, 43)
    for t0, t1 in [(0, 400_000), (62_000, 64_000), (66_000, 69_000), (66_000, 75_000), (398_000, 399_000), (101_000, 199_000)]:
        found = compute.search(trace, SearchParams(q="mm", t0_ns=t0, t1_ns=t1, limit=4))
        sight = [i for i, h in enumerate(everything.hits) if h.start_ns <= t1 and h.start_ns + h.duration_ns >= t0]
        begun = [i for i, h in enumerate(everything.hits) if h.start_ns >= t0]
        first = ([i for i in sight if i in begun] or sight or begun or [0])[0]
        assert (found.first, found.n_in_window, found.offset) == (first, len(sight), first // 4 * 4)
        assert [hit.row for hit in found.hits] == rows[found.offset : found.offset + 4]
    for place, row in enumerate(rows):
        found = compute.search(trace, SearchParams(q="mm", row=row, t0_ns=0, limit=4))
        assert (found.place, found.hits[place % 4].row) == (place, row)
    assert compute.search(trace, SearchParams(q="mm", row=10**6)).place is None
    assert compute.search(trace, SearchParams(q="none", row=rows[0], t0_ns=0)).hits == []


def test_only_the_asked_tracks_are_sent() -> None:
    trace = trace_from_text(STEP)
    stream = next(t.id for t in compute.tracks(trace, NoParams()).tracks if t.name == "stream 7")
    header, columns = _decode(
        compute.window(trace, WindowParams(t0_ns=0, t1_ns=100_000, width_px=900, tracks=f"{stream},99")).encode()
    )
    assert header["lane_track"] == [stream]
    assert [trace.text(n) for n in columns["name_id"]] == ["gemm_a", "relu_kernel"]
    assert set(header["names"].values()) == {"gemm_a", "relu_kernel"}
    for wrong in ({"tracks": "x"}, {"t1_ns": 0}, {"width_px": 0}):
        with pytest.raises(UsageError):
            compute.window(trace, WindowParams(**{"t0_ns": 0, "t1_ns": 9, "width_px": 9, **wrong}))  # type: ignore[arg-type]


def test_the_names_of_the_longest_blocks_come_along_though_they_have_no_room_in_the_picture() -> None:
    """The table beside it begins with them: 50 of devices and 50 of threads."""
    kernels = " | ".join(f"kernel_{i} {1000 * i}-{1000 * i + 1 + i / 1000}" for i in range(80))
    operators = " | ".join(f"aten::op_{i} {1000 * i}-{1000 * i + 2 + i / 1000}" for i in range(80))
    trace = trace_from_text(f"thread 1 | {operators}\nstream 7 | {kernels}")
    header, _ = _decode(compute.window(trace, WindowParams(width_px=900)).encode())
    last = range(30, 80)
    assert set(header["names"].values()) == {f"kernel_{i}" for i in last} | {f"aten::op_{i}" for i in last}


@over(SAMPLES + real("h100_bert_small", "cpu_gloo_rank"))
def test_the_self_time_of_an_event_is_what_no_nested_event_has(path: Path) -> None:
    """Python frames cut across annotations that outlive them: their common time counts once. Against a walk over all edges."""
    trace = trace_of(path)
    events = trace.events
    for row in np.flatnonzero(np.isin(events.kind, HOST_KINDS))[:400].tolist():
        children = np.flatnonzero(events.nest_parent == row)
        first, last = int(events.start_ns[row]), int(events.end_ns[row])
        spans = [(int(events.start_ns[child]), int(events.end_ns[child])) for child in children]
        edges = sorted({first, last, *(edge for span in spans for edge in span if first < edge < last)})
        alone = sum(b - a for a, b in itertools.pairwise(edges) if not any(s <= a and b <= e for s, e in spans))
        assert compute.event(trace, EventParams(row=row)).self_ns == alone


def test_one_event_and_equal_times() -> None:
    for text in ("thread 1 | aten::mm 5-5", "thread 1 | a 5-9 | b 5-9 | c 5-5"):
        trace = trace_from_text(text)
        compute.tracks(trace, NoParams())
        _check_window(trace, 0, 10_000, 100)


def test_a_trace_without_events_is_an_empty_timeline() -> None:
    trace = trace_from_text("")
    tracks = compute.tracks(trace, NoParams())
    assert (tracks.n_events, tracks.tracks, tracks.density) == (0, [], [])
    header, columns = _decode(compute.window(trace, WindowParams(t0_ns=0, t1_ns=1, width_px=1)).encode())
    assert header["lane_track"] == []
    assert len(columns["row"]) == 0
    assert compute.search(trace, SearchParams(q="x")).hits == []


def test_labels_of_a_stream_lie_above_its_work() -> None:
    trace = trace_from_text("stream 7 | gemm 0-4 | <forward> 2-20 | gemm 5-9 | copy_kernel 8-12")
    depths = index.index_of(trace).depth.tolist()
    names = [(trace.text(trace.events.name_id[row]), int(trace.events.start_ns[row])) for row in range(4)]
    depth = dict(zip(names, depths, strict=True))
    assert depth == {("forward", 2000): 0, ("gemm", 0): 1, ("gemm", 5000): 1, ("copy_kernel", 8000): 2}


def test_lanes_of_a_track_lie_part_by_part_with_python_below_the_operators_it_calls() -> None:
    trace = trace_from_text("""
        thread 1 | main.py(1):_main 0-100 | main.py(9):_train 1-90 | <batch> 2-80 | aten::linear 5-40 | aten::addmm 10-30
        thread 1 | aten::relu 50-60
        stream 7 | <batch> 5-90 | gemm 35-70 <- aten::addmm
    """)
    tracks = {t.name: t for t in compute.tracks(trace, NoParams()).tracks}
    assert {name: [(p.kind, p.lanes) for p in t.parts] for name, t in tracks.items()} == {
        "stream 7": [("annotation", 1), ("work", 1)],
        "thread 1": [("annotation", 1), ("operator", 2), ("runtime", 1), ("python", 2)],
    }
    depth = index.index_of(trace).depth
    on_thread = trace.events.track == tracks["thread 1"].id
    by_name = {trace.text(int(trace.events.name_id[r])): int(depth[r]) for r in np.flatnonzero(on_thread).tolist()}
    assert [by_name[name] for name in ("batch", "aten::linear", "aten::relu", "aten::addmm")] == [0, 1, 1, 2]
    assert [by_name[name] for name in ("main.py(1):_main", "main.py(9):_train")] == [4, 5]


@over(SAMPLES + real("h100_bert_small", "mi300_vllm_decode_graph", "a100_alexnet_cuda_sync", "mi210_gpu_only"))
def test_profiles_lose_nothing(path: Path) -> None:
    trace = trace_of(path)
    tracks = compute.tracks(trace, NoParams())
    assert all(sum(part.lanes for part in t.parts) == t.lanes for t in tracks.tracks)
    assert sum(t.n_events for t in tracks.tracks) == len(trace.events) == sum(k.count for k in tracks.kinds)
    start, length = tracks.start_ns, tracks.end_ns - tracks.start_ns
    for zoom in (1, 30, 1000):
        t0 = start + (length // 2 if zoom > 1 else 0)
        _check_window(trace, t0, t0 + length // zoom + 1, 1300)
    longest = int(np.argmax(trace.events.end_ns - trace.events.start_ns))
    assert compute.event(trace, EventParams(row=longest)).duration_ns > 0


def test_a_kernel_shows_the_inputs_of_its_operator() -> None:
    trace = trace_of(sample("cuda"))
    kernels = np.flatnonzero((trace.events.kind == Kind.KERNEL) & (trace.events.owner != NONE))
    known = 0
    for kernel in kernels[:40].tolist():
        shown = compute.event(trace, EventParams(row=kernel))
        assert shown.owner is not None
        operator = compute.event(trace, EventParams(row=shown.owner.row))
        assert shown.inputs == operator.inputs
        if "Input Dims" not in operator.args:
            assert shown.inputs is None
            continue
        known += 1
        pairs = zip(operator.args["Input Dims"], operator.args["Input type"], strict=True)
        assert shown.inputs == [f"{kind} {shape}" if shape else kind or "–" for shape, kind in pairs]
    assert known > 10
