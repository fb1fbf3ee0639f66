"""Bubbles of simulated pipelines, against what each stage was simulated to compute."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.views.ranks.analysed import analysed
from tb_plugin.views.ranks.pipeline_rows import bubbles, pipeline_figures, stage_rows
from tests.job.recorded import recorded
from tests.job_files import Job
from tests.pipeline_files import PipelineJob

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("schedule", ["1F1B", "GPipe"])
def test_bubbles_are_the_window_less_what_a_stage_computes(tmp_path: Path, schedule: str) -> None:
    job = PipelineJob(schedule=schedule, slow={1: 1.3})
    found = analysed(recorded(job.write(tmp_path))).pipeline
    assert found is not None
    first = min(of_stage[0][0] for of_stage in job.computed)
    last = max(of_stage[-1][1] for of_stage in job.computed)
    assert found.window.tolist() == [last - first]
    for stage, of_stage in enumerate(job.computed):
        begin, end = of_stage[0][0], of_stage[-1][1]
        computed = sum(until - since for since, until in of_stage)
        parts = [float(part[stage, 0]) for part in (found.warm_up, found.steady, found.drain)]
        assert parts == [begin - first, end - begin - computed, last - end]
        assert found.computation[stage, 0] == computed
    assert (found.schedule.name, found.schedule.n_micro_batches) == (schedule, 4)
    assert found.schedule.ideal_share == pytest.approx(2 / 6)


def test_a_stage_that_computes_more_is_named(tmp_path: Path) -> None:
    of = analysed(recorded(PipelineJob(slow={2: 1.5}).write(tmp_path)))
    figures, rows = pipeline_figures(of), stage_rows(of)
    assert figures is not None
    assert [row.stage for row in rows] == [0, 1, 2]
    assert all(row.busy_ns + row.bubble_ns == pytest.approx(figures.window_ns, abs=2) for row in rows)
    assert np.sum([row.imbalance_share for row in rows]) == pytest.approx(0, abs=1e-9)
    said = bubbles(figures, rows, set())
    assert said is not None
    assert "(1F1B, 3 stages, 4 micro-batches; ideal 33.3 %). Stage 2 computes 28.6 % more than the mean of all stages" in said


def test_a_job_without_a_pipeline_has_no_bubbles(tmp_path: Path) -> None:
    of = analysed(recorded(Job().write(tmp_path)))
    assert of.pipeline is None
    assert (pipeline_figures(of), stage_rows(of), bubbles(None, [], set())) == (None, [], None)


def test_some_stages_of_several_are_no_pipeline_to_measure_against(tmp_path: Path) -> None:
    """What the missing stages did is not known: the window would end where the only rank does."""
    paths = PipelineJob().write(tmp_path)
    for some in (paths[:1], paths[:2], paths[2:]):
        assert analysed(recorded(some)).pipeline is None
