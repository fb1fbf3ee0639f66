"""Exposed communication by dimension and by module: both sum to what the devices have, to the ns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tb_plugin.compute.intervals import Merged, intersect, length, subtract, union
from tb_plugin.trace.kinds import Kind
from tb_plugin.trace.modules.paths import module_paths
from tb_plugin.trace.scope.counted_steps import counted_steps
from tb_plugin.trace.times.exposed_parts import ExposedParts, TimesOfParts, exposed_parts
from tb_plugin.trace.times.idle import device_work
from tb_plugin.trace.work.taxonomy import collective_kernels
from tests.profiles import TRAINED, job, over, real, trace_of
from tests.trace.numbered import numbered
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.trace.model import Trace

FILES = (
    *real("a100_nccl", "a100_2ranks_rank0", "mi300_resnet_ddp_checkpoint", "cpu_gloo_rank"),
    *real("v100_resnet50_workers0_a", "v100_resnet50_workers4_a"),
)
JOBS = (
    *(
        "ar16_of_64_kineto",
        "dlrm8_v100_2023",
        "pipeline4_events",
        "rec_ddp_slow5",
        "rec_fsdp2_2nodes",
        "rec_pp4_dp2",
        "rec_tp4_dp2",
    ),
    *("syn64_tp4_pp4_dp4_link", "syn8_ep4_dp8_input", "syn8_fsdp8_gc_2023", "syn8_pp4_dp2_stage", "syn8_tp2_dp4_host_rccl"),
    *("syn8_tp2_pp2_dp2_dropped", "syn8_tp2_pp2_dp2_slow"),
)
FIRST_RANKS = tuple(path for name in JOBS for path in job(name)[:1])


def found_in(trace: Trace) -> ExposedParts | None:
    every = np.ones(len(trace.events), np.bool_)
    return exposed_parts(trace, device_work(trace), collective_kernels(trace), every, counted_steps(trace).time, every)


def part(parts: TimesOfParts | None, name: str | None) -> tuple[int, int, int]:
    assert parts is not None
    at = parts.names.index(name)
    return int(parts.exposed_ns[at]), int(parts.hidden_ns[at]), int(parts.count[at])


def sums_hold(found: ExposedParts) -> None:
    for parts in (found.dimensions, found.modules):
        if parts is not None:
            assert (int(parts.exposed_ns.sum()), int(parts.hidden_ns.sum())) == (found.exposed_ns, found.hidden_ns)
            assert (np.diff(parts.exposed_ns) <= 0).all()


def test_a_collective_is_of_the_module_that_launched_it_and_else_of_none() -> None:
    found = found_in(
        trace_from_text("""
        thread 1 | ProfilerStep#1 0-100 | nn.Module: Net_0 5-50 | nn.Module: Block_0 10-30 | c10d::_allgather_base_ 12-20
        thread 1 | aten::mm 32-34 | c10d::allreduce_ 60-64
        stream 7 | gemm 40-50 <- aten::mm
        stream 8 | ncclDevKernel_AllGather 20-44 <- c10d::_allgather_base_ | ncclDevKernel_AllReduce 70-91 <- c10d::allreduce_
    """)
    )
    assert found is not None
    assert (found.exposed_ns, found.hidden_ns) == (41_000, 4_000)
    assert part(found.modules, "Net_0/Block_0") == (20_000, 4_000, 1)
    assert part(found.modules, None) == (21_000, 0, 1)
    assert part(found.dimensions, "not recorded") == (41_000, 4_000, 2)
    sums_hold(found)


def test_of_what_two_modules_wait_for_each_has_half_and_no_ns_is_lost() -> None:
    found = found_in(
        trace_from_text("""
        thread 1 | ProfilerStep#1 0-100 | nn.Module: A_0 5-20 | c10d::allgather_ 10-12
        thread 1 | nn.Module: B_0 25-40 | c10d::allreduce_ 30-32
        stream 7 | ncclDevKernel_AllGather 41-60.001 <- c10d::allgather_
        stream 8 | ncclDevKernel_AllReduce 50-60.001 <- c10d::allreduce_
    """)
    )
    assert found is not None
    assert (part(found.modules, "A_0")[0], part(found.modules, "B_0")[0]) == (14_001, 5_000)
    sums_hold(found)


def test_what_backward_gathers_is_of_the_module_of_its_forward_and_what_a_hook_reduces_of_none() -> None:
    trace = numbered(
        """
        thread 1 | ProfilerStep#1 0-200 | nn.Module: Net_0 5-50 | nn.Module: Block_0 10-30 | Gather#3 12-20 | c10d::forth 13-15
        thread 2 | GatherBackward#3 60-80 | c10d::back 62-64 | evaluate_function: AccumulateGrad 82-95 | c10d::hook 84-86
        stream 8 | ncclDevKernel_AllGather 20-31 <- c10d::forth | ncclDevKernel_ReduceScatter 70-83 <- c10d::back
        stream 8 | ncclDevKernel_AllReduce 90-107 <- c10d::hook
        """,
        {"GatherBackward": 1},
    )
    found = found_in(trace)
    assert found is not None
    assert part(found.modules, "Net_0/Block_0") == (11_000 + 13_000, 0, 2)
    assert part(found.modules, None) == (17_000, 0, 1)
    sums_hold(found)


def test_without_collectives_there_is_nothing_to_divide() -> None:
    assert found_in(trace_from_text("thread 1 | aten::mm 0-5\n stream 7 | gemm 4-9 <- aten::mm")) is None


@over((*FILES, *FIRST_RANKS, *TRAINED))
def test_the_parts_of_a_recording_sum_to_what_its_devices_have(path: Path) -> None:
    trace = trace_of(path)
    found = found_in(trace)
    is_collective = collective_kernels(trace)
    if not is_collective.any():
        if found is not None:
            sums_hold(found)
        return
    assert found is not None
    sums_hold(found)
    window = counted_steps(trace).time
    exposed = hidden = 0
    for rows in device_work(trace).values():
        its = rows[is_collective[rows]]
        computes = rows[(trace.events.kind[rows] == Kind.KERNEL) & ~is_collective[rows]]
        moving, computing = (intersect(_union(trace, each), window) for each in (its, computes))
        exposed += length(subtract(moving, computing))
        hidden += length(intersect(moving, computing))
    assert (found.exposed_ns, found.hidden_ns) == (exposed, hidden)
    if found.modules is not None:
        named = set(module_paths(trace).texts_of(np.flatnonzero(is_collective))) - {""}
        assert set(found.modules.names) - {None} <= named


def _union(trace: Trace, rows: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> Merged:
    return union(trace.events.start_ns[rows], trace.events.end_ns[rows])
