"""A rank that stands still more than once in a step."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member
from tests.job_files import Job

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MS = 1_000_000
STEPS = (10, 11, 12)


def length_of(folder: Path, **more: Any) -> float:
    """Of the second and third step of the job as it truly was."""
    job = Job(n_ranks=8, ranks_per_node=4, **more)
    job.write(folder)
    ends = [max(met.end for met in job.met if met.step == step) for step in STEPS]
    return float(np.diff(ends).mean())


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
    assert f"Rank 3 (node0) stands still in `{name}` in step 11: 4" in one.sentence
    assert not any("garbage" in doubt for doubt in table.doubts)
    if not any("Synchronize" in each for _, each in events):  # what a wait for the device lasts too long no edit changes
        assert one.step_without_ns == pytest.approx(truth, rel=0.02)
    assert [helps for each, helps in _HELPS.items() if helps in one.sentence] == ([_HELPS[cause]] if cause in _HELPS else [])


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


def test_activations_that_are_computed_twice_are_no_checkpoint(tmp_path: Path) -> None:
    """Kernels are launched in the range, which is around the gap like any other."""
    Job(n_ranks=8, ranks_per_node=4, stops={(3, STEPS[1], 2): 4 * MS}).write(tmp_path)
    with_steps_in(tmp_path / file_of(tmp_path, 3), "layers with checkpointing", "user_annotation")
    (one,) = join([member(path) for path in sorted(tmp_path.iterdir())], RanksParams()).blamed
    assert (one.cause, one.event) == ("pause", None)


def test_an_event_of_the_host_is_no_reason_where_work_was_launched_before(tmp_path: Path) -> None:
    """Its device has something to do and does not: the host only waits for it."""
    stop = (3, STEPS[1], 2)
    waits = [("cuda_runtime", "cudaStreamSynchronize")]
    Job(n_ranks=8, ranks_per_node=4, stops={stop: 4 * MS}, stops_in={stop: waits}).write(tmp_path)
    launched_before(tmp_path / file_of(tmp_path, 3), 4 * MS)
    (one,) = join([member(path) for path in sorted(tmp_path.iterdir())], RanksParams()).blamed
    assert (one.cause, one.event) == ("pause", None)


def file_of(folder: Path, rank: int) -> str:
    return next(path.name for path in folder.iterdir() if path.name.startswith(f"rank{rank}."))


def changed(path: Path, change: Callable[[list[dict[str, Any]]], None]) -> None:
    data = json.loads(gzip.decompress(path.read_bytes()))
    change(data["traceEvents"])
    path.write_bytes(gzip.compress(json.dumps(data).encode(), 1))


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
