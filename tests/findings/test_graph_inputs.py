"""Many copies into a graph's inputs before its launch are told; a few, and copies elsewhere, are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.findings.checks import graph_inputs
from tb_plugin.findings.facts import Facts
from tests.profiles import over, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path


def run(n_copies: int, around: str = "CompiledFunction 0-300", launch: str = "cudaGraphLaunch") -> Facts:
    """Copies of 4 us on the host and 2 on the device, each 5 us, and then the graph."""
    host = " | ".join(f"aten::copy_{at} {5 * at}-{5 * at + 4}" for at in range(n_copies))
    copies = " | ".join(f"Memcpy DtoD (Device -> Device) {5 * at + 1}-{5 * at + 3} <- aten::copy_{at}" for at in range(n_copies))
    return Facts(
        trace_from_text(f"""
            thread 1 | ProfilerStep#1 0-400 | {around} | {host} | {launch} 290-299
            stream 7 | {copies} | kernel 300-390
        """)
    )


def test_copies_before_a_launch_cost_host_and_device() -> None:
    seen = graph_inputs.find(run(20))
    assert seen is not None
    assert seen.gain_ns == 80_000
    assert seen.less is not None
    assert (len(seen.less.work), seen.less.work_factor) == (20, 0.2)
    assert "20 copies" in seen.what
    assert "40.0 us on the device and 80.0 us of the host" in seen.what


@pytest.mark.parametrize(
    ("n_copies", "around", "launch"),
    [
        (19, "CompiledFunction 0-300", "cudaGraphLaunch"),  # few: a batch
        (40, "CompiledFunction 0-300", "cudaStreamSynchronize"),  # no graph
        (40, "CompiledFunction 250-300", "cudaGraphLaunch"),  # of something before
    ],
)
def test_silent(n_copies: int, around: str, launch: str) -> None:
    assert graph_inputs.find(run(n_copies, around, launch)) is None


@over(real("a100_rank0_queue"))
def test_of_a_compiled_network_these_are_few_beside_its_gradients(path: Path) -> None:
    # 1140 copies on the device, 705 of which autograd makes of gradients; those for graphs take 0.7 ms of 1080.
    assert graph_inputs.find(Facts(trace_of(path))) is None
