"""Two recordings of a job beside each other: the figures of either alone, which add up, and what is not alike in the jobs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.base.errors import NotFoundError, UsageError
from tb_plugin.doors.cli import main
from tb_plugin.views.ranks.beside import BesideParams, RanksBeside, beside, table, text
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member
from tests.job_files import GEMM_NS, TRANSFER_NS, Job
from tests.profiles import job

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.question.joint import Member
    from tb_plugin.trace.rank.summary import RankSummary

Members = list["Member[RankSummary]"]
SLOW = 1.5


def of_run(run: str, made: Job, folder: Path) -> Members:
    return [replace(member(path), run=run) for path in made.write(folder)]


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Members:
    """The same job, and once more with a rank whose kernels take half as long again."""
    usual, slow = Job(n_ranks=4, jitter_ns=0), Job(n_ranks=4, jitter_ns=0, slow={2: SLOW})
    return of_run("usual", usual, tmp_path_factory.mktemp("usual")) + of_run("slow", slow, tmp_path_factory.mktemp("slow"))


def shown(members: Members, **params: Any) -> RanksBeside:
    return beside(members, BesideParams(**params))


def changes(reply: RanksBeside) -> dict[tuple[str, str], int | None]:
    return {(row.of, row.time): row.change_ns for row in reply.rows}


def test_what_was_made_slower_is_the_difference(two: Members) -> None:
    """Of six kernels a step one rank's take half as long again: it computes, all others wait for it, and transfers stay."""
    more = 6 * (SLOW - 1) * GEMM_NS
    change = changes(shown(two, run="usual", beside="slow"))
    assert change["all ranks", "step"] == pytest.approx(more, rel=0.05)
    assert change["all ranks", "computation"] == pytest.approx(more / 4, rel=0.05)
    assert change["all ranks", "own time"] == pytest.approx(more / 4, rel=0.05)
    assert change["all ranks", "exposed wait"] == pytest.approx(more * 3 / 4, rel=0.05)
    assert change["all ranks", "exposed transfer"] == pytest.approx(0, abs=TRANSFER_NS / 10)
    by_rank = changes(shown(two, run="usual", beside="slow", by="rank"))
    assert by_rank["rank 2", "own time"] == pytest.approx(more, rel=0.05)
    for rank in (0, 1, 3):
        assert by_rank[f"rank {rank}", "own time"] == pytest.approx(0, abs=more / 50)
        assert by_rank[f"rank {rank}", "exposed wait"] == pytest.approx(more, rel=0.05)


def test_every_column_adds_up(two: Members) -> None:
    reply = shown(two, run="usual", beside="slow")
    for column in ("run_ns", "beside_ns", "change_ns"):
        of = {(row.of, row.time): getattr(row, column) for row in reply.rows}
        parts = ("computation", "exposed wait", "exposed transfer", "copy", "idle")
        assert sum(of["all ranks", part] for part in parts) == of["all ranks", "step"]
        names = {row.of for row in reply.rows} - {"all ranks"}
        for time in ("exposed wait", "exposed transfer", "exposed communication"):
            assert sum(of[name, time] for name in names) == pytest.approx(of["all ranks", time], abs=4)
        assert len(names) > 1


def test_the_other_way_round_is_the_other_sign(two: Members) -> None:
    there, back = changes(shown(two, run="usual", beside="slow")), changes(shown(two, run="slow", beside="usual"))
    assert there == {key: -value for key, value in back.items() if value is not None}


def test_what_is_not_alike_stands_first_and_ranks_of_other_layouts_have_no_counterpart(two: Members, tmp_path: Path) -> None:
    assert shown(two, run="usual", beside="slow").differs == []
    small = of_run("small", Job(n_ranks=2, form="2023"), tmp_path)
    reply = shown(two + small, run="usual", beside="small")
    assert reply.differs[0].startswith("World size: 4 and 2.")
    assert text(reply).splitlines()[2].startswith("note: World size")
    assert reply.rows
    by_rank = shown(two + small, run="usual", beside="small", by="rank")
    assert by_rank.rows == []
    assert "no counterpart" in text(by_rank)
    one_less = [each for each in two if (each.run, each.worker) != ("slow", "rank3")]
    assert shown(one_less, run="usual", beside="slow").differs == ["Ranks recorded: 4 and 3. Means are over those that are."]


def test_a_simulated_job_beside_another_of_its_layout_has_the_means_of_its_ranks_steps() -> None:
    """The mean step and own time of either, worked out from the rows of its ranks."""
    members: Members = []
    for name in ("syn8_tp2_pp2_dp2_slow", "syn8_tp2_pp2_dp2_dropped"):
        if not job(name):
            pytest.skip(f"no {name} beside the checkout")
        members += [replace(member(path), run=name[-4:]) for path in job(name)]
    reply = shown(members, run="slow", beside="pped")
    of = {row.time: (row.run_ns, row.beside_ns) for row in reply.rows if row.of == "all ranks"}
    assert reply.differs == []
    for place, run in enumerate(("slow", "pped")):
        ranks = join(members, RanksParams(run=run)).ranks
        own = [row.own_ns for row in ranks if row.own_ns is not None]
        assert len(own) == len(ranks) == 8
        assert of["own time"][place] == round(sum(own) / 8)
        steps = [(row.step_ns, row.n_steps) for row in ranks if row.step_ns is not None]
        mean = sum(step * n for step, n in steps) / sum(n for _, n in steps)
        assert of["step"][place] == pytest.approx(mean, rel=0.01)


def test_a_run_that_is_not_there_or_beside_itself_is_one_clear_error(two: Members) -> None:
    with pytest.raises(NotFoundError, match="no run 'other'"):
        shown(two, run="usual", beside="other")
    with pytest.raises(UsageError, match="beside itself"):
        shown(two, run="usual", beside="usual")


def test_who_has_not_answered_is_said(two: Members) -> None:
    waiting = [replace(each, answer=None, state="loading") if each.run == "slow" else each for each in two]
    reply = shown(waiting, run="usual", beside="slow")
    assert (reply.rows, reply.reason) == ([], "No rank of slow has answered yet.")


def test_the_shell_shows_two_runs_and_csv_has_all_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, made in (("a", Job(n_ranks=2)), ("b", Job(n_ranks=2, slow={1: SLOW}))):
        (tmp_path / name).mkdir()
        made.write(tmp_path / name)
    assert main(["ranks", str(tmp_path), "--run", "a", "--beside", "b"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("run a, beside it b: means over ranks and steps, of one step")
    assert "all ranks  exposed wait" in said
    assert main(["ranks", str(tmp_path), "--run", "a", "--beside", "b", "--by", "rank", "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "of,time,run_ns,beside_ns,change_ns"
    assert main(["ranks", str(tmp_path), "--run", "a", "--beside", "b", "--by", "link"]) == 2
    assert main(["ranks", str(tmp_path), "--run", "a", "--beside", "b", "--rank", "1"]) == 2
    capsys.readouterr()


def test_the_table_is_the_rows(two: Members) -> None:
    reply = shown(two, run="usual", beside="slow")
    assert table(reply).rows[0][:2] == ["all ranks", "step"]
    assert len(table(reply).rows) == len(reply.rows)
