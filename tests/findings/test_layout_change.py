"""Kernels that turn images for a convolution are told; transposes of others, and few of them, are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.findings.checks import layout_change
from tb_plugin.findings.facts import Facts
from tests.profiles import over, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

TO_LAST = "void cudnn::ops::nchwToNhwcKernel<float, float>"


def run(turns: str, operator: str = "aten::cudnn_convolution") -> Facts:
    """A convolution of 70 us with what turns its image."""
    return Facts(
        trace_from_text(f"""
            thread 1 | ProfilerStep#1 0-200 | {operator} 1-9
            stream 7 | implicit_convolve_sgemm 40-110 <- {operator}
            stream 7 | {turns}
        """)
    )


def test_turning_images_for_a_convolution_costs_its_time() -> None:
    seen = layout_change.find(run(f"{TO_LAST} 10-30 <- aten::cudnn_convolution"))
    assert seen is not None
    assert (seen.gain_ns, seen.confidence) == (20_000, "likely")


def test_without_a_launch_it_may_be_something_else() -> None:
    seen = layout_change.find(run("batched_transpose_16x32_half 120-140"))
    assert seen is not None
    assert (seen.gain_ns, seen.confidence) == (20_000, "maybe")


@pytest.mark.parametrize(
    ("turns", "operator"),
    [
        ("batched_transpose_16x32_half 10-30 <- aten::transpose", "aten::transpose"),  # no image
        (f"{TO_LAST} 10-11 <- aten::cudnn_convolution", "aten::cudnn_convolution"),  # of the first convolution alone
        ("sm80_xmma_fprop_f32_nhwckrsc_nchw_tilesize128 10-30 <- aten::cudnn_convolution", "aten::cudnn_convolution"),
    ],
)
def test_silent(turns: str, operator: str) -> None:
    assert layout_change.find(run(turns, operator)) is None


@over(real("a100_nccl", "mi210_gpu_only", "mi300_resnet_ddp_checkpoint"))
def test_of_real_networks(path: Path) -> None:
    facts = Facts(trace_of(path))
    seen = layout_change.find(facts)
    assert seen is not None
    assert seen.gain_ns is not None
    share = {"a100_nccl": 15.1 / 157, "mi210_gpu_only": 1.32 / 5.34}.get(path.name.split(".")[0])
    assert share is None or seen.gain_ns / facts.window_part(facts.busy) == pytest.approx(share, rel=0.05)


@over(real("v100_ns_resolution", "h100_owlv2", "h100_qwen"))
def test_silent_where_images_stay_as_they_are(path: Path) -> None:
    assert layout_change.find(Facts(trace_of(path))) is None
