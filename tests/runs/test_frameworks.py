"""How frameworks name their files, as a table; what must not be taken for such a name; and that no name takes long."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tb_plugin.runs import frameworks, names
from tb_plugin.runs.frameworks import ITERATION, NPU, ROWS, NamePattern
from tests.runs.small import chrome_json, drawn, put, scan

if TYPE_CHECKING:
    from pathlib import Path

S, MS, NS = "1717000000", "1717000000123", "1717000000123456789"
NODE = "node7_4242"
NPU_FOLDER = f"{NODE}_20261121101010123_ascend_pt"


class Shown(NamedTuple):
    """What a user sees of a logdir with one file."""

    run: str
    worker: str
    label: str
    span: str = NS
    span_label: str | None = None
    rank: int | None = None
    place: dict[str, int] = {}  # noqa: RUF012 - never changed


TABLE = {
    f"r/{NODE}.{NS}.pt.trace.json": Shown("r", NODE, "node7, process 4242"),
    f"r/{NODE}.{MS}.pt.trace.json.gz": Shown("r", NODE, "node7, process 4242", MS),
    f"hpu_profile/{NODE}.{NS}.pt.trace.json": Shown("hpu_profile", NODE, "node7, process 4242"),
    f"r/rank0.{NS}.pt.trace.json": Shown("r", "rank0", "rank 0", rank=0),
    f"r/fit-perf-0-[Strategy]DDPStrategy.training_step.{NS}.pt.trace.json": Shown(
        "r", "fit-perf-0-[Strategy]DDPStrategy.training_step", "local 0 · fit · training_step"
    ),
    f"r/validate-1-run_training_epoch.{NS}.pt.trace.json": Shown(
        "r", "validate-1-run_training_epoch", "local 1 · validate · run_training_epoch"
    ),
    "r/0_trace.json": Shown("r", "0_trace", "0_trace", "default"),
    "r/profile_3.json": Shown("r", "profile_3", "rank 3", "default", rank=3),
    "out/profile_traces/iteration_100/rank0_trace.json": Shown(
        "out/profile_traces", "rank0_trace", "rank 0", "iteration_100", "iteration 100", rank=0
    ),
    "profile_traces/iteration_100/replica_0/rank1_trace.json": Shown(
        "profile_traces", "replica_0/rank1_trace", "rank 1 · replica_0", "iteration_100", "iteration 100", rank=1
    ),
    "memory_snapshot/iteration_5_exit/rank0_memory_snapshot.pickle": Shown(
        "memory_snapshot", "rank0", "rank 0", "iteration_5_exit", "iteration 5 · exit · memory snapshot", rank=0
    ),
    f"profiler_output/iteration_10/rank0.{NS}.pt.trace.json.gz": Shown(
        "profiler_output", "rank0", "rank 0", "iteration_10", "iteration 10", rank=0
    ),
    f"r/global_step_7/{NODE}.{NS}.pt.trace.json": Shown("r", NODE, "node7, process 4242", "global_step_7", "global_step 7"),
    "torch_profile/rank-10.json.gz": Shown("torch_profile", "rank-10", "rank 10", "default", rank=10),
    f"r/train_overall_rank_0.{NS}.pt.trace.json.gz": Shown("r", "train_overall_rank_0", "rank 0", rank=0),
    "traces/device/rank-0.json": Shown("traces/device", "rank-0", "rank 0", "default", rank=0),
    "actor/e2e_prof_rank-3.json.gz": Shown("actor", "e2e_prof_rank-3", "rank 3", "default", rank=3),
    f"r/dp0_pp0_tp1_dcp0_ep1_rank1.{NS}.pt.trace.json.gz": Shown(
        "r", "dp0_pp0_tp1_dcp0_ep1_rank1", "rank 1", rank=1, place={"tp": 1, "pp": 0, "dp": 0, "dcp": 0, "ep": 1}
    ),
    f"r/mine_dp0_pp0_tp0_dcp0_ep0_rank0.{NS}.pt.trace.json": Shown(
        "r", "mine_dp0_pp0_tp0_dcp0_ep0_rank0", "rank 0", rank=0, place=dict.fromkeys(("tp", "pp", "dp", "dcp", "ep"), 0)
    ),
    f"r/vllm-7f-rank-0.{NS}.pt.trace.json.gz": Shown("r", "vllm-7f-rank-0", "rank 0", rank=0),
    f"r/{NODE}.async_llm.{NS}.pt.trace.json.gz": Shown("r", f"{NODE}.async_llm", "front end"),
    "r/wan_rank0.trace.json.gz": Shown("r", "wan_rank0.trace", "rank 0", "default", rank=0),
    "r/wan_rank1.json": Shown("r", "wan_rank1", "rank 1", "default", rank=1),
    f"r/{S}.1234567-TP-0-DECODE.trace.json.gz": Shown("r", "TP-0", "TP 0", f"{S}.1234567-DECODE", "DECODE", place={"tp": 0}),
    f"r/{S}.1234567-TP-0-EP-1.trace.json.gz": Shown("r", "TP-0-EP-1", "TP 0 · EP 1", f"{S}.1234567", place={"tp": 0, "ep": 1}),
    f"r/bench-{S}.1-TP-3-DP-1-PP-2-EP-0-prefill.trace.json.gz": Shown(
        "r",
        "TP-3-DP-1-PP-2-EP-0",
        "TP 3 · PP 2 · DP 1 · EP 0",
        f"bench-{S}.1-prefill",
        "bench · prefill",
        place={"tp": 3, "pp": 2, "dp": 1, "ep": 0},
    ),
    f"r/{S}.99-TP-0-memory-DECODE.pickle": Shown(
        "r", "TP-0", "TP 0", f"{S}.99-DECODE", "DECODE · memory snapshot", place={"tp": 0}
    ),
    "graph_capture_profile/cuda_graph_capture-Runner-TP-0.json.gz": Shown(
        "graph_capture_profile", "TP-0", "TP 0", "cuda_graph_capture-Runner", "cuda_graph_capture-Runner", place={"tp": 0}
    ),
    "r/trace-rank-3.json": Shown("r", "trace-rank-3", "rank 3", "default", rank=3),
    "job/torch_traces/rank3.7.pt.trace.json": Shown("job/torch_traces", "rank3", "rank 3", "7", "batch 7", rank=3),
    "log/profiler-trace-iter20.json": Shown("log", "profiler-trace", "profiler-trace", "iter20", "iteration 20"),
    "r/libkineto_activities_4242.json": Shown("r", "libkineto_activities_4242", "process 4242", "default"),
    f"logs/{NPU_FOLDER}/ASCEND_PROFILER_OUTPUT/trace_view.json": Shown("logs", NODE, "node7, process 4242", "20261121101010123"),
    "r/trace_rank_3_step_120.json": Shown("r", "trace_rank_3", "rank 3", "step_120", "step 120", rank=3),
    "r/rank0-iter20.json": Shown("r", "rank0", "rank 0", "iter20", "iter 20", rank=0),
    "r/trace.json": Shown("r", "trace", "trace", "default"),
    "r/chrome_trace.json": Shown("r", "chrome_trace", "chrome_trace", "default"),
}
SNAPSHOT = b"\x80\x04\x95" + b"\x00" * 8 + b"}\x94(\x8c\x08segments\x94]\x94\x8c\x0ddevice_traces\x94]\x94u."


@pytest.mark.parametrize("path", TABLE)
def test_a_framework_s_file_becomes_run_worker_rank_place_and_span(tmp_path: Path, path: str) -> None:
    content = SNAPSHOT if path.endswith(".pickle") else chrome_json(rank=None)
    put(tmp_path / path, content)
    ((run,),) = [scan(tmp_path).runs]
    ((worker,),) = [run.workers]
    ((span,),) = [worker.spans]
    who = worker.identity()
    assert Shown(run.name, worker.name, who.label, span.name, span.label, who.rank, dict(worker.place)) == TABLE[path]
    assert who.rank_from == (None if who.rank is None else "name")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.who)
def test_each_row_is_the_first_that_fits_its_sample(row: NamePattern) -> None:
    assert frameworks.of_stem(row.sample)[0] is row


def test_folders_fit_their_samples() -> None:
    file = names.parse("rank0_trace.json")
    view = names.parse("trace_view.json")
    assert file is not None
    assert view is not None
    assert frameworks.read(ITERATION.sample, file).run == "profile_traces"
    assert frameworks.read(NPU.sample.rpartition("/")[0], view).run == "logs"


@pytest.mark.parametrize(
    "stem",
    [
        *("frank3", "chrome_trace", "profiler_info_3", "profiler_metadata", "kernel_details", "rank", "ranking_3", "rank3b"),
        *("my_profile_3", "profile_3_old", "profiler-trace-iterx", "TP-0", "x-TP-a", "dp0_pp0_tp1", "fit-perf-training_step"),
        *("worker0_step_12.1694128201545", "worker_3.1694128201545", f"run_iter_5.{NS}", "node7_4242", "report1", "rank99999999"),
    ],
)
def test_no_row_fits_other_names(stem: str) -> None:
    assert frameworks.of_stem(stem)[1] == {}


@pytest.mark.parametrize(
    "folder", ["step", "my_iteration_5", "iteration_5/deeper", "iteration_x", "iteration_5_exits", "r/steps_5"]
)
def test_other_folders_are_no_iterations(folder: str) -> None:
    name = names.parse("rank0.json")
    assert name is not None
    said = frameworks.read(folder, name)
    assert (said.run, said.span) == (folder, "default")


def test_ten_thousand_names_take_no_time() -> None:
    kinds = [names.parse(path.rpartition("/")[2]) for path in TABLE]
    stems = [name.stem.replace("4242", str(n)) for n in range(10_000 // len(kinds)) for name in kinds if name is not None]
    assert _best_s(lambda: [frameworks.of_stem(stem) for stem in stems]) < 0.2


@pytest.mark.parametrize(
    "stem",
    [
        *("rank" * 63, "rank_" * 50, "rank1_" * 42, "_rank1" * 42, "rank1_step_1" * 20, "-TP-0" * 50, "1717000000.1-TP-" * 15),
        *("fit-0-" * 42, "fit-" + "1-" * 125, "fit-0-" + "_step" * 49, "_1." * 84, "libkineto_trace_1" * 14 + "x", "dp0_" * 62),
        *(
            "_" * 255,
            "." * 255,
            "1" * 255,
            "-" * 255,
            "rank1" + "._-" * 83,
            "x_rank1" + "-step-1" * 35 + "!",
            "_" * 120 + "rank1" + "_" * 120 + "!",
        ),
    ],
)
def test_no_name_takes_long(stem: str) -> None:
    assert _best_s(lambda: [frameworks.of_stem(stem[:250] + "."), frameworks.of_stem(stem[:255])]) < 0.05
    name = names.parse(f"x{stem[:245]}.json")
    assert name is not None
    assert _best_s(lambda: [names.parse(f"x{stem[:245]}.jsn"), frameworks.read("/".join([stem] * 3), name)]) < 0.05


def _best_s(do: object) -> float:
    """Processor time, the best of five: the limits are about our patterns, not about a busy machine."""
    assert callable(do)
    took = []
    for _ in range(5):
        started = time.process_time()
        do()
        took.append(time.process_time() - started)
    return min(took)


def test_a_job_of_torchtitan_is_one_run(tmp_path: Path) -> None:
    """With the ranks known before any file is opened: these files could not be."""
    for iteration in (2, 10, 100):
        for rank in range(8):
            put(tmp_path / f"profile_traces/iteration_{iteration}/rank{rank}_trace.json", chrome_json(rank=None))
    (run,) = scan(tmp_path).runs
    assert [worker.identity()[:3] for worker in run.workers] == [(f"rank {rank}", rank, "name") for rank in range(8)]
    assert {tuple(span.name for span in worker.spans) for worker in run.workers} == {
        ("iteration_2", "iteration_10", "iteration_100")
    }


def test_stages_of_sglang_are_spans_of_one_worker(tmp_path: Path) -> None:
    for rank in (0, 1):
        for stage in ("EXTEND", "DECODE"):
            put(tmp_path / f"r/{S}.1234567-TP-{rank}-{stage}.trace.json.gz")
    spans = [f"{S}.1234567-DECODE", f"{S}.1234567-EXTEND"]
    assert drawn(scan(tmp_path)) == {"r/TP-0": spans, "r/TP-1": spans}


def test_torch_npu_has_the_rank_in_the_name_of_a_neighbour(tmp_path: Path) -> None:
    for rank in (3, 4):
        folder = tmp_path / f"logs/node7_{rank}_20261121101010123_ascend_pt"
        put(folder / "ASCEND_PROFILER_OUTPUT/trace_view.json", b'[{"ph": "M", "name": "process_name", "args": {"name": "CANN"}}]')
        put(folder / f"profiler_info_{rank}.json", b'{"config": {}}')
    (run,) = scan(tmp_path).runs
    assert [worker.identity().label for worker in run.workers] == ["rank 3 · node7, process 3", "rank 4 · node7, process 4"]
