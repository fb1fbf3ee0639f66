"""What an expert says first and second of each recording that we have, with the figures, and what the advice says.

The first has to be named first or second, the second anywhere in the list (or with a finding that wants the same time); figures
hold within 5 %. Figures are of the window in ms where nothing else is said, and were measured from the files by hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pytest

from tb_plugin.formats.reader import read
from tb_plugin.views.advice.compute import compute
from tb_plugin.views.advice.result import AdviceParams
from tests.profiles import name_of, over, real

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.views.advice.result import Advice, Finding, SameTime

_WITHIN: Final = 0.05
_STEP: Final = "gain of a step"


@dataclass(frozen=True)
class Says:
    """A finding, its figures by the text of their evidence, in ms or as counts (`_STEP`: its gain of a step), and its words."""

    finding: str  # or several, as `a|b`: any of them says it
    figures: dict[str, float]
    words: tuple[str, ...] = ()


FIRST: Final = {
    "v100_resnet50_workers0_a": Says("data_loader", {_STEP: 59.3}),
    "v100_resnet50_workers0_b": Says("data_loader", {_STEP: 35.5}),
    "v100_resnet50_workers4_a": Says("outlier_steps", {"step 5, longer by": 56, "step 9, longer by": 37}),
    "v100_ns_resolution": Says("mixed_precision", {"their time": 298}),
    "h100_owlv2": Says("host_line", {"device idle, with nothing launched": 644, "zoom_shift": 529}, ("zoom_shift",)),
    "h100_qwen": Says("fusable_chain", {"all kernels that only move memory": 20.2, "their time": 17.4}),
    "mi300_qwen": Says("fusable_chain", {"all kernels that only move memory": 14.2}),
    "h100_bert_small": Says("host_bound|small_kernels", {_STEP: 4.0}, ("CUDA graphs",)),
    "a100_nccl": Says("host_bound", {_STEP: 168}),
    "a100_rank0_queue": Says("blocked", {_STEP: 136}, ("each step has one of 63", "launched")),
    "a100_2ranks_rank0": Says("exposed_communication", {"of it exposed": 337}),
    "a100_2ranks_rank1": Says("exposed_communication", {"of it exposed": 304}),
    "a100_alexnet_cuda_sync": Says(
        "start_up", {"cudaDeviceGetStreamPriorityRange": 29_900, "cudaFree": 6000, "cudaLaunchKernel": 3100}
    ),
    "a100_cupti_counters": Says("counters", {}, ("no time in this file",)),
    "mi300_resnet_ddp_checkpoint": Says("late_ranks", {}, ("16.8 MiB, took 8.93 ms, which is 3.45 GB/s",)),
    "mi210_gpu_only": Says("layout_change", {"their time": 1.32}),
    "mi300_sglang_decode": Says("first_wait", {"hipMemcpyWithStream": 463}, ("Leave the first copy",)),
    "mi300_vllm_decode_graph": Says("decode_bound", {"of them of experts (MoE)": 7.0}),
    "cpu_gloo_rank": Says("between_operators", {"time without an operator": 44.8}, ("with_stack",)),
}

SECOND: Final = {
    "v100_resnet50_workers0_a": Says("mixed_precision", {"their time": 394}),
    "v100_resnet50_workers0_b": Says("mixed_precision", {"their time": 394}),
    "v100_resnet50_workers4_a": Says("mixed_precision", {"their time": 397}),
    "v100_ns_resolution": Says("fusable_chain", {}, ("batch norm",)),
    "h100_owlv2": Says("unfused_attention", {}, ("493 ms",)),
    "h100_qwen": Says("redundant_copy", {}, ("casts",)),
    "mi300_qwen": Says("amd_matmul", {}, ("36.3 % of its peak", "TunableOp")),
    "h100_bert_small": Says("host_bound", {}, ("a larger batch",)),
    "a100_nccl": Says("layout_change", {"their time": 15.1}),
    "a100_rank0_queue": Says("exposed_communication", {"of it exposed": 160.7}),
    "a100_2ranks_rank0": Says("blocked", {_STEP: 198}),
    "a100_2ranks_rank1": Says("blocked", {_STEP: 171}),
    "a100_alexnet_cuda_sync": Says("start_up", {"of it copies from pageable memory": 55.5}),
    "mi300_resnet_ddp_checkpoint": Says("layout_change", {}, ("channels_last",)),
    "mi210_gpu_only": Says("normalisation", {"their time": 1.42}),
    "mi300_sglang_decode": Says("decode_bound", {"products": 5.8}),
    "mi300_vllm_decode_graph": Says("first_work", {"idle before the first recorded work": 7.8}),
    "mtia_inference": Says("host_operators", {"permute_2D_sparse_data": 112}),
}


@over(real(*FIRST))
def test_the_first_is_named_first_or_second(path: Path) -> None:
    result, expected = compute(read(path), AdviceParams()), FIRST[name_of(path)]
    wanted = set(expected.finding.split("|"))
    assert wanted & {finding.id for finding in result.findings[:2]}
    assert wanted & {change.finding for change in result.verdict.changes}
    _holds(result, expected)


@over(real(*SECOND))
def test_the_second_is_named(path: Path) -> None:
    _holds(compute(read(path), AdviceParams()), SECOND[name_of(path)])


@over(real("mtia_inference"))
def test_a_busy_device_is_told_as_such(path: Path) -> None:
    said = compute(read(path), AdviceParams()).verdict
    assert said.bound == "device"
    assert said.share == pytest.approx(0.92, abs=0.005)
    assert "busy 91.9 % of the recording" in said.sentence


def _holds(result: Advice, expected: Says) -> None:
    told: list[Finding | SameTime] = [*result.findings]
    told += [each for finding in result.findings for each in finding.also]
    found = next((each for each in told if each.id in expected.finding.split("|")), None)
    assert found is not None
    for text, value in expected.figures.items():
        known = _figures(found)
        matching = [ms for name, ms in known.items() if text in name]
        assert pytest.approx(value, rel=_WITHIN) in matching
    for words in expected.words:
        assert words in found.title + found.what


def _figures(found: Finding | SameTime) -> dict[str, float]:
    evidence = getattr(found, "evidence", [])
    per_step = {} if found.gain_per_step_ns is None else {_STEP: found.gain_per_step_ns / 1e6}
    return per_step | {each.text: each.value / (1e6 if each.unit == "ns" else 1) for each in evidence}
