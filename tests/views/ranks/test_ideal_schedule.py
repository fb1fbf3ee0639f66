"""The schedule of a pipeline without a loss, against formulas and simulated pipelines."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tb_plugin.base.units import format_ns
from tb_plugin.views.ranks.pipeline.ideal_schedule import ideal_blocks
from tb_plugin.views.ranks.pipeline.micro_batches import MicroBatches, MicroBatchesParams, micro_batches
from tb_plugin.views.ranks.pipeline.micro_text import text
from tests.job.recorded import member
from tests.pipeline_files import PipelineJob

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.job.own.pipeline import ScheduleName


def shown(folder: Path, job: PipelineJob) -> MicroBatches:
    return micro_batches([member(path) for path in job.write(folder)], MicroBatchesParams())


@pytest.mark.parametrize("name", ["1F1B", "GPipe"])
@pytest.mark.parametrize(("n_stages", "n_micro"), [(2, 1), (3, 4), (4, 8), (4, 2)])
def test_it_is_as_long_as_micro_batches_and_stages_say_and_no_stage_does_two_things_at_once(
    name: ScheduleName, n_stages: int, n_micro: int
) -> None:
    found = ideal_blocks(name, n_stages, n_micro, 200.0, 400.0)
    assert max(block.end for block in found) == (n_micro + n_stages - 1) * 600
    ended = {(block.stage, block.is_forward, block.micro): block.end for block in found}
    assert len(ended) == len(found) == 2 * n_stages * n_micro
    for stage in range(n_stages):
        mine = [block for block in found if block.stage == stage]
        assert all(one.end <= other.start for one, other in pairwise(mine))
    for block in found:
        before = block.stage + (-1 if block.is_forward else 1)
        needs = (before, block.is_forward, block.micro) if 0 <= before < n_stages else (block.stage, True, block.micro)
        assert needs == (block.stage, block.is_forward, block.micro) or ended[needs] <= block.start


@pytest.mark.parametrize("schedule", ["1F1B", "GPipe"])
def test_beside_a_pipeline_with_a_slow_stage_it_takes_the_mean_of_all_stages(tmp_path: Path, schedule: str) -> None:
    job = PipelineJob(schedule=schedule, slow={1: 1.3}, n_stages=4)
    reply = shown(tmp_path, job)
    assert reply.ideal is not None
    assert reply.ideal_ns is not None
    computed = sum(end - begin for of_stage in job.computed for begin, end in of_stage)
    assert reply.ideal_ns == pytest.approx((4 + 4 - 1) * computed / (4 * 4), rel=0.005)
    assert reply.ideal_ns < reply.window_ns
    drawn = [[name for at, name in zip(reply.ideal.row, reply.ideal.name, strict=True) if at == stage] for stage in range(4)]
    assert drawn[3] == (
        ["F0", "B0", "F1", "B1", "F2", "B2", "F3", "B3"]
        if schedule == "1F1B"
        else ["F0", "F1", "F2", "F3", "B0", "B1", "B2", "B3"]
    )
    said = text(reply).splitlines()
    at = said.index(f"the same blocks without waits, at mean durations: {format_ns(reply.ideal_ns)}")
    assert said[at + 4] == f"stage 3  {' '.join(drawn[3])}"


@pytest.mark.parametrize(("n_stages", "n_chunks", "n_micro"), [(3, 2, 6), (4, 2, 8), (3, 3, 6)])
def test_of_interleaved_stages_it_is_as_long_as_chunks_say(tmp_path: Path, n_stages: int, n_chunks: int, n_micro: int) -> None:
    found = ideal_blocks("interleaved", n_stages, n_micro, 200.0, 400.0, n_chunks)
    assert len(found) == 2 * n_stages * n_micro * n_chunks
    assert max(block.end for block in found) == (n_micro * n_chunks + n_stages - 1) * 600
    job = PipelineJob(n_stages=n_stages, n_chunks=n_chunks, n_micro=n_micro)
    reply = shown(tmp_path, job)
    assert reply.ideal is not None
    assert reply.ideal_ns == pytest.approx((n_micro * n_chunks + n_stages - 1) * 600_000, rel=0.005)
    drawn = [name for row, name in zip(reply.ideal.row, reply.ideal.name, strict=True) if row == n_stages - 1]
    assert drawn[: n_stages * (n_chunks - 1) + 2] == [
        *(f"F{micro}·{chunk}" for chunk in range(n_chunks - 1) for micro in range(n_stages)),
        f"F0·{n_chunks - 1}",
        f"B0·{n_chunks - 1}",
    ]
