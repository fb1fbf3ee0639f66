"""Whose the exposed communication is, and that it sums to what stands beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.formats.reader import read
from tb_plugin.views.kernels import VIEW as KERNELS
from tb_plugin.views.operators import VIEW as OPERATORS
from tb_plugin.views.overview import VIEW
from tb_plugin.views.overview.communication import MOST_MODULES
from tb_plugin.views.overview.text import text
from tests.profiles import TRAINED, job, over, real, trace_of
from tests.simulated_files import SimulatedJob
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace
    from tb_plugin.views.overview.result import CommunicationPart, Overview

TWO_STEPS = """
    thread 1 | ProfilerStep#1 0-100 | nn.Module: Net_0 5-50 | c10d::allreduce_ 10-20 | ProfilerStep#2 100-200
    thread 1 | nn.Module: Net_0 105-150 | c10d::allreduce_ 110-120 | aten::mm 130-135
    stream 7 | gemm 140-160 <- aten::mm
    device 1 stream 8 | ncclDevKernel_AllReduce 30-50 <- c10d::allreduce_ | ncclDevKernel_AllReduce 130-170 <- c10d::allreduce_
"""


def answer(trace: Trace, **filters: str) -> Overview:
    return VIEW.main.answer(trace, VIEW.main.params_from(filters))


def sums_of(parts: list[CommunicationPart]) -> tuple[int, int]:
    return sum(part.exposed_ns for part in parts), sum(part.hidden_ns for part in parts)


def sums_hold(result: Overview) -> None:
    found = result.communication_parts
    of_devices = [(each.communication_exposed_ns, each.communication_overlapped_ns) for each in result.devices]
    exposed_ns, hidden_ns = (sum(each) for each in zip(*of_devices, strict=True)) if of_devices else (0, 0)
    if found is None:
        assert exposed_ns + hidden_ns == 0
        return
    if not found.on_host:
        assert (found.exposed_ns, found.hidden_ns) == (exposed_ns, hidden_ns)
        assert found.window_ns == sum(each.window_ns for each in result.devices)
    assert sums_of(found.dimensions) == (found.exposed_ns, found.hidden_ns)
    assert (found.modules_lack is None) == bool(found.modules)
    if found.modules:
        assert sums_of(found.modules) == (found.exposed_ns, found.hidden_ns)
        assert len(found.modules) <= MOST_MODULES


@pytest.mark.parametrize(
    ("filters", "expected"), [({}, 60_000), ({"steps": "2"}, 40_000), ({"devices": "1"}, 60_000), ({"devices": "0"}, None)]
)
def test_the_filters_change_it_as_they_change_the_devices(filters: dict[str, str], expected: int | None) -> None:
    result = answer(trace_from_text(TWO_STEPS), **filters)
    sums_hold(result)
    assert (result.communication_parts and result.communication_parts.exposed_ns) == expected


def test_the_shell_says_the_same_sum_under_both_tables() -> None:
    said = text(answer(trace_from_text(TWO_STEPS)))
    section = said.partition("Communication by dimension and module, in the steps\n")[2].partition("\n\nPeak memory")[0]
    assert section.count("60.0 us") == 4  # of the one dimension and the one module, and both totals
    assert "Net_0" in section
    assert "of several at once what ends before the next kernel comes first, else all share alike" in section


def test_what_is_beyond_twelve_rows_is_one_and_what_belongs_to_none_stays() -> None:
    modules = "\n".join(
        f"thread 1 | nn.Module: Block_{n} {10 * n}-{10 * n + 8} | c10d::op{n} {10 * n + 1}-{10 * n + 2}" for n in range(20)
    )
    kernels = "\n".join(
        f"stream {7 + n} | ncclDevKernel_AllReduce {300 + 100 * n}-{310 + 100 * n + n} <- c10d::op{n}" for n in range(20)
    )
    result = answer(
        trace_from_text(f"""
        {modules}
        thread 1 | c10d::last 290-291
        {kernels}
        stream 90 | ncclDevKernel_AllReduce 2300-2301 <- c10d::last
    """)
    )
    sums_hold(result)
    found = result.communication_parts
    assert found is not None
    assert [part.told for part in found.modules].count("module") == 10
    assert (found.modules[-1].name, found.modules[-1].count) == ("10 other modules", 10)
    assert found.modules[-2].name == "not attributed"


def test_without_modules_it_says_why_there_are_none() -> None:
    result = answer(trace_from_text("thread 1 | c10d::allreduce_ 0-5\n stream 7 | ncclDevKernel 4-9 <- c10d::allreduce_"))
    assert result.communication_parts is not None
    assert result.communication_parts.modules_lack is not None
    assert result.communication_parts.modules_lack in text(result)


def test_of_calls_that_only_start_collectives_it_says_that_they_are_not_the_collectives() -> None:
    result = answer(trace_from_text("thread 1 | ProfilerStep#1 0-100 | c10d::allreduce_ 0-5"))
    assert result.communication_parts is None
    assert "only calls that start collectives were recorded" in (result.communication_parts_lack or "")
    assert result.communication_parts_lack in text(result).splitlines()


def test_a_profile_without_collectives_has_none() -> None:
    result = answer(trace_from_text("thread 1 | aten::mm 0-5\n stream 7 | gemm 4-9 <- aten::mm"))
    assert result.communication_parts is None
    assert result.communication_parts_lack is None
    assert "by dimension" not in text(result)


@over(
    (
        *TRAINED,
        *real("a100_nccl", "a100_2ranks_rank0", "mi300_resnet_ddp_checkpoint", "cpu_gloo_rank", "v100_resnet50_workers0_a"),
        *(path for name in ("rec_fsdp2_2nodes", "syn64_tp4_pp4_dp4_link", "syn8_fsdp8_gc_2023") for path in job(name)[:1]),
    )
)
def test_real_ones_sum_to_their_devices_and_each_dimension_leads_to_what_it_counts(path: Path) -> None:
    sums_hold(answer(trace_of(path)))
    if answer(trace_of(path)).communication_parts is not None:
        leads_to_what_it_counts(trace_of(path))


def leads_to_what_it_counts(trace: Trace, **filters: str) -> list[tuple[str, int]]:
    """Of each dimension what it counts."""
    found = answer(trace, **filters).communication_parts
    assert found is not None
    for part in found.dimensions:
        its = {**filters, "steps": found.steps, "dimension": part.name}
        if part.count == 0:
            continue
        if found.on_host:
            there = OPERATORS.main.answer(trace, OPERATORS.main.params_from(its)).totals.count
        else:
            there = KERNELS.main.answer(trace, KERNELS.main.params_from({**its, "category": "communication"})).count
        assert part.count == there, part.name
    return [(part.name, part.count) for part in found.dimensions]


DIMENSIONS = """
    thread 1 | ProfilerStep#1 0-100 | c10d::a 10-20 | c10d::b 30-40 | ProfilerStep#2 100-200 | c10d::c 110-120 | c10d::d 130-140
    thread 1 | ProfilerStep#3 200-300 | c10d::e 210-220
    stream 8 | ncclDevKernel_SendRecv 30-50 <- c10d::a | ncclDevKernel_AllReduce 80-130 <- c10d::b
    stream 8 | ncclDevKernel_AllReduce 150-170 <- c10d::c | ncclDevKernel_AllReduce 180-190 <- c10d::d
    stream 8 | ncclDevKernel_AllReduce 250-260 <- c10d::e
"""


@pytest.mark.parametrize(("steps", "expected"), [("", 5), ("1", 2), ("2", 2), ("3", 1), ("2-3", 3)])
def test_what_a_step_started_counts_in_it_whenever_it_ran(steps: str, expected: int) -> None:
    assert leads_to_what_it_counts(trace_from_text(DIMENSIONS), steps=steps) == [("not recorded", expected)]


def test_of_a_job_each_dimension_leads_to_its_kernels_alone(tmp_path: Path) -> None:
    trace = read(SimulatedJob(tensor=2, data=2, stages=2, n_micro=2, n_steps=3).write(tmp_path)[1])
    assert {"tensor", "pipeline", "data"} < dict(leads_to_what_it_counts(trace)).keys()
    every, of_one = (dict(leads_to_what_it_counts(trace, **filters)) for filters in ({}, {"dimension": "data"}))
    assert of_one == {"data": every["data"]}
