"""What its job tells of one profile: held against the simulated job's truth, and against the tables of Ranks."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import pytest

from tb_plugin.base.text_table import percent
from tb_plugin.base.units import format_ns
from tb_plugin.trace.rank.packed import unpacked
from tb_plugin.views.ranks.basis.analysed import analysed, jobs_among
from tb_plugin.views.ranks.basis.last_ranks import last_ranks
from tb_plugin.views.ranks.basis.of_job import profiles_of
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.in_job import InJob, InJobParams, in_job, text
from tb_plugin.views.ranks.one_rank.one_rank import OneRankParams, one_rank
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member
from tests.job_files import FIRST_STEP, Job
from tests.pipeline_files import PipelineJob
from tests.simulated_files import SimulatedJob

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.question.joint import Member
    from tb_plugin.trace.rank.summary import RankSummary

SLOW = 5


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> tuple[Job, list[Member[RankSummary]]]:
    job = Job(n_ranks=8, ranks_per_node=4, slow={SLOW: 1.5})
    return job, [member(path) for path in job.write(tmp_path_factory.mktemp("ranks"))]


def told(members: list[Member[RankSummary]], rank: int) -> InJob:
    return in_job(members, InJobParams(worker=members[rank].worker))


def test_who_waits_is_told_how_long_for_whom_and_that_overlap_does_not_help(slow: tuple[Job, list[Member[RankSummary]]]) -> None:
    job, members = slow
    reply = told(members, 4)
    waited = sum(max(met.arrived.values()) - met.arrived[4] for met in job.met if 4 in met.group) / job.n_steps
    assert reply.wait_ns == pytest.approx(waited, rel=0.05)
    assert (reply.run, reply.worker) == (members[4].run, members[4].worker)
    assert (reply.rank, reply.waited_for, reply.is_mostly_waiting) == (4, [SLOW], True)
    assert reply.sentence is not None
    assert reply.sentence.startswith("Rank 4 waits ")
    assert " of that for rank 5. Rank 5 (node1) computes 50 % longer" in reply.sentence
    assert reply.communication is not None
    assert reply.communication.startswith(
        "Mostly waiting, most for rank 5: larger buckets or overlap gain at most what moves data."
    )


def test_who_is_late_brings_what_ranks_says_and_in_its_words(slow: tuple[Job, list[Member[RankSummary]]]) -> None:
    table = join(slow[1], RanksParams())
    (one,) = table.blamed
    assert one.step_was_ns is not None
    assert one.step_without_ns is not None
    (late,) = told(slow[1], 4).late
    lengths = f"about {format_ns(one.step_without_ns)} instead of {format_ns(one.step_was_ns)}"
    assert late.title == f"Make rank 5 come in time: a step would take {lengths}"
    assert late.is_replayed
    assert late.gain_ns == [one.step_was_ns - one.step_without_ns] * len(one.steps)
    assert told(slow[1], 4).steps == one.steps
    of_ranks = next(said for said in table.sentences if said.startswith("Rank 5 "))
    assert f"Without it a step would take {lengths}" in of_ranks
    assert of_ranks in (told(slow[1], 4).sentence or "")
    assert of_ranks in (told(slow[1], SLOW).sentence or "")
    assert told(slow[1], SLOW).late == []


def test_who_is_late_in_one_step_brings_nothing_in_others(tmp_path: Path) -> None:
    job = SimulatedJob(n_steps=4, late_input={}, pause={(2, FIRST_STEP + 1, "begin"): (4000.0, ["train.py(3): load"])})
    reply = told([member(path) for path in job.write(tmp_path)], 0)
    (late,) = reply.late
    gains = dict(zip(reply.steps, late.gain_ns, strict=True))
    assert gains.pop(FIRST_STEP + 1) > 3_000_000
    assert set(gains.values()) == {0}
    assert late.title.startswith(f"Make rank 2 come in time: step {FIRST_STEP + 1} would take about ")


def test_its_times_are_those_of_ranks(slow: tuple[Job, list[Member[RankSummary]]]) -> None:
    rows = {row.rank: row for row in join(slow[1], RanksParams()).ranks}
    for rank in range(8):
        reply = told(slow[1], rank)
        assert reply.wait_ns == pytest.approx(rows[rank].wait_ns, abs=1)
        assert reply.transfer_ns == pytest.approx(rows[rank].transfer_ns, abs=1)


def test_who_is_waited_for_is_told_that(slow: tuple[Job, list[Member[RankSummary]]]) -> None:
    reply = told(slow[1], SLOW)
    assert reply.sentence is not None
    assert reply.sentence.startswith("The other ranks wait for this one: Rank 5 (node1) computes 50 % longer")
    assert not reply.is_mostly_waiting
    assert (reply.communication or "-") in text(reply)


def test_a_time_of_one_rank_is_found_in_another_on_the_jobs_clock(tmp_path: Path) -> None:
    """One host is 37 ms ahead and drifts by 40 ppm: ends of all-reduces of all ranks meet there, as they did."""
    job = Job(n_ranks=4, offset_ns={1: 37_000_000}, drift_ppm={1: 40.0})
    members = [member(path) for path in job.write(tmp_path)]
    ends = []
    for rank in (0, 3):
        clock, own = told(members, rank).clock, members[rank].answer
        assert clock is not None
        assert own is not None
        assert clock.clock == f"{members[0].worker} {members[0].span}"
        end = unpacked(own.collectives)["end"]
        ends.append(end - clock.ahead_ns - clock.drift * (end - clock.at_ns))
        assert clock.error_ns == pytest.approx(1500 if rank else 0, abs=1500 if rank else 0)
    assert len(ends[0]) == len(ends[1])
    of_all = slice(job.n_layers, None, job.n_layers + 1)
    assert ends[0][of_all] == pytest.approx(ends[1][of_all], abs=5_000)


def test_a_rank_of_clocks_that_nothing_ties_has_one_of_its_own(tmp_path: Path) -> None:
    members = [member(path) for path in Job(n_ranks=4, offset_ns={1: 37_000_000}, jitter_ns=40_000_000).write(tmp_path)]
    first, other = told(members, 0).clock, told(members, 3).clock
    assert first is not None
    assert other is not None
    assert first.clock != other.clock


def test_waits_of_a_pipeline_blame_nobody(tmp_path: Path) -> None:
    members = [member(path) for path in PipelineJob().write(tmp_path)]
    reply = told(members, 0)
    assert reply.waited_for == []
    assert "sends and receives (the pipeline's bubble)" in (reply.sentence or "")
    assert "Mostly waiting in sends and receives (the pipeline's bubble): " in (reply.communication or "")


def test_it_divides_a_wait_as_ranks_does_of_that_rank(tmp_path: Path) -> None:
    """A receive is posted long before the collectives in which its rank waits too: what waits in both counts once."""
    job = SimulatedJob(tensor=2, data=2, stages=2, n_micro=4, n_steps=3, gemm_us=100.0, slow={5: 1.25})
    members, n_told = [member(path) for path in job.write(tmp_path)], 0
    for rank in range(job.n_ranks):
        told_of, sentence = one_rank(members, OneRankParams(rank=rank)).dimensions, told(members, rank).sentence or ""
        waits = {row.dimension: row.exposed_wait_ns or 0 for row in told_of}
        in_pairs = waits.pop("pipeline")
        if " in collectives" in sentence:
            n_told += 1
            bubble = f"{format_ns(in_pairs)} in sends and receives (the pipeline's bubble)"
            assert f": {bubble}, {format_ns(sum(waits.values()))} in collectives" in sentence
    assert n_told > job.n_ranks / 2


def test_one_profile_alone_has_nobody_to_wait_for(slow: tuple[Job, list[Member[RankSummary]]]) -> None:
    alone = [slow[1][4]]
    reply = told(alone, 0)
    assert (reply.worker, reply.rank, reply.sentence, reply.communication, reply.wait_ns) == (None,) * 5
    assert text(reply) == "Its job tells nothing of it."


def test_for_whom_it_waits_is_a_share_of_its_wait_in_collectives_as_ranks_divides_it(tmp_path: Path) -> None:
    """Each dimension's part is what Ranks says of it, and within one it goes by what each of its collectives waits."""
    job = SimulatedJob(tensor=2, data=2, stages=2, n_micro=4, n_steps=3, gemm_us=100.0, slow={5: 1.25})
    members, n_told = [member(path) for path in job.write(tmp_path)], 0
    of = analysed(jobs_among(profiles_of(members))[0])
    for place, number in enumerate(of.job.of.numbers):
        rows = [row for row in of.job.rows_of(place).tolist() if of.job.waits.is_known[row]]
        dimension = of.dimensions.of_rows(of.job.rows.group[rows]).tolist()
        within, by_last, total = Counter[int](), defaultdict[tuple[int, ...], float](float), 0.0
        for row, at in zip(rows, dimension, strict=True):
            within[at] += int(of.exposed.wait[row])
        waits = {row.dimension: row.exposed_wait_ns or 0 for row in one_rank(members, OneRankParams(rank=number)).dimensions}
        for row, at in zip(rows, dimension, strict=True):
            if not of.job.rows.is_between_two[row] and within[at]:
                ns = waits[of.dimensions.names[at]] * int(of.exposed.wait[row]) / within[at]
                total += ns
                last = sorted(last_ranks(of.job, [of.job.matched.of[row]])[0])
                by_last[() if of.job.waits.is_last[row] else tuple(of.job.of.numbers[one] for one in last)] += ns
        named = [(who, ns) for who, ns in by_last.items() if who]
        whom, ns = max(named, key=lambda each: each[1], default=((), 0.0))
        reply = told(members, number)
        assert reply.waited_for == list(whom)
        if " of that for rank" in (reply.sentence or ""):
            n_told += 1
            assert f", {percent(ns / total)} of that for {'ranks' if len(whom) > 1 else 'rank'} " in (reply.sentence or "")
    assert n_told > job.n_ranks / 2


def test_where_a_missing_rank_may_be_as_late_what_a_replay_has_is_a_bound(tmp_path: Path) -> None:
    paths = SimulatedJob(slow={1: 1.25, 3: 1.24}).write(tmp_path)
    members = [member(path) for rank, path in enumerate(paths) if rank != 3]
    (late,) = told(members, 0).late
    (one,) = join(members, RanksParams()).blamed
    assert not late.is_replayed
    assert late.title == "Make rank 1 come in time: the others wait for it"
    assert 0 < max(late.gain_ns) <= (one.step_was_ns or 0) - (one.step_without_least_ns or 0)
