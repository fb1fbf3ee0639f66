"""A replay gives the recorded steps of real traces; where it cannot tell, it says why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.replay.trust import baseline, why_not
from tests.profiles import DEVICES, over, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

REFUSED = {"a100_2ranks_rank0", "a100_2ranks_rank1", "a100_rank0_queue", "mi300_resnet_ddp_checkpoint", "mi300_sglang_decode"}
REFUSED |= {"mtia_inference"}


@over(DEVICES + real())
def test_the_replay_is_the_recording_within_three_percent(path: Path) -> None:
    trace = trace_of(path)
    if why_not(trace) is not None:
        return
    found = baseline(trace)
    assert abs(found.error) <= 0.03
    assert abs(found.worst_error) <= 0.03
    assert found.graph.n_lost == 0


@over(real())
def test_an_estimate_is_refused_where_too_much_is_not_explained(path: Path) -> None:
    trace = trace_of(path)
    name = path.name.removesuffix(".json.gz")
    if name == "a100_cupti_counters":
        assert why_not(trace) == "launches were recorded, but no device work"
        return
    assert (baseline(trace).refused is not None) == (name in REFUSED)


@over(real("h100_qwen"))
def test_work_that_was_queued_before_the_steps_is_not_of_them(path: Path) -> None:
    assert baseline(trace_of(path)).not_launched_share == 0


@pytest.mark.parametrize(
    ("drawn", "says"),
    [
        ("thread 1 | ProfilerStep#1 0-100 | a 0-1\nstream 7 | x 10-40 | gemm 50-60 <- a | y 60-80", "launches of 66.7 %"),
        (
            (
                "thread 1 | ProfilerStep#1 0-1000 | a 0-1 | b 50-51 | c 100-101\n"
                "stream 7 | k 6-10 <- a | k 56-60 <- b | k 700-800 <- c"
            ),
            "in 59.4 % of the time",
        ),
    ],
)
def test_a_refusal_says_how_much_is_unknown(drawn: str, says: str) -> None:
    refused = baseline(trace_from_text(drawn)).refused
    assert refused is not None
    assert says in refused


BEHIND = """
    thread 1 | ProfilerStep#1 0-50 | a 10-20 | cudaLaunchKernel 10-20 | ProfilerStep#2 50-100 | b 60-70 | cudaLaunchKernel 60-70
    stream 7 | earlier 0-{until} | gemm {until}-200 <- a | gemm 200-300 <- b
"""


def test_steps_that_run_out_of_a_queue_from_before_are_refused() -> None:
    behind, not_behind = (baseline(trace_from_text(BEHIND.format(until=until))) for until in (80, 40))
    assert not_behind.refused is None
    assert not_behind.not_launched_share == 0
    assert behind.refused is not None
    assert "launches of 26.7 %" in behind.refused


def test_a_recording_without_steps_is_one_step() -> None:
    found = baseline(trace_from_text("thread 1 | a 0-10 | b 50-90\nstream 7 | k 6-30 <- a | k 56-120 <- b"))
    assert found.recorded_ns.tolist() == found.replayed_ns.tolist() == [120_000]


def test_a_file_without_a_host_or_without_a_device_says_so() -> None:
    assert why_not(trace_from_text("stream 7 | k 0-10")) is not None
    assert why_not(trace_from_text("thread 1 | cudaLaunchKernel 0-10")) is not None
    assert why_not(trace_from_text("thread 1 | a 0-10")) is None
