"""Real jobs of four ranks, recorded on a GPU: what is told of them is held against what they were."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tb_plugin.base.units import NONE
from tb_plugin.trace.kinds import DEVICE_KINDS, is_kind
from tb_plugin.trace.scope.recorded_as import recorded_as
from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.goldens.questions import text
from tests.job.recorded import member, recorded
from tests.profiles import trace_of

JOBS = Path(__file__).resolve().parents[2] / "samples" / "jobs"
FILES = sorted(JOBS.glob("*/*"))
A_PERSONS = re.compile(r"/(?:home|root|Users|work)\b|\bvm\b")
WITHOUT_FAULT_NS = 4_540_000
"""The same job without the late loader, recorded in the same way; not recorded it took 4.88 ms."""


def test_a_job_whose_host_is_ahead_says_who_is_late_and_what_a_step_is_without_it() -> None:
    table = join([member(path) for path in sorted((JOBS / "nccl_late_loader").iterdir())], RanksParams())
    (one,) = table.blamed
    assert (one.name, one.cause, one.steps) == ("rank 2", "input", [4, 5, 6])
    assert one.step_without_ns == pytest.approx(WITHOUT_FAULT_NS, rel=0.1)
    assert one.step_without_least_ns == pytest.approx(one.step_without_ns, rel=0.02)
    assert any("launched before" in note for note in table.notes)
    assert [(row.name, row.n_instances) for row in table.dimensions] == [("world", 9)]  # not of what was launched before


def test_a_pipeline_of_batches_is_matched_whole_and_its_schedule_told() -> None:
    paths = sorted((JOBS / "nccl_pipeline").iterdir())
    of = analysed(recorded(paths))
    pairs = of.job.rows.is_between_two & (of.job.rows.step >= 0)
    assert pairs.sum() == 2 * 3 * 2 * 3 * 5  # sends and receives: 3 links, both ways, 3 steps, 5 micro-batches
    assert of.job.matched.is_complete[of.job.matched.of[pairs]].all()
    assert of.pipeline is not None
    assert (of.pipeline.schedule.name, of.pipeline.schedule.n_micro_batches) == ("1F1B", 5)
    assert of.replay is not None
    assert float(np.max(of.replay.held_up)) < 1e6
    blamed = join([member(path) for path in paths], RanksParams()).blamed
    assert [(one.name, one.cause) for one in blamed] == [("rank 2", "more_work")]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name[:5]}")
def test_a_recording_of_a_job_names_no_person_and_no_machine(path: Path) -> None:
    trace = trace_of(path)
    texts = [*trace.strings, repr(trace.info)]
    assert [found for text in texts for found in A_PERSONS.findall(text)] == []
    assert trace.info.host == "node1"


def test_what_stood_in_a_queue_when_the_recording_began_makes_nothing_less_sure() -> None:
    trace = trace_of(JOBS / "nccl_late_loader" / "rank0.1700000000000000000.pt.profile.pb")
    work = np.flatnonzero(is_kind(trace.events.kind, DEVICE_KINDS))
    assert (trace.events.launch[work] == NONE).mean() > 0.2
    assert recorded_as(trace, 0).unlinked_share == 0
    assert "no launch in the file" not in "\n".join(text(trace, "advice"))
