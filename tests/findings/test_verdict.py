"""The answer in a sentence: what bounds the step, with the shares of the overview, and what to change first."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest

from tb_plugin.findings.found import found
from tb_plugin.findings.verdict import verdict_text
from tb_plugin.formats import reader
from tb_plugin.question.question import NoParams
from tb_plugin.trace.model import Issue
from tb_plugin.views.advice.compute import compute
from tb_plugin.views.advice.result import AdviceParams
from tb_plugin.views.runs.summary import summary
from tests.profiles import over, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

LOADER = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
DRAWN = {
    "device": """
        thread 1 | ProfilerStep#1 0-100 | aten::mm 0-5
        stream 7 | gemm 5-95 <- aten::mm
    """,
    "host": """
        thread 1 | ProfilerStep#1 0-100 | aten::mm 0-5 | aten::add 60-65
        stream 7 | gemm 5-30 <- aten::mm | add 66-96 <- aten::add
    """,
    "input": f"""
        thread 1 | ProfilerStep#1 0-100 | {LOADER} 0-40 | aten::mm 45-50
        stream 7 | gemm 45-95 <- aten::mm
    """,
    "communication": """
        thread 1 | ProfilerStep#1 0-100 | aten::mm 0-5 | c10d::allreduce_ 5-8
        stream 7 | gemm 5-50 <- aten::mm
        stream 9 | ncclDevKernel_AllReduce 50-98 <- c10d::allreduce_
    """,
    "recording": """
        thread 1 | ProfilerStep#1 0-200 | aten::mm 0-5 | aten::add 5-8
        stream 7 | gemm 5-50 <- aten::mm | add 150-198 <- aten::add
    """,
    "mixed": """
        thread 1 | ProfilerStep#1 0-100 | aten::mm 0-5 | aten::add 70-72
        stream 7 | gemm 5-50 <- aten::mm | add 72-98 <- aten::add
    """,
    "host_only": "thread 1 | ProfilerStep#1 0-100 | aten::mm 0-5",
}


@pytest.mark.parametrize("bound", DRAWN)
def test_what_bounds_the_step(bound: str) -> None:
    assert found(trace_from_text(DRAWN[bound])).verdict.bound == bound


def test_a_recording_without_events_is_called_so(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"schemaVersion": 1, "traceEvents": []}')
    assert found(reader.read(path)).verdict.sentence == "The recording holds no events."


def test_kernels_of_no_known_kind_are_called_so() -> None:
    """ "Other" of a sentence can be read as other than what the list beside it calls kernels."""
    said = found(
        trace_from_text("""
        thread 1 | ProfilerStep#1 0-100 | my_op 0-5
        stream 7 | kernel_1 5-95 <- my_op
    """)
    ).verdict
    assert said.sentence.startswith(
        "The device is the limit: it is busy 90.0 % of the step (100 us), with kernels of no known kind 90.0 %"
    )


def test_the_first_change_is_the_first_finding_with_its_gain_of_a_step() -> None:
    two_steps = f"""
        thread 1 | ProfilerStep#1 0-100 | {LOADER} 0-40 | aten::mm 45-50
        thread 1 | ProfilerStep#2 100-200 | {LOADER} 100-140 | aten::mm 145-150
        stream 7 | gemm 45-95 <- aten::mm | gemm 145-195 <- aten::mm
    """
    change, *_ = found(trace_from_text(two_steps)).verdict.changes
    assert change.finding == "data_loader"
    assert change.sentence.startswith("Change first: ")
    assert "(about 40.0 us, 40.0 %, at most 40.0 us" in change.sentence


def test_where_no_operator_ran_the_users_range_around_most_of_it_is_named() -> None:
    step = "thread 1 | ProfilerStep#1 0-100 | <backward> 20-100 | aten::mm 80-100"
    said = found(trace_from_text(step)).verdict.sentence
    assert (
        "(100 us) no operator 80.0 % and matrix multiply 20.0 % (without Python stacks; in backward without an operator 60"
        in said
    )
    nowhere = found(trace_from_text(step.replace("20-100", "60-100"))).verdict.sentence
    assert "(without Python stacks)" in nowhere


def test_a_step_that_is_no_usual_one_is_named_and_shares_stand_beside_the_mean() -> None:
    trace = trace_from_text("""
        thread 1 | ProfilerStep#1 0-100 | aten::mm 0-5
        thread 1 | ProfilerStep#2 100-200 | aten::mm 100-105
        thread 1 | ProfilerStep#3 200-500 | aten::mm 490-495
        stream 7 | gemm 5-98 <- aten::mm | gemm 105-198 <- aten::mm | gemm 495-500 <- aten::mm
    """)
    said = found(trace).verdict
    assert said.bound == "host"
    assert "of the step (167 us on average)" in said.sentence
    assert any("Step 3 takes 300 us, the usual one 100 us" in doubt for doubt in said.doubts)


def test_the_larger_of_two_causes_is_the_limit() -> None:
    trace = trace_from_text("""
        thread 1 | ProfilerStep#1 0-100 | aten::mm 0-5 | c10d::allreduce_ 5-8 | aten::add 85-90
        stream 7 | gemm 5-20 <- aten::mm | add 91-99 <- aten::add
        stream 9 | ncclDevKernel_AllReduce 20-45 <- c10d::allreduce_
    """)
    said = found(trace).verdict
    assert said.bound == "host"
    assert said.share == pytest.approx(0.41)


def test_a_file_that_is_cut_off_claims_no_idle_time() -> None:
    trace = trace_from_text(DRAWN["host"])
    cut = dataclasses.replace(trace, issues=(Issue(kind="truncated", text="the file ends too early"),))
    said, all_found = found(cut).verdict, found(cut)
    assert said.bound == "recording"
    assert "cut off" in said.sentence
    assert {each.check.id for each in all_found.seen}.isdisjoint({"host_bound", "synchronising", "data_loader"})
    assert any(need.instead(cut) == "the file is cut off" for need in all_found.lacking)


def test_of_a_host_alone_its_parts_are_said() -> None:
    said = found(trace_from_text("thread 1 | ProfilerStep#1 0-100 | gloo:all_reduce 0-80 | aten::mm 80-90")).verdict
    assert "communication 80.0 %" in said.sentence


def test_what_is_to_be_doubted_is_said() -> None:
    trace = trace_from_text("""
        thread 1 | ProfilerStep#1 0-100 | aten::mm 0-5 | aten::add 60-65
        stream 7 | gemm 5-30 <- aten::mm | add 66-80 <- aten::add | other 80-95
    """)
    said = found(trace).verdict
    assert any("27.8 % of the device's work has no launch" in doubt for doubt in said.doubts)
    assert any("One step" in doubt for doubt in said.doubts)
    assert all(doubt in verdict_text(said).replace("\n", " ") for doubt in said.doubts)


def test_what_knows_no_gain_is_named_where_nothing_else_is_left() -> None:
    answer = found(trace_from_text("thread 1 | ProfilerStep#1 0-100 | aten::mm 0-5")).verdict
    assert [change.finding for change in answer.changes] == ["between_operators"]
    assert "up to" not in answer.changes[0].sentence


def test_a_busy_device_gets_its_sentence_also_where_nothing_is_to_be_changed() -> None:
    busy = "thread 1 | ProfilerStep#1 0-100 | aten::mm 0-5\nstream 7 | gemm 4-98 <- aten::mm\nstream 8 | copied 28-98"
    said = found(trace_from_text(busy)).verdict
    assert said.changes == []
    assert "Most of it: gemm (59.0 %), copied (35.0 %)." in said.sentence  # an instant of both is half of each


def test_copies_count_where_no_kernel_runs() -> None:
    beside = "thread 1 | ProfilerStep#1 0-100 | aten::mm 0-5\nstream 7 | k 5-95 <- aten::mm\nstream 8 | Memcpy HtoD 20-98"
    said = found(trace_from_text(beside)).verdict
    assert "busy 93.0 % of the step (100 us), with matrix multiply 90.0 % and copy 3.0 %" in said.sentence


@over(real("h100_owlv2"))
def test_of_a_model_that_waits_for_its_images_it_names_the_line_and_attention(path: Path) -> None:
    said = found(trace_of(path)).verdict
    assert said.bound == "input"
    assert said.share == pytest.approx(0.511, abs=0.002)
    assert [change.finding for change in said.changes] == ["host_line", "unfused_attention"]
    assert "zoom_shift (about 529 ms, 43.7 %, at most 529 ms, scipy/ndimage/_interpolation.py:739)" in said.changes[0].sentence


def test_what_is_too_small_to_be_listed_leads_no_sentence() -> None:
    loop = " | ".join(f"aten::select {10 * i}-{10 * i + 4} | aten::fill_ {10 * i + 5}-{10 * i + 9}" for i in range(12))
    for lasting_us, listed in ((5_000, ["loop_indexing"]), (20_000, [])):
        trace = trace_from_text(f"thread 1 | ProfilerStep#1 0-{lasting_us} | aten::mm 200-{lasting_us} | {loop}")
        every = [each.check.id for each in found(trace).seen]
        assert every == ["loop_indexing"]
        said, advice = found(trace).verdict, compute(trace, AdviceParams())
        assert [change.finding for change in said.changes] == [each.id for each in advice.findings] == listed
        assert compute(trace, AdviceParams(all=True)).verdict.changes == said.changes
        assert said.sentence.endswith(" No check found anything to change that could gain 1 % of it or more.") == (not listed)
        figures = summary(trace, NoParams())
        assert (figures.finding is None, figures.n_findings) == (not listed, len(listed))
