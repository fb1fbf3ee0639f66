"""Gradients reduced in each micro-batch, many small all-reduces, experts with uneven tokens.

No real trace that we have shows any of them: what fires is drawn, and the real ones have to stay silent.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.findings.checks import moe_imbalance, no_sync, small_collectives
from tb_plugin.findings.facts import Facts
from tb_plugin.formats.reader import read
from tests.profiles import over, real
from tests.trace_text import trace_from_text
from tests.views.advice.all_reduces import recorded

if TYPE_CHECKING:
    from pathlib import Path

ACCUMULATED = """
    thread 1 | DistributedDataParallel.forward 0-10 | reduce_a 20-21 | DistributedDataParallel.forward 50-60 | reduce_b 70-71
    thread 1 | Optimizer.step#SGD.step 95-99
    stream 9 | ncclDevKernel_AllReduce_Sum_f32 22-45 <- reduce_a | ncclDevKernel_AllReduce_Sum_f32 72-92 <- reduce_b
"""


def test_all_reduces_before_the_last_micro_batch_are_not_needed() -> None:
    told = no_sync.find(Facts(trace_from_text(ACCUMULATED)))
    assert told is not None
    assert (told.gain_ns, len(told.rows)) == (23_000, 1)
    assert "no_sync()" in told.title
    computing = ACCUMULATED + "    stream 7 | gemm 22-40 <- reduce_a"
    told = no_sync.find(Facts(trace_from_text(computing)))
    assert told is not None
    assert told.gain_ns == 5_000


@pytest.mark.parametrize(
    ("was", "is_"),
    [
        ("DistributedDataParallel.forward 50-60", "Optimizer.step#SGD.step 46-48 | DistributedDataParallel.forward 50-60"),
        ("AllReduce_Sum_f32 22-45", "Broadcast_RING 22-45"),  # buffers, which each forward sends
        ("AllReduce_Sum_f32 72-92", "ReduceScatter_Sum 72-92"),  # another thing than the first
    ],
)
def test_an_update_for_each_batch_and_other_collectives_are_as_they_should_be(was: str, is_: str) -> None:
    assert no_sync.find(Facts(trace_from_text(ACCUMULATED.replace(was, is_)))) is None


def test_many_small_all_reduces_cost_their_latency(tmp_path: Path) -> None:
    trace = recorded(tmp_path, *[100] * 30, elements=1000)
    told = small_collectives.find(Facts(trace))
    assert told is None  # without a larger one their own rate is the best there is


def test_beside_a_large_one_small_ones_are_all_latency(tmp_path: Path) -> None:
    trace = _mixed(tmp_path, small=30, elements=1000)
    told = small_collectives.find(Facts(trace))
    assert told is not None
    assert told.gain_ns == pytest.approx(30 * 100_000, rel=0.02)
    assert small_collectives.find(Facts(_mixed(tmp_path, small=10, elements=1000))) is None
    assert small_collectives.find(Facts(_mixed(tmp_path, small=30, elements=1 << 20))) is None


def _mixed(tmp_path: Path, small: int, elements: int) -> Any:
    """A large all-reduce of 16 MiB in a millisecond, then small ones of 100 us."""
    recorded(tmp_path, 1000, *[100] * small)
    path = tmp_path / "a.pt.trace.json"
    events = json.loads(path.read_text())["traceEvents"]
    for event in [event for event in events if event.get("cat") == "kernel"][1:]:
        event["args"] |= {"In msg nelems": elements, "Out msg nelems": elements}
    path.write_text(json.dumps({"traceEvents": events}))
    return read(path)


def _experts(tmp_path: Path, sent: list[int]) -> Any:
    """All-to-all, products for 300 us, all-to-all back."""
    recorded(tmp_path, 50, 300, 50)
    path = tmp_path / "a.pt.trace.json"
    events = json.loads(path.read_text())["traceEvents"]
    first, products, back = (event for event in events if event.get("cat") == "kernel")
    for event in (first, back):
        event["name"] = "ncclDevKernel_SendRecv"
        event["args"] |= {"Collective name": "all_to_allv", "In split size": sent}
    products |= {"name": "ampere_bf16_s16816gemm_bf16_128x128", "args": {"device": 0, "stream": 7, "correlation": 2}}
    path.write_text(json.dumps({"traceEvents": events}))
    return read(path)


def test_experts_that_get_more_than_others_hold_all_ranks_up(tmp_path: Path) -> None:
    told = moe_imbalance.find(Facts(_experts(tmp_path, [900, 100, 100, 100])))
    assert told is not None
    assert told.gain_ns == 200_000  # 300 us for 3 times the mean
    assert "3.0 times the mean" in told.what
    assert moe_imbalance.find(Facts(_experts(tmp_path, [110, 100, 95, 100]))) is None


@pytest.mark.parametrize("check", [no_sync, small_collectives, moe_imbalance])
@over(real("a100_nccl", "a100_2ranks_rank0", "mi300_resnet_ddp_checkpoint", "v100_ns_resolution", "h100_qwen"))
def test_silent_on_recordings_that_have_none_of_it(check: Any, path: Path) -> None:
    assert check.find(Facts(read(path))) is None
