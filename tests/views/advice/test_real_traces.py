"""On every file: nothing raises, gains lie in the window, and the known causes are found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.formats.reader import read
from tb_plugin.views.advice import VIEW
from tb_plugin.views.advice.compute import compute
from tb_plugin.views.advice.result import AdviceParams, Finding
from tb_plugin.views.overview import VIEW as OVERVIEW
from tests.profiles import SAMPLES, name_of, over, real

if TYPE_CHECKING:
    from pathlib import Path

# What comes first in each; None: nothing is found.
FIRST = {
    "a100_2ranks_rank0": "blocked",
    "a100_2ranks_rank1": "blocked",
    "a100_alexnet_cuda_sync": "start_up",
    "a100_cupti_counters": "counters",
    "a100_nccl": "host_bound",
    "a100_rank0_queue": "blocked",
    "cpu_gloo_rank": "between_operators",
    "h100_bert_small": "host_bound",
    "h100_owlv2": "host_line",
    "h100_qwen": "fusable_chain",
    "mi210_gpu_only": "layout_change",
    "mi300_qwen": "fusable_chain",
    "mi300_resnet_ddp_checkpoint": "late_ranks",
    "mi300_sglang_decode": "first_wait",
    "mi300_vllm_decode_graph": "decode_bound",
    "mtia_inference": "synchronising",
    "v100_ns_resolution": "mixed_precision",
    "v100_resnet50_workers0_a": "data_loader",
    "v100_resnet50_workers0_b": "data_loader",
    "v100_resnet50_workers4_a": "outlier_steps",
}


ABOUT_THE_RECORDING = ("start_up", "first_wait", "counters", "outlier_steps")
"""Which stand first, whatever others gain."""


def _worth(finding: Finding) -> int:
    known = [ns for ns in (finding.estimate_ns, finding.gain_ns) if ns is not None]
    return known[0] if known else -1


@over(SAMPLES + real())
def test_gains_lie_in_the_window(path: Path) -> None:
    result = compute(read(path), AdviceParams())
    if name_of(path) in FIRST:
        assert [finding.id for finding in result.findings[:1]] == [each for each in [FIRST[name_of(path)]] if each]
    gains = [finding.gain_ns for finding in result.findings if finding.gain_ns is not None]
    worth = [_worth(finding) for finding in result.findings if finding.id not in ABOUT_THE_RECORDING]
    assert worth == sorted(worth, reverse=True)
    assert all(0 <= gain <= result.window_ns for gain in gains)
    for finding in result.findings:
        assert len(finding.rows) == min(finding.n_rows, 20)
        assert all(evidence.value <= 1 for evidence in finding.evidence if evidence.unit == "share")
    assert VIEW.main.text(result)


def test_the_exposed_communication_is_that_of_the_overview(traces: Path) -> None:
    trace = read(traces / "mi300_resnet_ddp_checkpoint.json.gz")
    (late,) = (each for each in compute(trace, AdviceParams()).findings if each.id == "late_ranks")
    (finding,) = (each for each in late.also if each.id == "exposed_communication")  # which does not say why
    (device,) = OVERVIEW.main.answer(trace, OVERVIEW.main.params_from({})).devices
    assert finding.gain_ns == device.communication_exposed_ns > 0
