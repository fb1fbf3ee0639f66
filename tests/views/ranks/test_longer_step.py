"""Why the longest step is longer, where nobody is late beside the others."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tb_plugin.views.ranks.told.longer_step import why_longer
from tests.job.recorded import members, recorded
from tests.job_files import Job
from tests.simulated_files import SimulatedJob

if TYPE_CHECKING:
    from pathlib import Path

_EVERY = range(4)


def _said(job: Job, folder: Path) -> str:
    return join(members(recorded(job.write(folder))), RanksParams()).sentences[0]


@pytest.mark.parametrize(
    ("job", "why"),
    [
        (
            Job(slow=dict.fromkeys(_EVERY, 1.5), slow_steps=[11]),
            "compute 1.20 ms (49.9 %)",
        ),
        (
            Job(late_once={(rank, 11): 2_000_000 for rank in _EVERY}),
            "wait for their data loaders 2.00 ms",
        ),
        (Job(pause={(rank, 11): 2_000_000 for rank in _EVERY}), "idle 2.00 ms"),
        (
            Job(transfer_ns=200_000, slow_meets={(pair, 11, at): 5.0 for pair in ((0, 1), (2, 3)) for at in range(6)}),
            "move data for 4.80 ms",
        ),
    ],
    ids=["slow", "loader", "pause", "link"],
)
def test_of_a_step_that_is_longer_on_all_ranks_the_part_of_it_that_is_longer_is_told(tmp_path: Path, job: Job, why: str) -> None:
    said = _said(job, tmp_path)
    assert "Step 11 is the longest: " in said
    assert f"(all 4 ranks {why} longer in it than in others" in said
    assert ("at the same kernels" in said) == why.startswith("compute")


def test_of_a_step_that_is_longer_on_most_ranks_how_many_is_told(tmp_path: Path) -> None:
    said = _said(Job(late_once={(rank, 11): 2_000_000 for rank in range(3)}), tmp_path)
    assert "(all 4 ranks but rank 3 wait for their data loaders 2.00 ms longer in it than in others)" in said


def test_a_step_that_is_longer_for_one_rank_has_that_as_its_reason(tmp_path: Path) -> None:
    said = _said(Job(slow={2: 1.5}, slow_steps=[11]), tmp_path)
    assert "Step 11 is the longest: " in said
    assert "longer in it" not in said


def test_a_reason_under_a_quarter_of_what_the_step_is_longer_by_is_none(tmp_path: Path) -> None:
    found = analysed(recorded(Job(pause={(rank, 11): 2_000_000 for rank in _EVERY}).write(tmp_path)))
    assert (why_longer(found, 11, 7_900_000) or "").startswith("all 4 ranks idle 2.00 ms longer")
    assert why_longer(found, 11, 8_100_000) is None


def test_of_a_pipeline_whose_hosts_all_stand_still_the_stage_is_told_that_the_others_wait_for(tmp_path: Path) -> None:
    pause = {(rank, 12, "middle"): (12_000.0, ()) for rank in range(8)}
    job = SimulatedJob(data=4, stages=2, n_micro=4, gemm_us=100, pause=pause)
    said = join(members(recorded(job.write(tmp_path))), RanksParams()).sentences[0]
    told = re.search(
        r"Step 12 is the longest: 30.9 ms \(4 of 8 ranks \(0-3\) idle ([0-9.]+) ms longer in it than in others\)", said
    )
    assert told is not None, said
    assert float(told[1]) == pytest.approx((job.step_us[2] - job.step_us[1]) / 1000, rel=0.02)
