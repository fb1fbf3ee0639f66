"""A convolution that runs other kernels than in the last step is tried out; several kernels for one call or shape are usual."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.findings.checks import conv_autotune
from tb_plugin.findings.facts import Facts
from tests.profiles import over, real, trace_of
from tests.trace_text import trace_from_text

if TYPE_CHECKING:
    from pathlib import Path


def run(*steps: str) -> Facts:
    """Two convolutions in each step of 100 us; a letter is a kernel of 10 us, and a blank leads to the second convolution."""
    host, device = [], []
    for number, kernels in enumerate(steps):
        at, calls = 100 * number, kernels.split(" ")
        host += [f"ProfilerStep#{number + 1} {at}-{at + 100}"]
        for place, names in enumerate(calls):
            begins = at + 50 * place
            host.append(f"aten::cudnn_convolution {begins}-{begins + 1}")
            drawn = enumerate(names)
            device += [f"{n} {begins + 2 + 10 * k}-{begins + 12 + 10 * k} <- aten::cudnn_convolution" for k, n in drawn]
    return Facts(trace_from_text(f"thread 1 | {' | '.join(host)}\nstream 7 | {' | '.join(device)}"))


def test_what_takes_longer_than_in_the_last_step_is_told() -> None:
    seen = conv_autotune.find(run("abc d", "b d", "b d"))
    assert seen is not None
    assert seen.gain_ns == 20_000
    assert [evidence.value for evidence in seen.evidence] == [1, 2, 20_000]
    assert len(seen.rows) == 1


@pytest.mark.parametrize(
    "steps",
    [
        ("abc d", "abc d", "abc d"),  # several kernels for one call
        ("a b", "a b", "a b"),  # others for the same shape: strides are not recorded
        ("abc d", "b"),  # not the same calls
        ("abc d",),
    ],
)
def test_others_are_silent(steps: tuple[str, ...]) -> None:
    assert conv_autotune.find(run(*steps)) is None


@over(real("v100_resnet50_workers0_a", "v100_ns_resolution", "a100_nccl", "mi300_resnet_ddp_checkpoint"))
def test_recorded_steps_run_the_same_kernels(path: Path) -> None:
    assert conv_autotune.find(Facts(trace_of(path))) is None
