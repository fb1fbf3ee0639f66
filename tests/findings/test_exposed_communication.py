"""What a rank waits for in collectives one profile does not know; a stage of a pipeline is not told to make buckets larger."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from tb_plugin.findings.found import found
from tb_plugin.views.advice.compute import compute
from tb_plugin.views.advice.result import AdviceParams
from tests.profiles import job, over, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace
    from tb_plugin.views.advice.result import Finding


WAITS = """
    thread 1 | ProfilerStep#1 0-100 | aten::mm 0-5 | c10d::allreduce_ 5-8
    stream 7 | gemm 5-50 <- aten::mm
    stream 9 | ncclDevKernel_AllReduce 50-98 <- c10d::allreduce_
"""


def asked(path: Path) -> Finding:
    return of(trace_of(path))


def of(trace: Trace) -> Finding:
    findings = compute(trace, AdviceParams(all=True)).findings
    return next(each for each in findings if each.id == "exposed_communication")


@pytest.mark.parametrize("size", [2, None])
def test_one_of_several_ranks_does_not_know_what_it_waits_for(size: int | None) -> None:
    trace = of_size(size)
    assert of(trace).confidence == "maybe"
    assert of(trace).title.startswith("See in Ranks whether a rank comes late")
    said = found(trace).verdict
    assert said.sentence.startswith("Communication, or waiting for another rank, is the limit")
    assert said.of_ranks == "One rank's profile cannot tell which."


def test_a_rank_alone_waits_for_nobody() -> None:
    assert of(of_size(1)).confidence == "likely"
    assert of(of_size(1)).title.startswith("Hide communication")
    assert found(of_size(1)).verdict.sentence.startswith("Communication is the limit")


def of_size(world_size: int | None) -> Trace:
    trace = trace_from_text(WAITS)
    return dataclasses.replace(trace, info=replace(trace.info, world_size=world_size))


@over([*job("syn8_pp4_dp2_stage")[:1], *job("syn8_tp2_pp2_dp2_slow")[:1]])
def test_a_stage_that_waits_to_receive_is_in_a_pipeline(path: Path) -> None:
    finding = asked(path)
    assert "whom this stage waits for" in finding.title
    assert "of it lie in sends and receives" in finding.what
    assert "micro" in (finding.code or "")
    assert finding.estimate_ns is None


@over([*job("syn8_ep4_dp8_input")[:1], *real("a100_nccl", "a100_2ranks_rank0", "a100_rank0_queue")])
def test_collectives_and_all_to_alls_made_of_sends_are_no_pipeline(path: Path) -> None:
    finding = asked(path)
    assert "if none does, hide communication" in finding.title
    assert "sends and receives" not in finding.what
