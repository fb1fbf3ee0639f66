"""An optimizer's step of many tiny kernels is told without stacks, and in place of torch's own pattern for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.compute.intervals import length
from tb_plugin.findings.checks import optimizer_launches
from tb_plugin.findings.facts import Facts
from tb_plugin.findings.found import found
from tests.profiles import over, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path


def step(n_kernels: int, kernel_us: int, around: str = "") -> str:
    """A step of 10 us a kernel, in which the optimizer launches so many."""
    host = " | ".join(f"aten::add_{at} {10 * at + 1}-{10 * at + 6}" for at in range(n_kernels))
    device = " | ".join(f"k {10 * at + 7}-{10 * at + 7 + kernel_us} <- aten::add_{at}" for at in range(n_kernels))
    end = 10 * n_kernels
    return f"""
        thread 1 | ProfilerStep#1 0-{end + 20} | Optimizer.step#SGD.step 0-{end} {around} | {host}
        stream 7 | {device}
    """


def test_a_kernel_for_each_parameter_costs_the_host_time_of_the_step() -> None:
    seen = optimizer_launches.find(Facts(trace_from_text(step(60, 1))))
    assert seen is not None
    assert seen.gain_ns == 600_000
    assert "60 kernels" in seen.what


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("Optimizer.step#SGD.step", "torch.optim.SGD(model.parameters(), lr=lr, fused=True)"),
        ("Optimizer.step#NAdam.step", "torch.optim.NAdam(model.parameters(), lr=lr, foreach=True)"),
        ("Optimizer.step#Shampoo.step", "torch.compile(optimizer.step)"),
        ("Optimizer.step", "torch.optim.AdamW("),
    ],
)
def test_the_optimizer_that_was_recorded_is_the_one_that_is_named(name: str, written: str) -> None:
    seen = optimizer_launches.find(Facts(trace_from_text(step(60, 1).replace("Optimizer.step#SGD.step", name))))
    assert seen is not None
    assert written in seen.code
    assert ("Shampoo" in seen.title) == ("Shampoo" in name)


@pytest.mark.parametrize(("n_kernels", "kernel_us"), [(8, 1), (60, 10)])
def test_few_kernels_or_long_ones_are_as_they_should_be(n_kernels: int, kernel_us: int) -> None:
    assert optimizer_launches.find(Facts(trace_from_text(step(n_kernels, kernel_us)))) is None


def test_it_does_not_want_the_time_of_the_devices_other_work() -> None:
    seen = optimizer_launches.find(
        Facts(trace_from_text(step(60, 1) + "\nthread 2 | aten::mm 1-5\nstream 9 | gemm 100-400 <- aten::mm"))
    )
    assert seen is not None
    assert seen.gain_ns == 600_000
    assert seen.time is not None
    assert length(seen.time) == 300_000


def test_it_is_said_once() -> None:
    frame = "| torch/optim/sgd.py(1): _single_tensor_sgd 0-600"
    result = found(trace_from_text(step(60, 1, frame))).seen
    ids = [each.check.id for first in result for each in (first, *first.also)]
    assert "optimizer_launches" in ids
    assert "single_tensor_optimizer" not in ids


HOST_MS = {"v100_resnet50_workers0_a": 18.8, "v100_resnet50_workers4_a": 22.6}


@over(real(*HOST_MS))
def test_of_real_trainings(path: Path) -> None:
    seen = optimizer_launches.find(Facts(trace_of(path)))
    assert seen is not None
    assert "483 kernels" in seen.what
    assert f"{HOST_MS[path.name.split('.')[0]]} ms" in seen.what


@over(real("v100_ns_resolution", "a100_nccl", "a100_rank0_queue", "a100_2ranks_rank0"))
def test_silent_where_all_are_updated_at_once(path: Path) -> None:
    assert optimizer_launches.find(Facts(trace_of(path))) is None
