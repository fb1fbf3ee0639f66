"""A rank that stands still more than once in a step."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.job.what_if.what_if import hosts_apart, without_as_slow_hosts
from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tb_plugin.views.ranks.told.blame import most_that_would_go
from tests.job.paused import STEPS, changed, file_of, length_of, marked
from tests.job.recorded import member, recorded
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

MS = 1_000_000
COPY = "Memcpy HtoD (Pageable -> Device)"


@pytest.mark.parametrize(
    ("layers", "where"),
    [
        ((2,), "one gap"),
        ((1, 4), "several gaps"),
        ((0, 2, 5), "several gaps"),
        ((1, 2, 3, 4), "several gaps"),
        ((0, 1, 2, 3, 4, 5), "several gaps"),
    ],
)
def test_all_gaps_of_a_step_are_the_pause_and_go_with_it(tmp_path: Path, layers: tuple[int, ...], where: str) -> None:
    stops = {(3, step, layer): 2 * MS for step in STEPS for layer in layers}
    for name in ("late", "well"):
        (tmp_path / name).mkdir()
    was, truth = length_of(tmp_path / "late", stops=stops), length_of(tmp_path / "well")
    table = join([member(path) for path in sorted((tmp_path / "late").iterdir())], RanksParams())
    (one,) = table.blamed
    assert (one.name, one.cause, one.steps) == ("rank 3", "pause", [*STEPS])
    assert f"stands still in {where} without any event in all 3 steps" in one.sentence
    assert one.cause_ns == pytest.approx(2 * MS * len(layers), rel=0.05)
    assert one.step_without_ns is not None
    assert one.step_without_ns == pytest.approx(truth, rel=0.02)
    assert (one.step_was_ns or 0) == pytest.approx(was, rel=0.02)
    assert table.ideal_ns == pytest.approx(truth, rel=0.02)


def test_a_host_that_is_slow_all_over_has_no_pauses(tmp_path: Path) -> None:
    """Ten gaps a step, and no launch that takes longer: what it is nobody knows; what a step is without it is known."""
    layers = range(10)
    stops = {(3, step, layer): MS // 2 for step in STEPS for layer in layers}
    for name in ("late", "well"):
        (tmp_path / name).mkdir()
    truth = length_of(tmp_path / "well", n_layers=len(layers))
    length_of(tmp_path / "late", stops=stops, n_layers=len(layers))
    table = join([member(path) for path in sorted((tmp_path / "late").iterdir())], RanksParams())
    (one,) = table.blamed
    assert (one.name, one.cause) == ("rank 3", "idle")
    assert one.sentence.startswith(
        "Rank 3 (node0) waits for its host, which takes longer between launches, and nothing recorded says why"
    )
    assert one.step_without_ns == pytest.approx(truth, rel=0.02)


def test_the_sentence_on_who_stands_still_leads_to_its_longest_gap_in_the_worst_step(tmp_path: Path) -> None:
    paths = Job(n_ranks=4, stops={(3, 10, 2): 2 * MS, (3, 11, 1): MS, (3, 11, 4): 4 * MS}).write(tmp_path)
    table = join([member(path) for path in paths], RanksParams())
    (lead,) = [lead for lead in table.leads if lead.ranks == [3]]
    (place,) = lead.places
    assert (place.rank, place.step) == (3, 11)
    rank = next(rank for rank in analysed(recorded(paths)).job.of.ranks if rank.number == 3)
    at = int(np.flatnonzero(rank.steps["number"] == 11)[0])
    begin, lasts = int(rank.work["pause_at"][at]), int(rank.work["pause"][at])
    assert lasts == pytest.approx(4 * MS, rel=0.05)
    assert (place.start_ns, place.lasts_ns) == (begin, lasts)
    assert place.called.startswith("step 11\nstands still in ")


def test_two_hosts_that_are_slow_all_over_are_both_named_and_none_that_is_no_slower_than_others(tmp_path: Path) -> None:
    """The host of rank 5 takes longer than that of rank 3, which is late all the same, but were not if rank 5 were not late."""
    layers = range(10)
    stops = {(rank, step, layer): ns for rank, ns in ((3, MS // 2), (5, 3 * MS // 5)) for step in STEPS for layer in layers}
    paths = Job(n_ranks=8, ranks_per_node=4, stops=stops, n_layers=len(layers)).write(tmp_path)
    of = analysed(recorded(paths))
    late = [(one, cause) for one, cause, _ in of.stragglers]
    assert [(one.number, cause.id) for one, cause in late] == [(5, "idle"), (3, "idle")]
    assert of.replay is not None
    hosts = [hosts_apart(of.replay, of.own, one) for one, _ in late]
    assert [each.is_longer for each in hosts] == [True, True]
    assert hosts[0].more > hosts[1].more > 5 * MS
    one, cause = late[0]
    more_for_waiting = replace(one, excess_ns=3 * one.excess_ns, told_ns=3 * one.told_ns)
    assert most_that_would_go(of, more_for_waiting, cause) == pytest.approx(hosts[0].more)
    assert most_that_would_go(of, more_for_waiting, replace(cause, id="slow_kernels")) == pytest.approx(3 * one.mean_excess_ns)
    assert without_as_slow_hosts(of.replay, of.own, late) == late
    assert without_as_slow_hosts(of.replay, of.own, late[1:]) == []
    assert without_as_slow_hosts(of.replay, of.own, late[:1]) == late[:1]


def test_beside_many_short_gaps_a_long_one_is_told_with_its_own_time(tmp_path: Path) -> None:
    (tmp_path / "late").mkdir()
    layers = range(10)
    stops = {(3, step, layer): (2 * MS if layer == 4 else 3 * MS // 10) for step in STEPS for layer in layers}
    length_of(tmp_path / "late", stops=stops, n_layers=len(layers))
    table = join([member(path) for path in sorted((tmp_path / "late").iterdir())], RanksParams())
    (one,) = table.blamed
    assert (one.name, one.cause) == ("rank 3", "pause")
    assert "stands still in one gap without any event (2.0" in one.sentence
    assert "waits for its host, which takes longer between launches, and nothing recorded says why (2." in one.sentence


_HELPS = {
    "allocator": "expandable_segments",
    "sync": ".item()",
    "compile": "mark_dynamic",
    "checkpoint": "async_save",
}


@pytest.mark.parametrize(
    ("events", "cause", "named"),
    [
        ([("cpu_op", "aten::empty"), ("cuda_runtime", "cudaMalloc")], "allocator", 1),
        ([("cuda_runtime", "hipFree")], "allocator", 0),
        ([("cuda_driver", "cuMemUnmap")], "allocator", 0),
        ([("cpu_op", "aten::nonzero")], "sync", 0),
        (
            [("cpu_op", "aten::item"), ("cpu_op", "aten::_local_scalar_dense"), ("cuda_runtime", "cudaStreamSynchronize")],
            "sync",
            0,
        ),
        ([("user_annotation", "save_checkpoint")], "checkpoint", 0),
        ([("python_function", "train.py(9): log"), ("python_function", "torch/serialization.py(900): save")], "checkpoint", 1),
        ([("user_annotation", "save ckpt"), ("cuda_runtime", "cudaStreamSynchronize")], "checkpoint", 0),
        ([("cpu_op", "TorchDynamo Cache Lookup")], "compile", 0),
        ([("user_annotation", "_compile.compile_inner (dynamo_timed)"), ("python_function", "ast.py(5): parse")], "compile", 0),
        ([("python_function", "train.py(9): evaluate"), ("user_annotation", "write metrics")], "pause", 1),
        ([("python_function", "torch/utils/checkpoint.py(481): checkpoint")], "pause", 0),
    ],
)
def test_what_fills_a_gap_is_named(tmp_path: Path, events: list[tuple[str, str]], cause: str, named: int) -> None:
    stop = (3, STEPS[1], 2)
    for name in ("late", "well"):
        (tmp_path / name).mkdir()
    truth = length_of(tmp_path / "well")
    Job(n_ranks=8, ranks_per_node=4, stops={stop: 4 * MS}, stops_in={stop: events}).write(tmp_path / "late")
    table = join([member(path) for path in sorted((tmp_path / "late").iterdir())], RanksParams())
    (one,) = table.blamed
    name = events[named][1]
    assert (one.name, one.cause, one.steps, one.event, one.confidence) == ("rank 3", cause, [STEPS[1]], name, "sure")
    frame = {"torch/serialization.py(900): save": "train.py(9): log", "write metrics": "train.py(9): evaluate"}.get(name)
    where = f"`{frame}` (`{name}`)" if frame else f"`{name}`"
    assert f"Rank 3 (node0) stands still in {where} in step 11: 4" in one.sentence
    assert not any("garbage" in doubt for doubt in table.doubts)
    if not any("Synchronize" in each for _, each in events):  # what a wait for the device lasts too long no edit changes
        assert one.step_without_ns == pytest.approx(truth, rel=0.02)
    assert [helps for each, helps in _HELPS.items() if helps in one.sentence] == ([_HELPS[cause]] if cause in _HELPS else [])


@pytest.mark.parametrize(
    ("frames", "told"),
    [
        (["train.py(48): epoch", "train.py(16): augment", "<built-in function sleep>"], ("train.py(16): augment", 2)),
        (["train.py(16): augment", "subprocess.py(1165): communicate", "selectors.py(9): select"], ("train.py(16): augment", 2)),
        (["train.py(16): augment", "/usr/lib/python3.12/json/decoder.py(353): raw_decode"], ("train.py(16): augment", 1)),
        (["/job/train.py(16): augment", "/v/site-packages/yaml/reader.py(9): update"], ("/job/train.py(16): augment", 1)),
        (["train.py(16): augment", "torch/serialization.py(900): save"], ("train.py(16): augment", 1)),
        (["data/json_rows.py(4): read", "train.py(16): augment"], (None, 1)),
        (["runpy.py(198): _run_module_as_main", "<built-in function sleep>"], (None, 1)),
    ],
)
def test_the_users_own_line_stands_before_what_it_calls(tmp_path: Path, frames: list[str], told: tuple[str | None, int]) -> None:
    stop = (3, STEPS[1], 2)
    events = [("python_function", name) for name in frames]
    Job(n_ranks=8, ranks_per_node=4, stops={stop: 4 * MS}, stops_in={stop: events}).write(tmp_path)
    (one,) = join([member(path) for path in sorted(tmp_path.iterdir())], RanksParams()).blamed
    frame, innermost = told
    where = f"`{frame}` (`{frames[innermost]}`)" if frame else f"`{frames[innermost]}`"
    assert f"Rank 3 (node0) stands still in {where} in step 11: 4" in one.sentence


def test_calls_fill_a_gap_together(tmp_path: Path) -> None:
    """The allocator gives back what it holds, and asks again: no call of these lies over most of the gap."""
    stop = (3, STEPS[1], 2)
    Job(n_ranks=8, ranks_per_node=4, stops={stop: 4 * MS}, stops_in={stop: [("cpu_op", "aten::empty")]}).write(tmp_path)
    rewritten(tmp_path / file_of(tmp_path, 3), "aten::empty", ["cudaFree", "cudaFree", "cudaMalloc"])
    (one,) = join([member(path) for path in sorted(tmp_path.iterdir())], RanksParams()).blamed
    assert (one.cause, one.event) == ("allocator", "cudaFree")


@pytest.mark.parametrize(
    ("event", "cause"),
    [(("cuda_runtime", "cudaMalloc"), "allocator"), (("cpu_op", "TorchDynamo Cache Lookup"), "compile"), (None, "idle")],
)
def test_what_fills_gaps_all_over_a_step_is_named_too(tmp_path: Path, event: tuple[str, str] | None, cause: str) -> None:
    stops = {(3, step, layer): MS // 2 for step in STEPS for layer in range(10)}
    for name in ("late", "well"):
        (tmp_path / name).mkdir()
    truth = length_of(tmp_path / "well", n_layers=10)
    length_of(tmp_path / "late", n_layers=10, stops=stops, stops_in=dict.fromkeys(stops, [event] if event else []))
    (one,) = join([member(path) for path in sorted((tmp_path / "late").iterdir())], RanksParams()).blamed
    assert (one.name, one.cause, one.event) == ("rank 3", cause, event[1] if event else None)
    if event is not None:
        assert f"stands still in `{event[1]}` in all 3 steps" in one.sentence
        assert one.cause_ns == pytest.approx(5 * MS, rel=0.05)
        assert one.step_without_ns == pytest.approx(truth, rel=0.02)


def test_a_frame_that_goes_on_is_around_a_gap(tmp_path: Path) -> None:
    """Where the host was is said, and that nobody knows why it stood still there."""
    job = Job(n_ranks=8, ranks_per_node=4, stops={(3, STEPS[1], 2): 4 * MS})
    job.write(tmp_path)
    with_steps_in(tmp_path / file_of(tmp_path, 3), "train.py(30): train")
    table = join([member(path) for path in sorted(tmp_path.iterdir())], RanksParams())
    (one,) = table.blamed
    assert (one.cause, one.event, one.confidence) == ("pause", "train.py(30): train", "likely")
    assert "stands still in one gap without any event but `train.py(30): train` around it in step 11" in one.sentence
    assert any("garbage" in doubt for doubt in table.doubts)


def test_a_frame_that_was_open_as_the_recording_began_is_named_without_the_line_it_was_at_then(tmp_path: Path) -> None:
    """torch tells of it that line, `p.step()` here, and of all others where the function begins."""
    Job(n_ranks=8, ranks_per_node=4, stops={(3, STEPS[1], 2): 4 * MS}).write(tmp_path)

    def open_all_the_time(events: list[dict[str, Any]]) -> None:
        host = [event for event in events if event.get("cat") == "user_annotation"]
        first, last = min(event["ts"] for event in host), max(event["ts"] + event["dur"] for event in host)
        events.append({**host[0], "cat": "python_function", "name": "train.py(13): <module>", "ts": first, "dur": last - first})

    changed(tmp_path / file_of(tmp_path, 3), open_all_the_time)
    (one,) = join([member(path) for path in sorted(tmp_path.iterdir())], RanksParams()).blamed
    assert "without any event but `train.py: <module>` around it in step 11" in one.sentence


def test_activations_that_are_computed_twice_are_no_checkpoint(tmp_path: Path) -> None:
    """Kernels are launched in the range, which is around the gap like any other."""
    Job(n_ranks=8, ranks_per_node=4, stops={(3, STEPS[1], 2): 4 * MS}).write(tmp_path)
    with_steps_in(tmp_path / file_of(tmp_path, 3), "layers with checkpointing", "user_annotation")
    (one,) = join([member(path) for path in sorted(tmp_path.iterdir())], RanksParams()).blamed
    assert (one.cause, one.event) == ("pause", None)


@pytest.mark.parametrize(
    ("peers_stop", "cause", "event"), [(0, "sync", "aten::item"), (MS // 10, "pause", None), (MS, "pause", None)]
)
def test_a_gap_that_follows_a_wait_for_the_device_is_told_by_it(
    tmp_path: Path, peers_stop: int, cause: str, event: str | None
) -> None:
    """Where the peers had waited as often, and went on sooner, the wait is not why, though their longest gap is another one."""
    ranks = range(8) if peers_stop else [3]
    stops = {(rank, step, 2): 4 * MS if rank == 3 else peers_stop for rank in ranks for step in STEPS}
    Job(n_ranks=8, ranks_per_node=4, stops=stops, stops_in=marked(stops)).write(tmp_path)
    for rank in ranks:
        changed(tmp_path / file_of(tmp_path, rank), with_a_wait_before_markers)
    (one,) = join([member(path) for path in sorted(tmp_path.iterdir())], RanksParams()).blamed
    assert (one.name, one.cause, one.event, one.confidence) == ("rank 3", cause, event, "likely")
    said = "waits for its device in `aten::item`, once a step against 0 on its peers, and stands still after that in all 3 steps"
    assert (said in one.sentence, ".item()" in one.sentence) == (cause == "sync", cause == "sync")


@pytest.mark.parametrize("part", [0.5, 0.2])
def test_many_short_operators_fill_a_gap_together_though_half_of_it_is_between_them(tmp_path: Path, part: float) -> None:
    """Not where they end long before it does."""
    stop = (3, STEPS[1], 2)
    Job(n_ranks=8, ranks_per_node=4, stops={stop: 4 * MS}, stops_in=marked({stop: 0})).write(tmp_path)

    def change(events: list[dict[str, Any]]) -> None:
        (marker,) = (event for event in events if event["name"] == "marker")
        each = marker["dur"] / 40 * part * 2
        events.remove(marker)
        names = ["aten::mul" if n % 4 == 0 else "aten::add" for n in range(40)]
        at = (marker["ts"] + n * each for n in range(40))
        events.extend({**marker, "name": name, "ts": ts, "dur": each / 2} for name, ts in zip(names, at, strict=True))

    changed(tmp_path / file_of(tmp_path, 3), change)
    (one,) = join([member(path) for path in sorted(tmp_path.iterdir())], RanksParams()).blamed
    assert (one.cause, one.event) == ("pause", "aten::add" if part == 0.5 else None)
    said = "stands still in one gap in which its host runs many short operators, most of them `aten::add`"
    assert (said in one.sentence) == (part == 0.5)


def test_copies_are_told_by_what_they_are(tmp_path: Path) -> None:
    stops = {(3, step, 2): 4 * MS for step in STEPS}
    for name in ("late", "well"):
        (tmp_path / name).mkdir()
    truth = length_of(tmp_path / "well")
    length_of(tmp_path / "late", stops=stops, stops_in=marked(stops))
    changed(tmp_path / "late" / file_of(tmp_path / "late", 3), with_copies_for_markers)
    (one,) = join([member(path) for path in sorted((tmp_path / "late").iterdir())], RanksParams()).blamed
    assert (one.name, one.cause, one.event, one.also) == ("rank 3", "copies", COPY, None)
    assert one.cause_ns == pytest.approx(4 * MS, rel=0.05)
    assert f"copies for longer, most in `{COPY}` in all 3 steps" in one.sentence
    assert "pin_memory=True" in one.sentence
    assert one.step_without_ns == pytest.approx(truth, rel=0.02)


def test_a_host_that_makes_many_more_launches_is_told_so(tmp_path: Path) -> None:
    layers = range(10)
    stops = {(3, step, layer): MS // 2 for step in STEPS for layer in layers}
    for name in ("late", "well"):
        (tmp_path / name).mkdir()
    truth = length_of(tmp_path / "well", n_layers=len(layers))
    length_of(tmp_path / "late", stops=stops, n_layers=len(layers), stops_in=marked(stops))
    changed(tmp_path / "late" / file_of(tmp_path / "late", 3), with_small_kernels_for_markers)
    (one,) = join([member(path) for path in sorted((tmp_path / "late").iterdir())], RanksParams()).blamed
    assert (one.name, one.cause, one.n_more, one.kernels) == ("rank 3", "more_launches", 700, ["small"])
    assert "makes 700 launches more a step, first of small, and its device waits for them in all 3 steps" in one.sentence
    assert one.step_without_ns is not None
    assert 0.98 * truth < one.step_without_ns < truth + 700 * 2_000  # the kernels stay, with what is between two of them


def test_an_event_of_the_host_is_no_reason_where_work_was_launched_before(tmp_path: Path) -> None:
    """Its device has something to do and does not: the host only waits for it."""
    stop = (3, STEPS[1], 2)
    waits = [("cuda_runtime", "cudaStreamSynchronize")]
    Job(n_ranks=8, ranks_per_node=4, stops={stop: 4 * MS}, stops_in={stop: waits}).write(tmp_path)
    launched_before(tmp_path / file_of(tmp_path, 3), 4 * MS)
    (one,) = join([member(path) for path in sorted(tmp_path.iterdir())], RanksParams()).blamed
    assert (one.cause, one.event) == ("pause", None)


def with_a_wait_before_markers(events: list[dict[str, Any]]) -> None:
    """From 100 us before the gap."""
    for event in events:
        if event["name"] == "marker":
            event.update(name="aten::item", ts=event["ts"] - 100, dur=105)


def with_copies_for_markers(events: list[dict[str, Any]]) -> None:
    for place, marker in enumerate([event for event in events if event["name"] == "marker"]):
        link = {"correlation": 90_000 + place}
        copy = {"cat": "gpu_memcpy", "name": COPY, "pid": 0, "tid": 7, "args": {"device": 0, "stream": 7, **link}}
        events.append({**marker, **copy})
        marker.update(cat="cuda_runtime", name="cudaMemcpyAsync", ts=marker["ts"] - 5, dur=4, args=link)


def with_small_kernels_for_markers(events: list[dict[str, Any]]) -> None:
    """Seventy in each gap, each as quickly launched as all others."""
    markers = [event for event in events if event["name"] == "marker"]
    for place, marker in enumerate(markers):
        events.remove(marker)
        for n in range(70):
            link = {"correlation": 90_000 + 70 * place + n}
            at = {**marker, "ts": marker["ts"] + 2 + 7 * n}
            events.append({**at, "cat": "cuda_runtime", "name": "cudaLaunchKernel", "dur": 1.45, "args": link})
            kernel = {"cat": "kernel", "name": "small", "pid": 0, "tid": 7, "ts": at["ts"] + 3, "dur": 1}
            shape = {"grid": [1, 1, 1], "block": [32, 1, 1]}
            events.append({**at, **kernel, "args": {"device": 0, "stream": 7, **shape, **link}})


def rewritten(path: Path, name: str, calls: list[str]) -> None:
    """These calls in the event of that name, one after the other."""

    def change(events: list[dict[str, Any]]) -> None:
        (outer,) = (event for event in events if event["name"] == name)
        each = outer["dur"] / len(calls)
        for place, call in enumerate(calls):
            more = {"cat": "cuda_runtime", "name": call, "ts": outer["ts"] + place * each + 1, "dur": each - 2}
            events.append({**outer, **more})

    changed(path, change)


def with_steps_in(path: Path, name: str, category: str = "python_function") -> None:
    """Each step inside such an event."""
    changed(
        path,
        lambda events: events.extend(
            {**event, "cat": category, "name": name, "ts": event["ts"] + 1, "dur": event["dur"] - 2}
            for event in list(events)
            if event["name"].startswith("ProfilerStep")
        ),
    )


def launched_before(path: Path, gap_ns: int) -> None:
    """What is launched after the stop, before it."""

    def change(events: list[dict[str, Any]]) -> None:
        (waits,) = (event for event in events if event["name"] == "cudaStreamSynchronize")
        until = waits["ts"] + waits["dur"]
        for event in events:
            if event["cat"] in ("cpu_op", "cuda_runtime") and 0 < event["ts"] - until < 100:
                event["ts"] -= gap_ns / 1000 + 90

    changed(path, change)
