"""The start of a process in a recording is told, and claimed by nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.findings.facts import Facts
from tb_plugin.findings.found import found
from tb_plugin.formats.reader import read
from tb_plugin.views.whatif import VIEW as WHATIF
from tests.profiles import over, real
from tests.trace_text import trace_from_text
from tests.views.advice.asked import advice
from tests.views.advice.asked import found as found_in

if TYPE_CHECKING:
    from pathlib import Path

START = """
    thread 1 | cudaFree 0-300000 | cudaMalloc 300000-300100 | cudaMalloc 300100-300200 | aten::mm 300200-300300
    stream 7 | gemm 300300-301000 <- aten::mm
"""


def test_a_first_call_that_takes_long_is_start_up_and_nobody_elses() -> None:
    result = advice(START)
    assert [finding.id for finding in result.findings if finding.gain_ns is None] == ["start_up"]
    finding = found_in(result, "start_up")
    assert finding is not None
    assert (finding.gain_ns, finding.estimate_ns) == (None, None)
    assert result.findings[0] == finding
    assert result.verdict.changes[0].finding == "start_up"
    assert result.window_ns == 1_000_000
    assert sum(finding.gain_ns or 0 for finding in result.findings) <= 1_000_000


def test_what_if_begins_where_start_up_ends() -> None:
    trace = trace_from_text(START)
    assert WHATIF.main.answer(trace, WHATIF.main.params_from({})).recorded_ns == 1_000_000


WAIT = """
    thread 1 | first 0-1 | hipMemcpyWithStream 10-300000 | aten::mm 300100-300110 | aten::add 300200-300210
    stream 7 | zero 5-9 <- first | gemm 300120-300500 <- aten::mm | add 300500-300900 <- aten::add
"""


def test_a_first_copy_that_waits_for_nothing_in_the_file_is_left_out_and_counted_once() -> None:
    result = advice(WAIT)
    assert result.findings[0].id == "first_wait"
    assert result.findings[0].gain_ns is None
    assert result.window_ns == 900_000
    assert all((finding.gain_ns or 0) <= 900_000 for finding in result.findings)
    assert result.verdict.changes[0].finding == "first_wait"


def test_a_copy_that_waits_for_work_in_the_file_or_in_the_middle_is_none() -> None:
    worked = WAIT.replace("zero 5-9", "zero 5-299000")
    assert found_in(advice(worked), "first_wait") is None
    late = WAIT.replace("aten::mm 300100-300110 | aten::add 300200-300210", "aten::mm 2-3 | aten::add 4-5")
    assert (
        found_in(advice(late.replace("gemm 300120", "gemm 12").replace("300500 <- aten::mm", "20 <- aten::mm")), "first_wait")
        is None
    )


def test_calls_that_are_always_long_wait_for_the_device_or_copy_are_no_start_up() -> None:
    assert found_in(advice(START.replace("cudaFree", "cudaMemcpyAsync")), "start_up") is None
    assert found_in(advice(START.replace("cudaFree", "cudaStreamSynchronize")), "start_up") is None
    assert found_in(advice(START.replace("cudaFree 0-300000", "cudaFree 0-99000")), "start_up") is None
    twice = (
        "thread 1 | cudaFree 0-300000 | cudaFree 300000-600000 | aten::mm 600000-600010\nstream 7 | g 600010-601000 <- aten::mm"
    )
    assert found_in(advice(twice), "start_up") is None
    beside = "thread 1 | aten::mm 0-10 | cudaFree 10-300000\nstream 7 | gemm 5-299000 <- aten::mm"
    assert found_in(advice(beside), "start_up") is None


def test_steps_leave_out_what_came_before_them() -> None:
    text = START.replace("aten::mm 300200-300300", "ProfilerStep#1 300200-301000 | aten::mm 300200-300300")
    assert found_in(advice(text), "start_up") is None
    assert Facts(trace_from_text(text)).window_ns == 800_000


@over(real("a100_alexnet_cuda_sync"))
def test_a_recording_of_a_first_step_is_mostly_start_up(path: Path) -> None:
    trace = read(path)
    result = found(trace)
    first = result.seen[0]
    assert first.check.id == "start_up"
    assert [round(evidence.value / 1e9, 1) for evidence in first.seen.evidence[:3]] == [29.9, 6.0, 3.1]
    assert first.seen.evidence[-1].value == pytest.approx(55.5e6, rel=0.01)  # the model's copies to the device
    assert WHATIF.main.answer(trace, WHATIF.main.params_from({})).recorded_ns == pytest.approx(result.facts.window_ns, rel=0.01)


@over(real("mi300_sglang_decode"))
def test_a_server_of_which_one_step_was_recorded_waits_first(path: Path) -> None:
    result = found(read(path))
    assert [each.check.id for each in result.seen] == ["first_wait", "decode_bound"]
    assert result.seen[0].seen.evidence[0].value == pytest.approx(463.06e6, rel=0.001)
    assert result.facts.window_ns == pytest.approx(10.4e6, rel=0.01)


def test_the_sentence_says_which_figures_hold_start_up_and_the_work_in_it() -> None:
    small = found(trace_from_text(WAIT)).verdict.sentence
    assert "Charts and tables are of the whole recording (301 ms), with start-up." in small
    copied = WAIT.replace("zero 5-9 <- first", "Memcpy HtoD 5-2005 <- first | zero 2005-2205 <- first")
    large = found(trace_from_text(copied)).verdict.sentence
    assert "start-up: 2.20 ms of the 2.98 ms in which the device works lie there, 2.00 ms of it in Memcpy HtoD." in large


@over(real("a100_alexnet_cuda_sync"))
def test_work_that_lies_in_start_up_is_told_of(path: Path) -> None:
    sentence = found(read(path)).verdict.sentence
    assert "57.1 ms of the 66.1 ms in which the device works lie there, 55.5 ms of it in Memcpy HtoD (Pageable" in sentence
