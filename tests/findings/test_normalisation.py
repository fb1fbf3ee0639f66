"""Batch norm of PyTorch's own is told in training; a library's, that of all ranks and that of inference are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.findings.checks import normalisation
from tb_plugin.findings.facts import Facts
from tb_plugin.trace.work.kernel_bytes import kernel_bytes
from tests.profiles import over, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path

BACKWARD = "void at::native::batch_norm_backward_kernel<c10::BFloat16>"
SCALE = "void at::native::batch_norm_transform_input_kernel<c10::BFloat16>"


def run(*kernels: str) -> Facts:
    """Each for 10 us, and a product of 80 us."""
    drawn = " | ".join(f"{name} {100 + 10 * place}-{110 + 10 * place}" for place, name in enumerate(kernels))
    return Facts(trace_from_text(f"stream 7 | gemm 0-80 | {drawn}"))


def test_its_time_is_told_and_that_nobody_knows_what_is_to_gain() -> None:
    seen = normalisation.find(run(BACKWARD, SCALE))
    assert seen is not None
    assert seen.gain_ns is None
    assert [evidence.value for evidence in seen.evidence] == [2, 20_000, 0.2]


def test_amd_has_its_own_words() -> None:
    seen = normalisation.find(run(BACKWARD, "Cijk_Ailk_Bjlk_BBS_BH_MT128x64x32"))
    assert seen is not None
    assert "MIOPEN" in seen.code


@pytest.mark.parametrize(
    "kernels",
    [
        ("cudnn::bn_bw_1C11_kernel_new<float, float, float2, 512, true, 1>",),
        (SCALE,),
        (BACKWARD, "void at::native::batch_norm_reduce_statistics_kernel<float, float, int>"),
    ],
)
def test_others_are_silent(kernels: tuple[str, ...]) -> None:
    assert normalisation.find(run(*kernels)) is None


@over(real("mi300_resnet_ddp_checkpoint"))
def test_where_shapes_and_the_peak_are_known_its_bound_is_what_the_roofline_calls_lost(path: Path) -> None:
    facts = Facts(trace_of(path))
    seen = normalisation.find(facts)
    assert seen is not None
    known, lost = kernel_bytes(facts.trace), 0.0
    for row, best_ns in zip(known.row.tolist(), known.at_bandwidth_ns.tolist(), strict=True):
        if row in set(seen.rows.tolist()):
            lost += max(0.0, int(facts.trace.events.end_ns[row] - facts.trace.events.start_ns[row]) - best_ns)
    assert seen.gain_ns == pytest.approx(lost, abs=1)
    assert 0 < lost < seen.evidence[1].value
