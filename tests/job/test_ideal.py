"""The ideal of a job, held against the same job simulated without its faults."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.base.errors import UsageError
from tb_plugin.job.what_if.ideal import no_longer
from tb_plugin.job.what_if.what_if import Without
from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tb_plugin.views.ranks.text import text
from tb_plugin.views.ranks.what_if.what_if import RanksWhatIfParams, what_if
from tb_plugin.views.ranks.what_if.what_if import text as what_if_text
from tests.job.recorded import member, real_job, recorded
from tests.job_files import Job
from tests.pipeline_files import PipelineJob

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.views.ranks.what_if.what_if import RanksWhatIf


def mean_step_ns(folder: Path, job: Job | PipelineJob) -> float:
    """From last rank to last rank, as it was."""
    folder.mkdir()
    found = analysed(recorded(job.write(folder))).replay
    assert found is not None
    lengths = found.step_lengths(found.recorded).values()
    return sum(lengths) / len(lengths)


def asked(folder: Path, *edits: str) -> RanksWhatIf:
    return what_if([member(path) for path in sorted(folder.glob("rank*.gz"))], RanksWhatIfParams(what_if="\n".join(edits)))


@pytest.mark.parametrize(("n_ranks", "slow"), [(2, {1: 1.5}), (4, {1: 1.5, 2: 1.5}), (8, dict.fromkeys(range(4, 8), 1.5))])
def test_half_of_the_ranks_who_are_late_are_no_measure_of_the_ideal(tmp_path: Path, n_ranks: int, slow: dict[int, float]) -> None:
    healthy = mean_step_ns(tmp_path / "healthy", Job(n_ranks=n_ranks, ranks_per_node=4))
    mean_step_ns(tmp_path / "job", Job(n_ranks=n_ranks, ranks_per_node=4, slow=slow))
    reply = asked(tmp_path / "job", "rank=all")
    assert reply.ideal_ns == pytest.approx(healthy, rel=0.01)
    assert reply.rows[0].would_be_ns == pytest.approx(healthy, rel=0.01)


@pytest.mark.parametrize(
    ("fault", "who"),
    [
        ({"slow": {1: 1.5}}, 1),
        ({"slow": {2: 1.5}, "slow_layers": 2}, 2),
        ({"late_input": {2: 600_000}}, 2),
        ({"pause": {(0, 10): 900_000, (0, 11): 900_000, (0, 12): 900_000}}, 0),
        ({"transfer_ns": 240_000, "slow": {3: 1.3}}, 3),
    ],
    ids=["a slow rank", "at some kernels", "its loader", "pauses", "transfers stay"],
)
def test_the_ideal_is_the_job_without_the_fault_and_the_slowdown_that_of_who_had_it(
    tmp_path: Path, fault: dict[str, Any], who: int
) -> None:
    folder = tmp_path / "job"
    was = mean_step_ns(folder, Job(**fault))
    healthy = mean_step_ns(tmp_path / "healthy", Job(transfer_ns=fault.get("transfer_ns", 60_000)))
    other = (who + 2) % 4
    reply = asked(folder, "ideal", f"ideal but rank={who}", f"ideal but rank={other}")
    assert reply.ideal_ns == pytest.approx(healthy, rel=0.01)
    assert reply.slowdown == pytest.approx(was / healthy, rel=0.01)
    assert [row.edit for row in reply.rows] == ["ideal", f"ideal but rank={who}", f"ideal but rank={other}"]
    assert [row.slowdown for row in reply.rows] == pytest.approx([1.0, was / healthy, 1.0], rel=0.01)
    assert reply.rows[0].would_be_ns == reply.ideal_ns


@pytest.mark.parametrize(
    ("job", "who"),
    [("syn8_tp2_pp2_dp2_slow", "rank=5"), ("syn8_fsdp8_gc_2023", "rank=3"), ("syn64_tp4_pp4_dp4_link", None)],
)
def test_the_ideal_of_simulated_jobs_is_what_they_would_be_without_the_fault(job: str, who: str | None) -> None:
    folder = real_job(job)
    truth = json.loads((folder / "truth.json").read_text())["what_if_step_ns"]["none"]
    reply = asked(folder, "ideal", *([] if who is None else [f"ideal but {who}"]))
    assert reply.ideal_ns == pytest.approx(sum(truth) / len(truth), rel=0.01)
    assert reply.slowdown is not None
    assert reply.slowdown > 1.1
    assert reply.rows[-1].slowdown == pytest.approx(1.0 if who is None else reply.slowdown, rel=0.005)


def test_in_the_ideal_stages_are_as_long_as_their_mean(tmp_path: Path) -> None:
    """Three stages of which one has twice the work; ideal are three with 4/3 of it."""
    folder, more = tmp_path / "job", {"syncs": True}
    was = mean_step_ns(folder, PipelineJob(n_kernels={2: 2}, **more))  # type: ignore[arg-type] # of all fields
    even = mean_step_ns(tmp_path / "even", PipelineJob(slow=dict.fromkeys(range(3), 4 / 3), **more))  # type: ignore[arg-type] # of all fields
    reply = asked(folder, "ideal", "ideal but stage=2", "stages=even", "transfer=0")
    assert reply.ideal_ns == pytest.approx(even, rel=0.01)
    assert reply.slowdown == pytest.approx(was / even, rel=0.01)
    _, alone, stages, _, together = reply.rows
    assert alone.slowdown is not None
    assert alone.slowdown > 1.03
    assert stages.slowdown == pytest.approx(1.0, rel=0.01)
    assert together.edit == "all of these"  # those that can be added to each other
    assert together.slowdown is not None
    assert together.slowdown < 1.0


def test_the_first_screen_says_how_far_from_the_ideal_a_step_is(tmp_path: Path) -> None:
    members = [member(path) for path in Job(slow={1: 1.5}).write(tmp_path)]
    table, reply = join(members, RanksParams()), asked(tmp_path, "rank=1")
    assert (table.ideal_ns, table.slowdown) == (reply.ideal_ns, reply.slowdown)
    assert table.slowdown is not None
    assert f" · a step takes {table.slowdown:.2f} x that of a job all of whose ranks and links are like most (S)" in text(table)
    assert (
        f"As it was, a step takes {table.slowdown:.2f} x that of a job all of whose ranks and links are like most (S)."
        in what_if_text(reply)
    )


def test_ranks_that_differ_by_chance_alone_are_called_slow_nowhere(tmp_path: Path) -> None:
    late = {(0, 10): 600_000, (1, 10): 300_000, (0, 11): 200_000, (1, 11): 550_000, (0, 12): 400_000, (1, 12): 50_000}
    table = join([member(path) for path in Job(n_ranks=2, pause=late).write(tmp_path)], RanksParams())
    assert not table.blamed
    assert (table.slowdown or 0) > 1.02
    assert any(said.startswith("No rank, stage, replica or host needs longer") for said in table.sentences)
    assert "slow ranks" not in text(table)


def test_the_ideal_is_no_longer_than_a_step_without_the_stage_that_is_slow() -> None:
    """30 % slower at the same kernels: levelling them would leave their time to the others."""
    members = [member(path) for path in sorted(real_job("syn8_pp4_dp2_stage").glob("rank*.gz"))]
    table = join(members, RanksParams())
    without = table.blamed[0].step_without_ns
    assert without is not None
    assert table.ideal_ns is not None
    assert 0.97 * without < table.ideal_ns < 1.002 * without


@pytest.mark.parametrize(
    "fault",
    [
        {"slow": {0: 1.5}},
        {"slow": {1: 1.5}},
        {"slow": {2: 1.5}},
        {"slow": {1: 1.3, 2: 1.6}},
        {"slow": {1: 1.5}, "n_micro": 8, "schedule": "GPipe"},
        {"late_input": {0: 2_000_000}},
        {"late_input": {1: 3_000_000}},
    ],
)
def test_of_stages_of_one_rank_the_ideal_is_the_job_without_who_is_late(tmp_path: Path, fault: dict[str, Any]) -> None:
    healthy = mean_step_ns(tmp_path / "healthy", PipelineJob(syncs=True, **{**fault, "slow": {}, "late_input": {}}))
    mean_step_ns(tmp_path / "job", PipelineJob(syncs=True, **fault))
    table = join([member(path) for path in sorted((tmp_path / "job").glob("rank*.gz"))], RanksParams())
    without = [one.step_without_ns or 0 for one in table.blamed]
    together = [] if table.together is None else [table.together.step_without_ns]
    assert table.ideal_ns == pytest.approx(healthy, rel=0.01)
    assert table.ideal_ns is not None
    assert table.ideal_ns <= min(*without, *together, float("inf")) * 1.0001
    assert min(*without, *together, float("inf")) == pytest.approx(healthy, rel=0.01)


def test_the_second_of_three_stages_that_are_slow_is_named_with_what_goes_with_it(tmp_path: Path) -> None:
    folder, more = tmp_path / "job", {"syncs": True}
    mean_step_ns(folder, PipelineJob(slow={1: 1.3, 2: 1.6}, **more))  # type: ignore[arg-type] # of all fields
    table = join([member(path) for path in sorted(folder.glob("rank*.gz"))], RanksParams())
    assert [(one.name, one.cause) for one in table.blamed] == [("rank 2", "slow_kernels"), ("rank 1", "slow_kernels")]
    assert [one.factor or 0 for one in table.blamed] == pytest.approx([1.6, 1.3], rel=0.01)
    for one, left in zip(table.blamed, ({1: 1.3}, {2: 1.6}), strict=True):
        truth = mean_step_ns(tmp_path / one.name, PipelineJob(slow=left, **more))  # type: ignore[arg-type] # of all fields
        assert one.step_without_ns == pytest.approx(truth, rel=0.01)


def test_the_work_of_a_stage_that_has_more_is_spread_and_does_not_vanish(tmp_path: Path) -> None:
    """Twice as many kernels as each of two others: a third more for all."""
    folder, more = tmp_path / "job", {"syncs": True}
    mean_step_ns(folder, PipelineJob(n_kernels={2: 2}, **more))  # type: ignore[arg-type] # of all fields
    even = mean_step_ns(tmp_path / "even", PipelineJob(slow=dict.fromkeys(range(3), 4 / 3), **more))  # type: ignore[arg-type] # of all fields
    table = join([member(path) for path in sorted(folder.glob("rank*.gz"))], RanksParams())
    (one,) = table.blamed
    assert one.cause == "more_work"
    assert one.step_without_ns == pytest.approx(even, rel=0.02)
    assert table.ideal_ns == pytest.approx(one.step_without_ns, rel=0.001)
    assert any("With its work spread evenly over the stages a step would take" in said for said in table.sentences)


def test_where_no_step_would_be_told_there_is_no_ideal(tmp_path: Path) -> None:
    """Rank 3 stands still for rank 1, and no event says so."""
    members = [member(path) for path in Job(slow={1: 2.0}, unseen={3: 1}).write(tmp_path)]
    table, reply = join(members, RanksParams()), asked(tmp_path, "ideal", "transfer=0.9")
    assert (table.ideal_ns, table.ideal_least_ns, table.slowdown) == (None, None, None)
    assert "(S" not in text(table)
    assert (reply.ideal_ns, reply.slowdown, [row.slowdown for row in reply.rows]) == (None, None, [None, None])
    assert "ideal: " in reply.notes[0]


@pytest.mark.parametrize("edit", ["ideal but", "ideal but rank", "ideal rank=1", "ideal but rank=all", "ideal but transfer=0"])
def test_what_is_no_ideal_is_refused_by_name(tmp_path: Path, edit: str) -> None:
    Job(n_steps=1).write(tmp_path)
    with pytest.raises(UsageError, match="there is ideal, and ideal but rank=5"):
        asked(tmp_path, edit)
    with pytest.raises(UsageError, match="no such rank"):
        asked(tmp_path, "ideal but rank=9")


def test_no_step_of_the_ideal_is_longer_than_with_one_fault_repaired() -> None:
    found = Without(was={3: 20.0, 4: 20.0}, would_be={3: 12.0, 4: 12.0}, least={3: 11.0, 4: 11.0})
    others = [
        Without(was={3: 20.0}, would_be={3: 10.0}, least={3: 9.0}),
        Without(was={4: 20.0}, would_be={4: 15.0}, least={4: 15.0}),
    ]
    assert no_longer(found, others) == Without(was=found.was, would_be={3: 10.0, 4: 12.0}, least={3: 9.0, 4: 11.0})
    assert no_longer(None, others) is None
