"""Copies that DistributedDataParallel makes for itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.findings.found import found
from tb_plugin.formats.reader import read
from tests.profiles import over, real
from tests.views.advice.asked import advice, gain_us
from tests.views.advice.asked import found as found_in

if TYPE_CHECKING:
    from pathlib import Path

COPIED = """
    thread 1 | ProfilerStep#1 0-1000 | <DistributedDataParallel.forward> 0-200 | aten::copy_ 10-20
    thread 2 | torch.distributed.ddp.reducer::copy_bucket_to_grad 400-420 | aten::copy_ 405-415
    stream 7 | Memcpy DtoD (Device -> Device) 30-50 <- aten::copy_ | Memcpy DtoD (Device -> Device) 430-460 <- aten::copy_
"""


def test_copies_out_of_buckets_and_of_buffers_are_told() -> None:
    finding = found_in(advice(COPIED), "buckets")
    assert finding is not None
    assert finding.gain_ns == (10 + 20 + 20 + 30) * 1000
    assert "broadcast_buffers=False" in finding.title


def test_with_stacks_copies_of_buffers_lie_below_frames_and_those_of_a_module_below_its_own() -> None:
    framed = COPIED.replace("| aten::copy_ 10-20", "| distributed.py(3): _sync_buffers 5-25 | {} | aten::copy_ 10-20", 1)
    finding = found_in(advice(framed.replace("{} |", "")), "buckets")
    assert finding is not None
    assert finding.gain_ns == (10 + 20 + 20 + 30) * 1000
    finding = found_in(advice(framed.format("nn.Module: Norm_0 8-22")), "buckets")
    assert finding is not None
    assert finding.gain_ns == (20 + 30) * 1000


def test_buffers_are_named_only_where_they_are_sent() -> None:
    finding = found_in(advice(COPIED.replace("<DistributedDataParallel.forward>", "<forward>")), "buckets")
    assert finding is not None
    assert finding.gain_ns == (20 + 30) * 1000
    assert "broadcast_buffers" not in finding.title


def test_copies_of_the_model_are_not_ddps() -> None:
    assert gain_us(COPIED.replace("torch.distributed.ddp.reducer::copy_bucket_to_grad", "aten::clone"), "buckets") is None


@over(real("v100_ns_resolution"))
def test_sixteen_hundred_copies_of_a_recording_are_ddps(path: Path) -> None:
    told = [each.seen for group in found(read(path)).seen for each in (group, *group.also) if each.check.id == "buckets"]
    assert [evidence.value for evidence in told[0].evidence[:2]] == [805, 795]
