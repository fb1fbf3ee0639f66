"""A stage that waits for its neighbours is told so, and not to make buckets larger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb_plugin.views.advice.compute import compute
from tb_plugin.views.advice.result import AdviceParams
from tests.profiles import job, over, real, trace_of

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.views.advice.result import Finding


def asked(path: Path) -> Finding:
    found = compute(trace_of(path), AdviceParams(all=True)).findings
    return next(each for each in found if each.id == "exposed_communication")


@over([*job("syn8_pp4_dp2_stage")[:1], *job("syn8_tp2_pp2_dp2_slow")[:1]])
def test_a_stage_that_waits_to_receive_is_in_a_pipeline(path: Path) -> None:
    finding = asked(path)
    assert "this stage waits for its neighbours" in finding.title
    assert "of it lie in sends and receives" in finding.what
    assert "micro" in (finding.code or "")
    assert finding.estimate_ns is None


@over([*job("syn8_ep4_dp8_input")[:1], *real("a100_nccl", "a100_2ranks_rank0", "a100_rank0_queue")])
def test_collectives_and_all_to_alls_made_of_sends_are_no_pipeline(path: Path) -> None:
    finding = asked(path)
    assert finding.title.startswith("Hide communication")
    assert "sends and receives" not in finding.what
