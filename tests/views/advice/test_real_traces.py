"""On every real trace: nothing raises, gains lie in the window, and the known causes are found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.formats.reader import read
from tb_plugin.views.advice import VIEW
from tb_plugin.views.advice.compute import compute
from tb_plugin.views.advice.result import AdviceParams

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.views.advice.result import Advice

# What comes first in each; None: nothing is found.
FIRST = {
    "a100_2ranks_rank0": "host_bound",
    "a100_2ranks_rank1": "host_bound",
    "a100_alexnet_cuda_sync": "host_bound",
    "a100_cupti_counters": "allocator",
    "a100_nccl": "host_bound",
    "a100_rank0_queue": "exposed_communication",
    "cpu_gloo_rank": None,
    "h100_bert_small": "host_bound",
    "h100_owlv2": "data_loader",
    "h100_qwen": "synchronising",
    "mi210_gpu_only": None,
    "mi300_qwen": "synchronising",
    "mi300_resnet_ddp_checkpoint": "exposed_communication",
    "mi300_sglang_decode": "host_bound",
    "mi300_vllm_decode_graph": None,
    "mtia_inference": None,
    "v100_ns_resolution": None,
    "v100_resnet50_workers0_a": "data_loader",
    "v100_resnet50_workers0_b": "data_loader",
    "v100_resnet50_workers4_a": "host_bound",
}


def advice(traces: Path, name: str) -> Advice:
    return compute(read(traces / f"{name}.json.gz"), AdviceParams())


@pytest.mark.parametrize("name", FIRST)
def test_gains_lie_in_the_window(traces: Path, name: str) -> None:
    result = advice(traces, name)
    assert [finding.id for finding in result.findings[:1]] == [name for name in [FIRST[name]] if name]
    gains = [finding.gain_ns for finding in result.findings if finding.gain_ns is not None]
    assert gains == sorted(gains, reverse=True)
    assert all(0 <= gain <= result.window_ns for gain in gains)
    for finding in result.findings:
        assert len(finding.rows) == min(finding.n_rows, 20)
        assert all(evidence.value <= 1 for evidence in finding.evidence if evidence.unit == "share")
    assert VIEW.text(result)


def test_the_exposed_communication_is_that_of_the_overview(traces: Path) -> None:
    finding = next(f for f in advice(traces, "mi300_resnet_ddp_checkpoint").findings if f.id == "exposed_communication")
    assert finding.gain_ns == pytest.approx(55_625_200, abs=100)
    assert finding.source == "train_ddp.py:82"
