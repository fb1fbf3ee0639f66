"""Storms of kernels shorter than a launch are told with their module; long kernels and a busy device are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.findings.checks import small_kernels
from tb_plugin.findings.facts import Facts
from tests.profiles import over, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.findings.check import Seen


def storm(n: int = 60, host_us: int = 10, kernel_us: int = 2, name: str = "k", module: str = "nn.Module: Block_0") -> str:
    """So many operators, each with a kernel, inside one call of a module."""
    host = " | ".join(f"op{i} {host_us * i + 1}-{host_us * i + host_us - 1}" for i in range(n))
    period = max(host_us, kernel_us)
    device = "\n".join(f"stream 7 | {name} {period * i + 2}-{period * i + 2 + kernel_us} <- op{i}" for i in range(n))
    return f"thread 1 | {module} 0-{host_us * n} | {host}\n{device}"


def seen(text: str) -> Seen | None:
    return small_kernels.find(Facts(trace_from_text(text)))


def test_the_module_of_the_storm_is_named() -> None:
    told = seen(storm())
    assert told is not None
    assert "Block_0" in told.title
    assert "60 of 60 kernels last less than 10.0 us" in told.what
    assert told.gain_ns is not None
    # Each kernel of 2 us starts a microsecond after its launch, every 10 us: 7 us of idle before all but the first, 6 at the end.
    assert told.gain_ns == pytest.approx(59 * 7_000 + 6_000, abs=3_000)


def test_what_is_compiled_already_needs_the_graph_alone() -> None:
    told = seen(storm(name="triton_poi_fused_add_0"))
    assert told is not None
    assert told.title.startswith("Replay what is compiled")
    assert "reduce-overhead" in told.code


def test_a_file_without_a_host_is_told_by_its_gaps() -> None:
    told = seen("\n".join(f"stream 7 | k {10 * i}-{10 * i + 2}" for i in range(60)))
    assert told is not None
    assert (told.gain_ns, told.confidence) == (59 * 8_000, "maybe")


@pytest.mark.parametrize(
    "text", [storm(n=30), storm(kernel_us=20), storm(host_us=40, kernel_us=30), storm(host_us=3, kernel_us=2)]
)
def test_few_or_long_kernels_and_a_device_that_is_fed_are_no_storm(text: str) -> None:
    assert seen(text) is None


@over(real("h100_bert_small"))
def test_of_a_small_model_of_one_batch(path: Path) -> None:
    told = small_kernels.find(Facts(trace_of(path)))
    assert told is not None
    assert "Bert" in told.title
    assert told.gain_ns == pytest.approx(4.0e6, rel=0.01)


@over(real("h100_qwen", "mi300_vllm_decode_graph", "v100_ns_resolution"))
def test_silent_where_kernels_are_long_or_graphs_launch_them(path: Path) -> None:
    assert small_kernels.find(Facts(trace_of(path))) is None
