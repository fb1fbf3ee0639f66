"""A last stage that has the head of a model, in all of its replicas, and one of its ranks that is slow beside that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member
from tests.simulated_files import SimulatedJob

if TYPE_CHECKING:
    from pathlib import Path

HEAD: dict[str, Any] = {"stages": 4, "n_micro": 6, "gemm_us": 150.0, "n_layers": 2, "n_steps": 3, "head_us": 150.0}


@pytest.mark.parametrize(("data", "times"), [(2, 1.2), (2, 1.5), (3, 1.2)])
def test_the_stage_has_more_work_and_its_slow_rank_is_slow(tmp_path: Path, data: int, times: float) -> None:
    """Against all other stages the slow one seemed late for another reason than its peers are, so no stage was told."""
    slow = 4 * data - 1
    late, usual = SimulatedJob(**HEAD, data=data, slow={slow: times}), SimulatedJob(**HEAD, data=data)
    usual.write(tmp_path / "usual")
    found = join([member(path) for path in late.write(tmp_path / "late")], RanksParams())
    rank, stage = found.blamed
    assert (rank.name, rank.cause) == (f"rank {slow}", "slow_kernels")
    assert rank.factor == pytest.approx(times, rel=0.03)
    assert rank.step_without_ns == pytest.approx(1000 * sum(usual.step_us) / 3, rel=0.02)
    assert (stage.name, stage.cause) == ("stage 3", "more_work")
    assert stage.kernels[:2] == ["sgemm_head_backward_256", "sgemm_head_256"]
    assert stage.excess_ns == pytest.approx(3 * 6 * 150_000, rel=0.1)
