"""Bubbles of simulated pipelines, against what each stage was simulated to compute."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.job.why.gaps_by_launch import but_bubble
from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.rows.pipeline_rows import bubbles, longest_stage, pipeline_figures, stage_rows
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


@pytest.mark.parametrize(("n_stages", "n_chunks", "n_micro"), [(4, 2, 8), (3, 2, 3), (3, 3, 6)])
def test_micro_batches_of_an_interleaved_pipeline_are_counted_by_its_sends(
    tmp_path: Path, n_stages: int, n_chunks: int, n_micro: int
) -> None:
    of = analysed(recorded(PipelineJob(n_stages=n_stages, n_chunks=n_chunks, n_micro=n_micro).write(tmp_path)))
    assert of.pipeline is not None
    told = of.pipeline.schedule
    assert (told.name, told.n_micro_batches, told.n_chunks) == ("interleaved", n_micro, n_chunks)
    assert told.ideal_share == pytest.approx((n_stages - 1) / (n_micro * n_chunks + n_stages - 1))
    said = bubbles(pipeline_figures(of), None)
    assert said is not None
    assert f"(interleaved, {n_stages} stages of {n_chunks} chunks each, {n_micro} micro-batches; ideal bubble by formula " in said


@pytest.mark.parametrize(("n_chunks", "n_micro"), [(1, 6), (2, 3), (2, 6)])
def test_waits_for_launches_are_no_more_than_a_step_is_longer_than_its_schedule(
    tmp_path: Path, n_chunks: int, n_micro: int
) -> None:
    """A part, forward and backward, is 600 us: the last ends after all parts of a stage and one on each of the other two."""
    of = analysed(recorded(PipelineJob(n_stages=3, n_chunks=n_chunks, n_micro=n_micro).write(tmp_path)))
    assert of.pipeline is not None
    outside = of.own.parts["computation"] - of.pipeline.computation
    most = of.own.step - outside - of.own.parts["transfer"] - 600_000 * (n_micro * n_chunks + 2)
    found = but_bubble(np.full(most.shape, 1e12), of.own, of.layout, of.pipeline)
    assert found == pytest.approx(most)


@pytest.mark.parametrize("lost", ["send", "recv", "rank"])
def test_where_a_rank_sends_otherwise_chunks_are_not_told(tmp_path: Path, lost: str) -> None:
    """A kernel of one rank is not in its file; or of two such pipelines a stage's rank is missing."""
    paths = PipelineJob(n_stages=4, n_chunks=2, n_micro=8).write(tmp_path)
    if lost == "rank":
        paths += PipelineJob(n_stages=4, n_chunks=2, n_micro=8, first_rank=4).write(tmp_path)[:-1]
    else:
        file = json.loads(gzip.decompress(paths[1].read_bytes()))
        args = [event.get("args", {}) for event in file["traceEvents"]]
        one = next(said["External id"] for said in args if said.get("Collective name") == lost)
        file["traceEvents"] = [event for event in file["traceEvents"] if event.get("args", {}).get("External id") != one]
        paths[1].write_bytes(gzip.compress(json.dumps(file).encode()))
    found = analysed(recorded(paths)).pipeline
    assert found is not None
    assert (found.schedule.name, found.schedule.n_micro_batches) == ("interleaved", None)
    assert (found.schedule.n_chunks, found.schedule.ideal_share) == (None, None)


def test_a_stage_that_computes_more_is_named(tmp_path: Path) -> None:
    of = analysed(recorded(PipelineJob(slow={2: 1.5}).write(tmp_path)))
    figures, rows = pipeline_figures(of), stage_rows(of)
    assert figures is not None
    assert [row.stage for row in rows] == [0, 1, 2]
    assert all(row.busy_ns + row.bubble_ns == pytest.approx(figures.window_ns, abs=2) for row in rows)
    assert np.sum([row.imbalance_share for row in rows]) == pytest.approx(0, abs=1e-9)
    said = bubbles(figures, longest_stage(of, rows, []))
    assert said is not None
    assert "43.5 % of the 4.96 ms of forward and backward (1F1B, 3 stages, 4 micro-batches; " in said
    assert "; ideal bubble by formula 1.40 ms, 33.3 % of then" in said
    assert "of then 4.20 ms). Stage 2 computes 28.6 % more than the mean of all stages" in said


def test_a_job_without_a_pipeline_has_no_bubbles(tmp_path: Path) -> None:
    of = analysed(recorded(Job().write(tmp_path)))
    assert of.pipeline is None
    assert (pipeline_figures(of), stage_rows(of), bubbles(None, None)) == (None, [], None)


def test_some_stages_of_several_are_no_pipeline_to_measure_against(tmp_path: Path) -> None:
    """What the missing stages did is not known: the window would end where the only rank does."""
    paths = PipelineJob().write(tmp_path)
    for some in (paths[:1], paths[:2], paths[2:]):
        assert analysed(recorded(some)).pipeline is None
