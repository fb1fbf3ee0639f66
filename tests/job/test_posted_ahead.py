"""Receives posted ahead: what waits for them, so what a step would be without a slow link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.base.units import NONE
from tb_plugin.job.replay.posted_ahead import runs, usual_lead, waiting_run
from tb_plugin.trace.rank.order import CHUNK, COLLECTIVE, STEP
from tb_plugin.views.ranks.basis.analysed import analysed
from tests.job.recorded import recorded
from tests.program_files import ProgramJob
from tests.step_edge_files import pipeline

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("times", [3.0, 5.0])
@pytest.mark.parametrize("syncs", [True, False], ids=["waits", "never waits"])
def test_a_step_without_a_slow_link_is_that_of_the_job_without_it(tmp_path: Path, times: float, syncs: bool) -> None:
    """Once the link is quick no receive is what is waited for, and kernels wait for none that others use."""
    slow, usual = (
        ProgramJob(programs=pipeline(send_ns=300_000, syncs=syncs, slow=some), ranks_per_node=1) for some in ({2: times}, None)
    )
    of = analysed(recorded(slow.write(tmp_path / "slow")))
    usual.write(tmp_path / "usual")
    assert of.links.slow is not None
    assert of.links.slow.hosts == (2,)
    assert of.links.slow.factor == pytest.approx(times, rel=0.02)
    assert of.without_slow_link is not None
    was, told = (np.mean(list(some.values())[1:]) for some in (of.without_slow_link.was, of.without_slow_link.would_be))
    true = [np.diff([job.computed_ns[step] for step in sorted(job.computed_ns)]).mean() for job in (slow, usual)]
    assert [was, told] == pytest.approx(true, rel=0.01)


def test_a_run_is_the_kernels_between_two_messages() -> None:
    kind = np.array([COLLECTIVE, CHUNK, CHUNK, COLLECTIVE, CHUNK, COLLECTIVE, COLLECTIVE, CHUNK, STEP])
    is_message = np.array([True, False, False, False, False, True, True, False, False])
    found = runs({"kind": kind, "rank": np.zeros(len(kind), np.int64)}, is_message)
    assert found.of_row.tolist() == [0, 1, 1, 1, 1, 1, 1, 2, 2]
    assert waiting_run(found, np.array([0, 0, 5, 5]), np.array([1, 2, 1, 2])).tolist() == [1, 7, 7, NONE]
    assert waiting_run(found, np.array([0]), np.array([NONE])).tolist() == [NONE]


def test_after_how_many_runs_a_receive_is_used_its_own_rank_tells_first() -> None:
    rank, sort = np.array([0, 0, 0, 1, 1, 2, 3]), np.array([4, 4, 4, 4, 4, 4, 5])
    lead = np.array([1, 2, 2, 1, 9, 9, 9])
    told = np.array([True, True, True, True, False, False, False])
    assert usual_lead(rank, sort, lead, told).tolist() == [2, 2, 2, 1, 1, 1, NONE]
