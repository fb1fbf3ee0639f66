"""Blocks of micro-batches of simulated pipelines, against what each stage was simulated to compute."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from tb_plugin.base.errors import UsageError
from tb_plugin.trace.rank.order import NEEDS, ORDER
from tb_plugin.trace.rank.packed import packed
from tb_plugin.views.ranks.pipeline.micro_batches import MicroBatches, MicroBatchesParams, micro_batches
from tb_plugin.views.ranks.pipeline.micro_text import table, text
from tests.job.recorded import member
from tests.job_files import Job
from tests.pipeline_files import PipelineJob

if TYPE_CHECKING:
    from pathlib import Path

NOTHING = np.zeros(0, np.int64)
_NAMES = {
    "1F1B": ("F0 F1 F2 B0F3 B1 B2 B3", "F0 F1 B0 F2 B1 F3 B2 B3", "F0B0 F1B1 F2B2 F3B3"),
    "GPipe": ("F0 F1 F2 F3 B0 B1 B2 B3", "F0 F1 F2 F3 B0 B1 B2 B3", "F0 F1 F2 F3B0 B1 B2 B3"),
}


def shown(folder: Path, job: PipelineJob | Job) -> MicroBatches:
    return micro_batches([member(path) for path in job.write(folder)], MicroBatchesParams())


@pytest.mark.parametrize("schedule", ["1F1B", "GPipe"])
def test_blocks_are_what_each_stage_computed_for_each_micro_batch(tmp_path: Path, schedule: str) -> None:
    job = PipelineJob(schedule=schedule, slow={1: 1.3})
    reply = shown(tmp_path, job)
    assert (reply.reason, reply.step, [row.stage for row in reply.rows]) == (None, 7, [0, 1, 2])
    begin = min(of_stage[0][0] for of_stage in job.computed)
    of = reply.blocks
    for stage, names in enumerate(_NAMES[schedule]):
        mine = [at for at, row in enumerate(of.row) if row == stage]
        assert [of.name[at] for at in mine] == names.split()
        # A block of both is two of the simulation, one after the other.
        truth = iter(job.computed[stage])
        for at in mine:
            first = next(truth)
            last = next(truth) if of.forward[at] >= 0 and of.backward[at] >= 0 else first
            assert (of.start_ns[at] + begin, of.end_ns[at] + begin) == (first[0], last[1])
        assert next(truth, None) is None
    assert any("nothing is sent between them" in note for note in reply.notes)
    assert "stage 1 (rank 1)  F0 F1 " in text(reply)
    assert len(table(reply).rows) == len(of.row)
    assert all(row.is_told for row in reply.rows)


@pytest.mark.parametrize("schedule", ["1F1B", "GPipe"])
def test_what_a_stage_computes_and_waits_for_each_micro_batch_is_what_was_simulated(tmp_path: Path, schedule: str) -> None:
    job = PipelineJob(schedule=schedule, slow={1: 1.3}, late_input={0: 700_000}, n_kernels={1: 3})
    reply = shown(tmp_path, job)
    begin, of = min(of_stage[0][0] for of_stage in job.computed), reply.blocks
    for stage, row in enumerate(reply.rows):
        truth = iter(zip(job.computed[stage], job.waited[stage], strict=True))
        for at in (at for at, each in enumerate(of.row) if each == stage):
            its = [next(truth) for number in (of.forward[at], of.backward[at]) if number >= 0]
            between = 1000 * (len(its) - 1)  # inside a block of both, from one pass to the next
            assert of.computing_ns[at] == sum(end - start for (start, end), _ in its) + between
            waits = [wait for wait in (of.forward_wait_ns[at], of.backward_wait_ns[at]) if wait is not None]
            assert len(waits) == len(its)
            # Before the first forward of all stages nothing is bubble.
            early = max(begin - (1_000_000 + job.late_input.get(stage, 0)), 0) if its[0][0] == job.computed[stage][0] else 0
            assert sum(waits) == max(sum(wait for _, wait in its) - early, 0)
        assert next(truth, None) is None
        assert row.computation_ns == pytest.approx(
            sum(of.computing_ns[at] for at, each in enumerate(of.row) if each == stage), rel=0.01
        )
        total = sum(
            w or 0
            for kind in (of.forward_wait_ns, of.backward_wait_ns)
            for at, w in zip(of.row, kind, strict=True)
            if at == stage
        )
        assert row.bubble_ns is not None
        assert total <= row.bubble_ns
    said = [line.split() for line in text(reply).splitlines()]
    assert ["stage", "computes", "of", "0", "1", "2", "3"] in said
    assert ["1", "9.36", "ms", "forward", *(["782", "us"] * 4)] in said
    rows = table(reply)
    assert [row[rows.columns.index("computing_ns")] for row in rows.rows] == of.computing_ns


@pytest.mark.parametrize(("n_stages", "n_chunks", "n_micro"), [(3, 2, 6), (4, 2, 8), (3, 3, 3), (3, 2, 3)])
def test_blocks_of_interleaved_stages_are_of_the_chunk_that_was_simulated(
    tmp_path: Path, n_stages: int, n_chunks: int, n_micro: int
) -> None:
    job = PipelineJob(n_stages=n_stages, n_chunks=n_chunks, n_micro=n_micro, slow={1: 1.3})
    reply = shown(tmp_path, job)
    assert (reply.reason, reply.n_chunks) == (None, n_chunks)
    assert all(row.is_told for row in reply.rows)
    begin, of = min(of_stage[0][0] for of_stage in job.computed), reply.blocks
    for stage in range(n_stages):
        truth = iter(zip(job._order(stage), job.computed[stage], job.waited[stage], strict=True))
        for at in (at for at, each in enumerate(of.row) if each == stage):
            passes = [("F", of.forward[at], of.forward_chunk[at]), ("B", of.backward[at], of.backward_chunk[at])]
            its = [next(truth) for _, micro, _ in passes if micro >= 0]
            assert sorted(part for part, _, _ in its) == sorted(each for each in passes if each[1] >= 0)
            assert of.name[at] == "".join(f"{what}{micro}·{chunk}" for (what, micro, chunk), _, _ in its)
            assert (of.start_ns[at] + begin, of.end_ns[at] + begin) == (its[0][1][0], its[-1][1][1])
            waits = sum(wait or 0 for wait in (of.forward_wait_ns[at], of.backward_wait_ns[at]))
            assert waits == sum(wait for _, _, wait in its) or its[0][1] == job.computed[stage][0]
        assert next(truth, None) is None
    assert "stage 1 (rank 1)  F0·0 F1·0 F2·0 " in text(reply)
    assert any(line.split()[0] == "1·1" for line in text(reply).splitlines() if line.strip())


class BreadthFirst(PipelineJob):
    """All micro-batches of a chunk, then all of the next."""

    def _of_chunks(self, stage: int) -> list[tuple[str, int, int]]:
        del stage
        chunks = range(self.n_chunks)
        forward = [("F", micro, chunk) for chunk in chunks for micro in range(self.n_micro)]
        return [*forward, *(("B", micro, chunk) for chunk in reversed(chunks) for micro in range(self.n_micro))]


def test_chunks_that_take_turns_in_another_order_are_not_told(tmp_path: Path) -> None:
    """Sends and receives are as many as in the order that is known, but what is received comes after what it would be used by."""
    reply = shown(tmp_path, BreadthFirst(n_stages=3, n_chunks=2, n_micro=6))
    assert reply.reason is not None
    assert "stages hold several chunks of the model" in reply.reason
    assert (reply.blocks.row, reply.ideal, reply.notes) == ([], None, [])


def test_a_block_lies_in_its_ranks_own_profile_where_that_says(tmp_path: Path) -> None:
    job = PipelineJob()
    reply = shown(tmp_path, job)
    zero = min(of_stage[0][0] for of_stage in job.computed)
    assert [row.zero_ns for row in reply.rows] == [zero] * 3
    assert all(row.bubble_ns is not None and row.bubble_ns < reply.window_ns for row in reply.rows)


def test_a_rank_names_its_pipeline_and_what_is_not_there_is_refused(tmp_path: Path) -> None:
    members = [member(path) for path in PipelineJob().write(tmp_path)]
    assert [row.rank for row in micro_batches(members, MicroBatchesParams(rank=2, step=7)).rows] == [0, 1, 2]
    with pytest.raises(UsageError, match="rank 9 is in no pipeline here; there is 0-2"):
        micro_batches(members, MicroBatchesParams(rank=9))
    with pytest.raises(UsageError, match="step 3: there is 7"):
        micro_batches(members, MicroBatchesParams(step=3))


def test_what_no_block_covers_is_the_bubble_of_each_stage_also_beside_a_pipeline_that_is_later(tmp_path: Path) -> None:
    """One that begins 0.5 ms later, with a stage that computes longer: all bubbles reach to where it ends."""
    jobs = [
        PipelineJob(n_ranks=6),
        PipelineJob(n_ranks=6, first_rank=3, late_input=dict.fromkeys(range(3), 500_000), slow={1: 1.3}),
    ]
    members = [member(path) for job in jobs for path in job.write(tmp_path)]
    begin = min(of_stage[0][0] for job in jobs for of_stage in job.computed)
    window = max(of_stage[-1][1] for job in jobs for of_stage in job.computed) - begin
    for first, job in zip((0, 3), jobs, strict=True):
        reply = micro_batches(members, MicroBatchesParams(rank=first))
        assert [row.rank for row in reply.rows] == [first, first + 1, first + 2]
        assert reply.window_ns == window
        assert "to the last backward of all pipelines" in text(reply)
        for stage, row in enumerate(reply.rows):
            passes = {instant for since, until in job.computed[stage] for instant in range(since, until, 1000)}
            idle = sum(1000 for instant in range(begin, begin + window, 1000) if instant not in passes)
            of = zip(reply.blocks.row, reply.blocks.start_ns, reply.blocks.end_ns, strict=True)
            blocks = [(start, end) for at, start, end in of if at == stage]
            assert all(0 <= start < end <= window for start, end in blocks)
            between = 1000 * (len(job.computed[stage]) - len(blocks))  # inside blocks of both, from one pass to the next
            assert row.bubble_ns == idle == window - sum(end - start for start, end in blocks) + between
        (share,) = (choice.bubble_share for choice in reply.choices if choice.rank == first)
        assert share == pytest.approx(sum(row.bubble_ns or 0 for row in reply.rows) / (3 * window))


def test_a_job_without_a_pipeline_says_so(tmp_path: Path) -> None:
    reply = shown(tmp_path, Job())
    assert reply.reason == text(reply) == "This job has no pipeline of which all stages are here."
    assert reply.blocks.row == []


def test_where_no_launch_is_recorded_nothing_is_made_up(tmp_path: Path) -> None:
    members = [member(path) for path in PipelineJob().write(tmp_path)]
    none = {"order": packed(dict.fromkeys(ORDER, NOTHING)), "needs": packed(dict.fromkeys(NEEDS, NOTHING))}
    bare = [replace(one, answer=one.answer and msgspec.structs.replace(one.answer, **none)) for one in members]
    reply = micro_batches(bare, MicroBatchesParams())
    assert reply.reason is not None
    assert "in what order the host launched" in reply.reason
    of_one = micro_batches([members[0], bare[1], members[2]], MicroBatchesParams())
    assert [row.is_told for row in of_one.rows] == [True, False, True]
    assert any(note.startswith("In stage 1 not every block is told") for note in of_one.notes)
    assert [row.stage for row in reply.rows] == [0, 1, 2]
