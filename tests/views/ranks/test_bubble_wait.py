"""Of the waiting in a step what is a pipeline's bubble: the parts of the step, and the sentence about what is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.base.units import format_ns
from tb_plugin.doors import definitions
from tb_plugin.job.own.exposed import computing_of
from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member, recorded
from tests.job_files import Job
from tests.pipeline_files import PipelineJob

if TYPE_CHECKING:
    from pathlib import Path

_US = 1000


@pytest.mark.parametrize("job", [PipelineJob(slow={1: 1.3}), PipelineJob(schedule="GPipe"), PipelineJob(n_chunks=2, n_micro=6)])
def test_it_is_what_a_stage_waits_in_the_window_and_does_not_compute(tmp_path: Path, job: PipelineJob) -> None:
    """Microsecond by microsecond."""
    of = analysed(recorded(job.write(tmp_path)))
    found, waits = of.pipeline, of.job.waits
    assert found is not None
    begin, window = round(float(found.begin[0])), round(float(found.window[0]))
    for stage in range(job.n_stages):
        busy = computing_of(of.job, of.job.of.ranks[stage])  # its optimizer, too, while others are at work
        computing = {at for since, until in zip(*busy, strict=True) for at in range(since // _US, until // _US)}
        mine = of.job.rows_of(stage)
        waiting = {
            at
            for start, wait in zip(waits.start[mine].tolist(), waits.wait[mine].tolist(), strict=True)
            for at in range(max(start, begin) // _US, min(start + wait, begin + window) // _US)
        }
        assert float(found.waiting[stage, 0]) == pytest.approx(len(waiting - computing) * _US, abs=3 * _US * len(mine))
        assert found.waiting[stage, 0] <= found.bubble[stage, 0]


def test_the_first_screen_says_so_and_the_parts_still_add_up(tmp_path: Path) -> None:
    reply = join([member(path) for path in PipelineJob(slow={1: 1.3}).write(tmp_path)], RanksParams())
    parts = reply.parts
    assert parts is not None
    assert parts.wait_ns is not None
    assert parts.bubble_wait_ns is not None
    assert 0 < parts.bubble_wait_ns <= parts.wait_ns
    assert parts.computation_ns + parts.communication_ns + parts.copy_ns + parts.idle_ns == parts.step_ns
    told = "all" if parts.bubble_wait_ns == parts.wait_ns else format_ns(parts.bubble_wait_ns)
    assert f"waiting for other ranks ({told} of that in the pipeline's bubble)" in reply.sentences[0]


def test_without_a_pipeline_there_is_none(tmp_path: Path) -> None:
    reply = join([member(path) for path in Job(slow={1: 1.3}).write(tmp_path)], RanksParams())
    assert reply.parts is not None
    assert reply.parts.bubble_wait_ns is None
    assert "bubble" not in reply.sentences[0]


def test_parts_of_a_step_that_lead_to_a_map_of_more_say_so() -> None:
    told = definitions.of_view("ranks")
    assert "The map that the name of this part leads to is of that longer one" in told["parts.bubble_wait_ns"]
    assert "the map that its name leads to holds both" in told["parts.wait_ns"]
