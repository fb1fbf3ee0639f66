"""Which profile is shown, by which names it is found, and what its content says about who recorded it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_plugin.base.errors import NotFoundError
from tb_plugin.formats import reader
from tb_plugin.formats.stored import profile_pb
from tb_plugin.runs import frameworks, names
from tb_plugin.runs.catalogue import Address, Catalogue, ProfileFile
from tb_plugin.runs.gather import FoundFile, gather
from tb_plugin.runs.heads import Head
from tests.runs.small import FOREIGN, chrome_json, drawn, put, scan

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.runs.catalogue import Run

OLD, NEW = "1717000000000000000", "1718000000000000000"


def chosen(catalogue: Catalogue, *asked: str | None) -> Address:
    return Address(*(part.name for part in catalogue.choose(*asked)))


def labels(catalogue: Catalogue) -> list[str]:
    return [worker.identity().label for run in catalogue.runs for worker in run.workers]


def at(path: Path, second: int) -> None:
    os.utime(path, (second, second))


def test_the_newest_run_is_shown_whatever_its_name(tmp_path: Path) -> None:
    put(tmp_path / f"b/w1.{NEW}.pt.trace.json")
    put(tmp_path / f"b/w2.{OLD}.pt.trace.json")
    put(tmp_path / f"a/w1.{OLD}.pt.trace.json")
    put(tmp_path / f"c/w1.{OLD[:13]}.pt.trace.json")
    assert chosen(scan(tmp_path)) == ("b", "w1", NEW)
    assert chosen(scan(tmp_path), "a") == ("a", "w1", OLD)


def test_without_a_time_in_the_name_the_file_s_own_counts(tmp_path: Path) -> None:
    at(put(tmp_path / "a/trace.json"), int(NEW[:10]))
    put(tmp_path / f"b/w.{OLD}.pt.trace.json")
    assert chosen(scan(tmp_path)).run == "a"
    at(tmp_path / "a/trace.json", int(OLD[:10]) - 5)
    assert chosen(scan(tmp_path)).run == "b"


def test_of_equally_new_runs_the_last_is_shown(tmp_path: Path) -> None:
    for run in ("run2", "run10"):
        put(tmp_path / run / f"w.{OLD}.pt.trace.json")
    assert chosen(scan(tmp_path)).run == "run10"


def test_a_span_that_failed_is_not_what_a_new_user_sees_first(tmp_path: Path) -> None:
    for time in (OLD, NEW):
        put(tmp_path / f"w.{time}.pt.trace.json")
    ((run,),) = [scan(tmp_path).runs]
    assert run.workers[0].opens(lambda span: span.name == NEW).name == OLD
    assert run.workers[0].opens(lambda _: True).name == NEW


def test_another_tool_s_trace_is_listed_last_and_never_what_is_shown(tmp_path: Path) -> None:
    put(tmp_path / "aaa/clang.json", FOREIGN)
    put(tmp_path / f"run/w.{OLD}.pt.trace.json")
    put(tmp_path / "run/a_clang.json", FOREIGN)
    catalogue = scan(tmp_path)
    assert [run.name for run in catalogue.runs] == ["run", "aaa"]
    assert [worker.name for worker in catalogue.runs[0].workers] == ["w", "a_clang"]
    assert [span.foreign for span in catalogue.spans()] == [False, True, True]
    assert chosen(catalogue) == ("run", "w", OLD)
    assert chosen(catalogue, "aaa") == ("aaa", "clang", "default")


def test_where_only_other_tools_wrote_a_run_must_be_named(tmp_path: Path) -> None:
    put(tmp_path / "aaa/clang.json", FOREIGN)
    assert scan(tmp_path).opens() is None
    with pytest.raises(NotFoundError, match=r"no profile of torch here; name a run .*: aaa"):
        scan(tmp_path).choose()


def test_no_profile_of_torch_is_taken_for_another_tool_s(traces: Path) -> None:
    foreign = [span.files[0].name for span in scan(traces).spans() if span.foreign]
    assert foreign == ["pp4_iter10.json.gz"], "written by Megatron's own timers"


def test_a_memory_snapshot_stands_beside_the_trace_of_its_span(tmp_path: Path) -> None:
    folder = tmp_path / "profiler_output/iteration_10"
    for rank in (0, 1):
        put(folder / f"rank{rank}.{OLD}.pt.trace.json.gz")
        put(folder / f"rank{rank}_memory_snapshot.pt.trace.json")
    catalogue = scan(tmp_path)
    assert drawn(catalogue) == {f"profiler_output/rank{rank}": ["iteration_10-memory", "iteration_10"] for rank in (0, 1)}
    assert [span.label for span in catalogue.runs[0].workers[0].spans] == ["iteration 10 · memory snapshot", "iteration 10"]
    assert chosen(catalogue) == ("profiler_output", "rank0", "iteration_10")


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (
            "profile_traces/iteration_100/rank0_trace.json",
            ("profile_traces/iteration_100", "rank0_trace", "default"),
            ("profile_traces", "rank0_trace", "iteration_100"),
        ),
        (
            f"out/iteration_10/rank0.{OLD}.pt.trace.json.gz",
            ("out/iteration_10", "rank0", OLD),
            ("out", "rank0", "iteration_10"),
        ),
        (
            "r/1717000000.1-TP-0-DECODE.trace.json.gz",
            ("r", "1717000000.1-TP-0-DECODE.trace", "default"),
            ("r", "TP-0", "1717000000.1-DECODE"),
        ),
        ("r/trace_rank_3_step_120.json", ("r", "trace_rank_3_step_120", "default"), ("r", "trace_rank_3", "step_120")),
        ("r/profiler-trace-iter20.json", ("r", "profiler-trace-iter20", "default"), ("r", "profiler-trace", "iter20")),
    ],
)
def test_links_made_before_frameworks_were_known_keep_working(
    tmp_path: Path, path: str, old: tuple[str, str, str], new: tuple[str, str, str]
) -> None:
    put(tmp_path / path)
    put(tmp_path / f"other/w.{NEW}.pt.trace.json")
    catalogue = scan(tmp_path)
    assert chosen(catalogue, *new) == new
    assert chosen(catalogue, *old) == new
    assert chosen(catalogue, *old[:2]) == new
    with pytest.raises(NotFoundError):
        catalogue.choose(old[0], old[1], "7")


def test_content_says_the_rank_and_the_worker_says_where_its_name_differs(tmp_path: Path) -> None:
    put(tmp_path / f"rank3.{OLD}.pt.trace.json.gz", chrome_json(rank=5))
    put(tmp_path / f"rank4.{OLD}.pt.trace.json", chrome_json(rank=None))
    put(tmp_path / f"node_7.{OLD}.pt.trace.json", chrome_json(rank=0))
    node, four, five = (worker.identity() for worker in scan(tmp_path).runs[0].workers)
    assert node == ("rank 0 · node, process 7", 0, "content", None)
    assert four == ("rank 4", 4, "name", None)
    assert five == ("rank 5", 5, "content", "named rank 3, but the profile says rank 5: that is shown")


def test_a_stored_profile_says_its_rank_too(tmp_path: Path) -> None:
    trace = reader.read(put(tmp_path / "a.json", chrome_json(rank=6)))
    (tmp_path / "logs").mkdir()
    profile_pb.write(trace, tmp_path / "logs" / f"w.{OLD}.pt.profile.pb")
    assert labels(scan(tmp_path / "logs")) == ["rank 6 · w"]


def test_an_opened_profile_says_the_rank_where_its_first_bytes_did_not(tmp_path: Path) -> None:
    put(tmp_path / f"w.{OLD}.pt.trace.json", chrome_json(rank=None))
    worker = scan(tmp_path).runs[0].workers[0]
    assert worker.identity() == ("w", None, None, None)
    assert worker.identity(2) == ("rank 2 · w", 2, "content", None)


def test_two_ranks_that_write_under_one_name_are_two_workers(tmp_path: Path) -> None:
    """Lightning writes the local rank: two nodes that share a folder have the same."""
    for time, rank in ((OLD, 0), (NEW, 8)):
        put(tmp_path / f"fit-perf-0-DDPStrategy.training_step.{time}.pt.trace.json", chrome_json(rank=rank))
    catalogue = scan(tmp_path)
    stem = "fit-perf-0-DDPStrategy.training_step"
    assert drawn(catalogue) == {
        f"{tmp_path.name}/{stem}@rank0": [OLD],
        f"{tmp_path.name}/{stem}@rank8": [NEW],
    }
    assert labels(catalogue) == [f"rank {rank} · local 0 · fit · training_step" for rank in (0, 8)]
    assert chosen(catalogue, tmp_path.name, stem, NEW).worker == f"{stem}@rank8"


def test_labels_say_what_tells_workers_apart(tmp_path: Path) -> None:
    for rank in (0, 1):
        put(tmp_path / f"a_vllm/dp0_pp0_tp{rank}_dcp0_ep0_rank{rank}.{OLD}.pt.trace.json", chrome_json(rank=None))
        put(tmp_path / f"b_verl/prof_rank-{rank}.json", chrome_json(rank=None))
    put(tmp_path / "b_verl/e2e_prof_rank-0.json", chrome_json(rank=None))
    put(tmp_path / f"a_vllm/node_7.async_llm.{OLD}.pt.trace.json", chrome_json(rank=None))
    put(tmp_path / "c/rank0_one.json", chrome_json(rank=None))
    put(tmp_path / "c/rank0_two.json", chrome_json(rank=None))
    assert labels(scan(tmp_path)) == [
        *("rank 0 · TP 0", "rank 1 · TP 1", "front end"),
        *("e2e_prof · rank 0", "prof · rank 0", "prof · rank 1"),
        *("rank 0 · rank0_one", "rank 0 · rank0_two"),
    ]


def test_spans_are_in_the_order_of_their_recording(tmp_path: Path) -> None:
    for name in (f"w.{NEW}", f"w.{OLD[:13]}", "w.100", "w.99", "w"):
        put(tmp_path / f"{name}.pt.trace.json")
    assert list(drawn(scan(tmp_path)).values()) == [["default", "99", "100", OLD[:13], NEW]]


_PIECE = st.sampled_from(
    ["rank0", "rank", "1", "TP-0", "-", "_", ".", "trace", "memory_snapshot", "step_5", OLD, "a", "A", "dp0", "x.trace", "@rank3"]
)
_STEM = st.lists(_PIECE, min_size=1, max_size=5).map("".join) | st.text("aB1 .-_@#\n\u00e9", min_size=1, max_size=8)
_FOLDER = st.sampled_from(
    ["", "r", "iteration_5", "r/iteration_5", "r/iteration_5/replica_0", "r/step_5", "iteration_5/iteration_5"]
)
_NAME = st.builds(str.__add__, _STEM, st.sampled_from([*names.SURE_ENDINGS, ".json", ".JSON", ".pickle", ".pb", ".sqlite"]))
_FEW = st.none() | st.integers(0, 3)
_HEAD = (
    st.builds(Head, foreign=st.booleans(), rank=_FEW, world_size=_FEW, began_ns=_FEW.map(lambda n: n and n * 10**12)) | st.none()
)


@given(st.dictionaries(st.tuples(_FOLDER, _NAME), _HEAD, max_size=12))
def test_any_files_are_each_in_exactly_one_span_under_names_of_its_own(files: dict[tuple[str, str], Head | None]) -> None:
    found, heads = [], {}
    for (folder, file_name), head in files.items():
        name = names.parse(file_name)
        if name is not None:
            file = ProfileFile(path=f"/logs/{folder}/{file_name}", size_bytes=1, mtime_ns=1)
            heads[file] = head
            said = frameworks.read(folder, name)
            found.append(FoundFile(file, name, said, said.run, said.rank, folder))
    runs = gather(found, heads.get)
    catalogue = Catalogue(runs=runs)
    assert sorted(file.path for span in catalogue.spans() for file in span.files) == sorted(file.path for file in heads)
    for address in addresses(runs):
        assert chosen(catalogue, *address) == address
    assert len(set(addresses(runs))) == len(addresses(runs))
    for each in found:  # an old link opens some profile, or is the name of one now
        catalogue.choose(*each.was)


def addresses(runs: tuple[Run, ...]) -> list[Address]:
    return [Address(run.name, worker.name, span.name) for run in runs for worker in run.workers for span in worker.spans]
