"""An optimizer that takes much of the step is named; one that launches a kernel for each parameter is another finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.findings.checks import optimizer_time
from tb_plugin.findings.facts import Facts
from tests.profiles import over, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path


def run(until: int) -> Facts:
    return Facts(
        trace_from_text(f"""
            thread 1 | ProfilerStep#1 0-1000 | aten::mm 0-10
            thread 1 | <Optimizer.step#Shampoo.step> 500-{until} | root {until - 10}-{until - 5}
            stream 7 | gemm 10-600 <- aten::mm | small {until - 4}-1000 <- root
        """)
    )


def test_its_share_and_what_the_device_waited_for_are_told() -> None:
    seen = optimizer_time.find(run(800))
    assert seen is not None
    assert "Shampoo" in seen.title
    assert [evidence.value for evidence in seen.evidence] == [300_000, 204_000, 1]
    assert seen.gain_ns == 190_000  # from 600 until root is launched


def test_a_short_one_is_silent() -> None:
    assert optimizer_time.find(run(690)) is None


@over(real("a100_2ranks_rank0", "a100_2ranks_rank1"))
def test_shampoo_takes_a_third_of_a_recorded_step(path: Path) -> None:
    seen = optimizer_time.find(Facts(trace_of(path)))
    assert seen is not None
    assert "Shampoo" in seen.title
