"""Who needs more than its peers, and yet makes no step longer, is seen and not blamed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import members, recorded
from tests.job_files import Job
from tests.launched_pipeline_files import LaunchedPipeline
from tests.simulated_files import SimulatedJob

if TYPE_CHECKING:
    from pathlib import Path

_HIDDEN, _SHOWN = (0, "F", 3), (3, "B", 1)
"""What stage 0 does before it waits for the first backward; what stages 2, 1 and 0 wait for."""


@pytest.mark.parametrize(("slow", "blamed"), [({}, []), ({2: 1.3}, ["rank 2"])])
def test_what_the_bubble_of_a_pipeline_hides_is_no_cause(tmp_path: Path, slow: dict[int, float], blamed: list[str]) -> None:
    usual, job = (LaunchedPipeline(n_stages=4, slow=slow, extra=extra) for extra in ({}, {_HIDDEN: 300_000}))
    usual.write(tmp_path)
    found = join(members(recorded(job.write(tmp_path))), RanksParams())
    assert job.ended_ns == usual.ended_ns
    assert [one.name for one in found.blamed] == blamed
    (said,) = (text for text in found.sentences if text.startswith("Rank 0 "))
    assert "takes 300 us" in said
    assert said.endswith("Without that a step would take as long: it is not why steps are longer.")
    assert any("No rank, stage, replica or host makes a step longer" in text for text in found.sentences) == (blamed == [])


def test_what_the_others_wait_for_is_one(tmp_path: Path) -> None:
    job = LaunchedPipeline(n_stages=4, extra={_HIDDEN: 300_000, _SHOWN: 300_000})
    found = join(members(recorded(job.write(tmp_path))), RanksParams())
    assert [one.name for one in found.blamed] == ["rank 3"]


def test_a_host_that_stands_still_while_its_device_waits_hides_no_gain(tmp_path: Path) -> None:
    """Rank 2 waits for the others in no event: what it takes from step to step would not become less by itself."""
    job = Job(n_ranks=3, n_steps=4, slow={0: 1.5}, late_input={1: 1_600_000})
    found = join(members(recorded(job.write(tmp_path))), RanksParams())
    assert sorted(one.name for one in found.blamed) == ["rank 0", "rank 1"]


def test_of_two_who_hide_each_other_both_are_blamed(tmp_path: Path) -> None:
    """Neither alone makes a step shorter, but each beside the other."""
    found = join(members(recorded(Job(n_ranks=8, slow={1: 1.3, 6: 1.3}).write(tmp_path))), RanksParams())
    assert sorted(one.name for one in found.blamed) == ["rank 1", "rank 6"]


def test_a_stage_whose_host_is_behind_and_holds_nobody_up_is_no_cause(tmp_path: Path) -> None:
    """Both of its ranks launch as slowly as all of their host, whose other stage is what the step waits for."""
    layout: dict[str, Any] = {"stages": 4, "data": 2, "n_micro": 4, "n_layers": 2, "ranks_per_node": 4, "n_steps": 3}
    job = SimulatedJob(**layout, host=dict.fromkeys(range(4), 60.0), seed=203)
    found = join(members(recorded(job.write(tmp_path))), RanksParams())
    assert [one.name for one in found.blamed] == ["host node0"]
    (at,) = (nth for nth, text in enumerate(found.sentences) if text.startswith("Stage 1 "))
    assert found.sentences[at].endswith("it is not why steps are longer.")
    assert found.leads[at].ranks == [2, 3]
