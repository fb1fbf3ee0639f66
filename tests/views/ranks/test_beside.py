"""Two recordings of a job beside each other: the figures of either alone, which add up, and what is not alike in the jobs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tb_plugin.base.errors import NotFoundError, UsageError
from tb_plugin.doors.cli import main
from tb_plugin.views.ranks.beside import BesideParams, RanksBeside, beside, table, text
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member, real_job
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
        assert sum(of.get(("all ranks", part), 0) for part in parts) == of["all ranks", "step"]
        names = {row.of for row in reply.rows} - {"all ranks"}
        for time in ("exposed wait", "exposed transfer", "exposed communication"):
            assert sum(of.get((name, time), 0) for name in names) == pytest.approx(of["all ranks", time], abs=4)
        assert len(names) > 1


def test_what_takes_no_time_in_either_is_no_row(two: Members) -> None:
    reply = shown(two, run="usual", beside="slow")
    assert all(row.run_ns or row.beside_ns for row in reply.rows)
    assert not {"copy", "not told apart"} & {row.time for row in reply.rows}


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
    assert shown(one_less, run="usual", beside="slow").differs == [
        "Ranks recorded: 4 and 3. Means are over those that are.",
        "In usual alone: rank 3.",
        "Own time of slow: not known, as not all waits are told apart, where members of collectives are missing.",
    ]


def test_a_job_of_data_parallel_ranks_that_lost_some_stands_beside_itself_by_rank(tmp_path: Path) -> None:
    """In the shell who is in one of them alone is so in words."""
    jobs = [*of_run("large", Job(n_ranks=4, tensor=1), tmp_path), *of_run("small", Job(n_ranks=2, tensor=1), tmp_path)]
    both = shown(jobs, run="large", beside="small", by="rank")
    assert both.differs[0].startswith("World size: 4 and 2.")
    assert "In large alone: ranks 2-3." in both.differs
    assert {row.of for row in both.rows} == {f"rank {rank}" for rank in range(4)}
    of_gone = [line for line in text(both).splitlines() if line.startswith("rank 3")]
    assert len(of_gone) > 2
    assert all("not in it" in line for line in of_gone)
    assert not any("not in it" in line for line in text(both).splitlines() if line.startswith("rank 1"))


def test_whose_waits_are_not_told_is_said_and_why(two: Members) -> None:
    untold = [replace(member(path), run="untold") for path in sorted(real_job("rec_tp4_dp2").glob("*.trace.json.gz"))]
    said = shown([*two, *untold], run="usual", beside="untold").differs
    assert "Wait and transfer of untold: not told apart; no wait of one rank for another is known." in said
    assert not any("of usual" in sentence for sentence in said)


def test_of_a_job_that_lacks_a_rank_neither_wait_nor_own_time_is_a_difference(two: Members) -> None:
    """Some of what is not told apart there is wait: less than all of it beside all of it looks like a gain."""
    one_less = [each for each in two if (each.run, each.worker) != ("slow", "rank3")]
    reply = shown(one_less, run="usual", beside="slow")
    of = {(row.of, row.time): row for row in reply.rows}
    assert of["all ranks", "not told apart"].beside_ns
    for time in ("exposed wait", "exposed transfer", "own time"):
        assert of["all ranks", time].run_ns is not None
        assert of["all ranks", time].change_ns is None
    assert of["all ranks", "computation"].change_ns is not None
    ranks = {(row.of, row.time): row for row in shown(one_less, run="usual", beside="slow", by="rank").rows}
    assert ranks["rank 2", "exposed wait"].run_ns is not None
    assert ranks["rank 2", "exposed wait"].change_ns is None


def test_a_simulated_job_beside_another_of_its_layout_has_the_means_of_its_ranks_steps() -> None:
    """The mean step and own time of either, worked out from the rows of its ranks. A kernel of the second is lost: who waited for
    it, and how long, is not told, so neither is what its rank needs for itself.
    """
    members: Members = []
    for name in ("syn8_tp2_pp2_dp2_slow", "syn8_tp2_pp2_dp2_dropped"):
        if not job(name):
            pytest.skip(f"no {name} beside the checkout")
        members += [replace(member(path), run=name[-4:]) for path in job(name)]
    reply = shown(members, run="slow", beside="pped")
    of = {row.time: (row.run_ns, row.beside_ns) for row in reply.rows if row.of == "all ranks"}
    assert [one.partition(":")[0] for one in reply.differs] == ["Own time of pped"]
    for place, run in enumerate(("slow", "pped")):
        ranks = join(members, RanksParams(run=run)).ranks
        own = [row.own_ns for row in ranks if row.own_ns is not None]
        assert len(own) == len(ranks) == 8
        is_told = all((row.untold_ns or 0) <= 0.01 * (row.step_ns or 0) for row in ranks)
        assert is_told == (run == "slow")
        assert of["own time"][place] == (round(sum(own) / 8) if is_told else None)
        steps = [(row.step_ns, row.n_steps) for row in ranks if row.step_ns is not None]
        mean = sum(step * n for step, n in steps) / sum(n for _, n in steps)
        assert of["step"][place] == pytest.approx(mean, rel=0.01)


def later(members: Members, span: str) -> Members:
    """The same as another recording of run "job": its next span, 100 s later."""
    found = []
    for each in members:
        assert each.answer is not None
        answer = msgspec.structs.replace(each.answer, base_ns=each.answer.base_ns + 100_000_000_000)
        found.append(replace(each, run="job", span=span, answer=answer))
    return found


def test_two_recordings_of_one_run_stand_beside_each_other_as_two_runs_do(two: Members) -> None:
    first = [replace(each, run="job") for each in two if each.run == "usual"]
    second = later([each for each in two if each.run == "slow"], "2")
    both = [*first, *second]
    expected = shown(two, run="usual", beside="slow").rows
    assert shown(both, run="job", span="1", beside="job").rows == expected
    assert shown(both, run="job", span="1", beside="job", beside_span="2").rows == expected
    reply = shown(both, run="job", beside="job")
    assert (reply.span, reply.beside_span) == ("2", "1")  # by default the latest, and the one before
    assert changes(reply) == {
        key: -value for key, value in changes(shown(two, run="usual", beside="slow")).items() if value is not None
    }
    assert text(reply).startswith("run job, span 2, beside it span 1: means")


def test_a_recording_is_asked_about_by_its_span(two: Members) -> None:
    first = [replace(each, run="job") for each in two if each.run == "usual"]
    second = later([each for each in two if each.run == "slow"], "2")
    shown_alone = join(first, RanksParams())
    reply = join([*first, *second], RanksParams(worker="rank3", span="1"))
    assert (reply.ranks, reply.sentences) == (shown_alone.ranks, shown_alone.sentences)
    assert any(note.endswith("; shown with span 2.") for note in reply.notes)
    assert {row.span for row in join([*first, *second], RanksParams()).ranks} == {"2"}
    with pytest.raises(NotFoundError, match="no worker 'rank3' with span '3'"):
        join([*first, *second], RanksParams(worker="rank3", span="3"))


def test_one_recording_alone_has_none_beside_it_unless_others_are_still_to_come(two: Members) -> None:
    first = [replace(each, run="job") for each in two if each.run == "usual"]
    with pytest.raises(UsageError, match="holds one recording"):
        shown(first, run="job", beside="job")
    coming = [replace(each, answer=None, state="loading") for each in later(first, "2")]
    reply = shown([*first, *coming], run="job", span="1", beside="job")
    assert (reply.rows, reply.reason) == ([], "No rank of job has answered yet.")
    reply = shown([*first, *coming], run="job", beside="job", beside_span="1")
    assert (reply.rows, reply.reason) == ([], "No rank of job has answered yet.")


def test_a_run_that_is_not_there_or_beside_itself_is_one_clear_error(two: Members) -> None:
    with pytest.raises(NotFoundError, match="no run 'other'"):
        shown(two, run="usual", beside="other")
    with pytest.raises(UsageError, match="beside itself"):
        shown(two, run="usual", beside="usual", beside_span="1")
    with pytest.raises(UsageError, match="run usual is the only one here"):
        shown([each for each in two if each.run == "usual"], beside="usual")


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


def test_what_clocks_cannot_tell_is_no_difference_in_the_shell(two: Members) -> None:
    reply = shown(two, run="usual", beside="slow")
    assert reply.clock_error_ns is not None
    for change, is_under in ((-900, True), (-1_300, False)):
        row = msgspec.structs.replace(reply.rows[0], change_ns=change)
        said = text(msgspec.structs.replace(reply, rows=[row], clock_error_ns=1_200))
        assert ("under 1.20 us" in said) == is_under


def test_the_table_is_the_rows(two: Members) -> None:
    reply = shown(two, run="usual", beside="slow")
    assert table(reply).rows[0][:2] == ["all ranks", "step"]
    assert len(table(reply).rows) == len(reply.rows)
