"""Copies that the host waits for are told, whatever their call is named; those that it does not wait for are not."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest

from tb_plugin.findings.checks import copies_to_host
from tb_plugin.findings.facts import Facts
from tests.profiles import over, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.findings.check import Seen

WAITED = """
    thread 1 | ProfilerStep#1 0-120 | aten::mm 0-5 | aten::to 5-51 | cudaMemcpyAsync 6-50 | aten::add 80-85
    stream 7 | gemm 2-30 <- aten::mm | Memcpy DtoH (Device -> Pageable) 30-50 <- aten::to | add 86-120 <- aten::add
"""


def seen(text: str) -> Seen | None:
    """The call of the drawing launches the copy, and no launch of no length."""
    trace = trace_from_text(text)
    names = [trace.text(int(name_id)) for name_id in trace.events.name_id]
    launch = trace.events.launch.copy()
    launch[[name.startswith("Memcpy") for name in names]] = names.index("cudaMemcpyAsync")
    return copies_to_host.find(Facts(dataclasses.replace(trace, events=dataclasses.replace(trace.events, launch=launch))))


def test_the_copy_and_what_the_device_waits_for_after_it_count() -> None:
    told = seen(WAITED)
    assert told is not None
    assert told.gain_ns == 20_000 + 30_000  # the copy alone, and idle from its end at 50 to the launch at 80
    assert "aten::to" in told.what
    assert ".cpu()" in told.title


def test_copies_that_nobody_waits_for_and_those_to_the_device_are_none() -> None:
    assert seen(WAITED.replace("cudaMemcpyAsync 6-50", "cudaMemcpyAsync 6-8")) is None
    assert seen(WAITED.replace("DtoH (Device -> Pageable)", "HtoD (Pageable -> Device)")) is None


@over(real("h100_owlv2"))
def test_a_model_whose_results_are_read_one_by_one(path: Path) -> None:
    told = copies_to_host.find(Facts(trace_of(path)))
    assert told is not None
    assert len(told.rows) == 54
    figures = {each.text: each.value for each in told.evidence}
    assert figures["time of these copies with no kernel beside"] == pytest.approx(12.9e6, rel=0.01)


@over(real("h100_qwen", "v100_resnet50_workers0_a", "a100_nccl"))
def test_silent_where_the_host_waits_for_no_copy(path: Path) -> None:
    assert copies_to_host.find(Facts(trace_of(path))) is None
