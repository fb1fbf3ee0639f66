"""One rank against its peers, and what a step would be: held against the simulated job's truth."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.base.errors import NotFoundError, UsageError
from tb_plugin.doors.cli import main
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.one_rank.one_rank import OneRank, OneRankParams, one_rank, text
from tb_plugin.views.ranks.result import RanksParams
from tb_plugin.views.ranks.what_if.what_if import RanksWhatIf, RanksWhatIfParams, what_if
from tb_plugin.views.ranks.what_if.what_if import text as what_if_text
from tests.job.recorded import member
from tests.job_files import GEMM_NS, LOADER, TRANSFER_NS, Job

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.question.joint import Member
    from tb_plugin.trace.rank.summary import RankSummary

_APART: dict[str, Any] = {"n_ranks": 8, "ranks_per_node": 4, "offset_ns": {1: 5_000_000}}
_MS = 1_000_000


def members_of(folder: Path, **fault: Any) -> tuple[Job, list[Member[RankSummary]]]:
    folder.mkdir()
    job = Job(**_APART, **fault)
    return job, [member(path) for path in job.write(folder)]


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> tuple[Job, list[Member[RankSummary]]]:
    return members_of(tmp_path_factory.mktemp("ranks") / "job", slow={5: 1.25})


def shown(members: list[Member[RankSummary]], rank: int) -> OneRank:
    return one_rank(members, OneRankParams(rank=rank))


def asked(members: list[Member[RankSummary]], *edits: str) -> RanksWhatIf:
    return what_if(members, RanksWhatIfParams(what_if="\n".join(edits)))


def steps_of(job: Job) -> int:
    """From the end of the first step to that of the last, in the mean."""
    ends = [max(met.end for met in job.met if met.step == step) for step in (10, 11, 12)]
    return round((ends[2] - ends[0]) / 2)


def test_what_a_sentence_counts_can_be_asked_for(slow: tuple[Job, list[Member[RankSummary]]]) -> None:
    late = shown(slow[1], 5)
    (counted,) = late.counted
    assert any(counted.text in sentence for sentence in late.sentences)
    assert counted.ranks == "5"
    assert shown(slow[1], 1).counted == []  # nobody is told to wait for it


def test_what_it_waits_in_all_is_said_to_be_of_all_steps_and_what_others_hide(
    slow: tuple[Job, list[Member[RankSummary]]],
) -> None:
    (said,) = (sentence for sentence in shown(slow[1], 4).sentences if "it waits" in sentence)
    assert "In the whole profile it waits " in said
    assert "(all its waits of 3 steps, also those that other work hides), " in said
    assert said.endswith(" of it for rank 5.")


def test_a_slow_rank_has_more_of_what_it_does_more_of(slow: tuple[Job, list[Member[RankSummary]]]) -> None:
    reply = shown(slow[1], 5)
    parts = {row.part: row for row in reply.parts}
    assert parts["computation"].more_ns == pytest.approx(6 * 0.25 * GEMM_NS, rel=0.02)
    assert reply.sentences[0].startswith("Rank 5 (node1) computes 25 % longer")
    assert [row.n_calls for row in reply.kernels] == [3 * 6]
    assert reply.kernels[0].median_ns == pytest.approx(1.25 * (reply.kernels[0].peers_median_ns or 0), rel=0.01)
    assert (reply.peers, reply.peer is not None) == ("0-4, 6-7", True)
    assert "kernels that cost more" in text(reply)


def test_its_figures_are_those_of_the_tables_and_add_up(slow: tuple[Job, list[Member[RankSummary]]]) -> None:
    reply, row = shown(slow[1], 5), join(slow[1], RanksParams()).ranks[5]
    own = [one.own_ns for one in reply.steps if one.own_ns is not None]
    assert round(sum(own) / len(own)) == pytest.approx(row.own_ns, abs=1)
    assert sum(one.mine_ns or 0 for one in reply.parts[:4]) == pytest.approx(row.own_ns, abs=4)
    communication = sum((one.exposed_wait_ns or 0) + (one.exposed_transfer_ns or 0) for one in reply.dimensions)
    assert communication == pytest.approx((row.wait_ns or 0) + (row.transfer_ns or 0), abs=4)
    assert all(one.wait_ns + (one.own_ns or 0) == one.step_ns for one in reply.steps if one.wait_ns is not None)


def test_whom_it_waits_for_is_who_came_last(slow: tuple[Job, list[Member[RankSummary]]]) -> None:
    """Counted from the truth: of the collectives of rank 4, those that rank 5 came last to, and what it waited there."""
    job, members = slow
    reply = shown(members, 4)
    mine = [met for met in job.met if 4 in met.group]
    by_5 = [met for met in mine if met.last == 5]
    waited = sum(met.arrived[5] - met.arrived[4] for met in by_5)
    assert reply.waits_for[0].last_ranks == [5]
    assert reply.waits_for[0].n_collectives == len(by_5)
    assert reply.waits_for[0].wait_ns == pytest.approx(waited, abs=4_000 * len(by_5))
    longest = max(by_5, key=lambda met: met.arrived[5] - met.arrived[4])
    row = reply.waits_for[0]
    assert row.longest_took_ns == pytest.approx(longest.arrived[5] - longest.arrived[4], abs=4_000)
    assert (row.longest.step, row.longest.last_ranks) == (longest.step, [5])
    assert {4, 5} <= set(row.longest.ranks)
    assert row.longest.worker == "rank4"  # its own event says that it waited
    assert "not blamed" in reply.sentences[0]


def test_a_rank_that_is_not_here_is_an_error_only_when_all_are_read(slow: tuple[Job, list[Member[RankSummary]]]) -> None:
    with pytest.raises(NotFoundError, match="rank 99 is not here; there is 0-7"):
        shown(slow[1], 99)
    waiting = [*slow[1][:7], replace(slow[1][7], state="loading", answer=None)]
    assert shown(waiting, 7).rank is None


def test_what_the_host_was_in_during_the_longest_gap_of_each_step_is_shown(tmp_path: Path) -> None:
    stop = (3, 11, 2)
    _, members = members_of(
        tmp_path / "job", stops={stop: 4 * _MS}, stops_in={stop: [("cpu_op", "aten::empty"), ("cuda_runtime", "cudaMalloc")]}
    )
    reply = shown(members, 3)
    assert [row.pause_event for row in reply.steps] == [LOADER, "cudaMalloc", LOADER]
    assert "Rank 3 (node0) stands still in `cudaMalloc` in step 11" in reply.sentences[0]
    assert not any("garbage" in sentence for sentence in reply.sentences)
    assert re.search(r" 4\.\d+ ms +cudaMalloc\n", text(reply))


@pytest.mark.parametrize(
    ("fault", "edit"),
    [
        ({"slow": {5: 1.25}}, "rank=5"),
        ({"slow": {5: 1.25}}, "rank:kernels=5"),
        ({"slow": dict.fromkeys(range(4, 8), 1.2)}, "host=node1"),
        ({"late_input": {2: 900_000}}, "rank:loader=2"),
        ({"late_input": {2: 900_000}}, "rank=all"),
        ({"pause": {(3, 11): 4 * _MS, (3, 12): 4 * _MS}}, "rank:launches=3"),
    ],
)
def test_like_its_peers_is_the_job_without_the_fault(tmp_path: Path, fault: dict[str, Any], edit: str) -> None:
    _, members = members_of(tmp_path / "job", **fault)
    healthy, _ = members_of(tmp_path / "healthy")
    (row,) = asked(members, edit).rows
    assert row.would_be_ns == pytest.approx(steps_of(healthy), rel=0.01)
    assert row.would_be_ns is not None
    assert row.change_ns == row.would_be_ns - row.was_ns < -0.1 * row.was_ns


def test_transfers_that_take_no_time_leave_their_waits(slow: tuple[Job, list[Member[RankSummary]]]) -> None:
    free, half, both = asked(slow[1], "transfer=0", "transfer:tensor=0.5").rows
    assert free.change_ns == pytest.approx(-7 * TRANSFER_NS, rel=0.05)
    assert half.change_ns == pytest.approx(-3 * TRANSFER_NS, rel=0.05)
    assert both.edit == "all of these"
    assert both.would_be_ns == free.would_be_ns


def test_a_rank_like_itself_changes_nothing(slow: tuple[Job, list[Member[RankSummary]]]) -> None:
    (row,) = asked(slow[1], "transfer=1").rows
    assert row.change_ns == 0


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        ("rank=99", "no such rank; there is 0, 1"),
        ("host=nowhere", "no such host; there is node0, node1"),
        ("stage=0", "no such stage; there is none"),
        ("stages=even", "no pipeline"),
        ("links=usual", "no link here is slower"),
        ("transfer:expert=0", "no such dimension"),
        ("transfer=-1", "from 0 to 1000"),
        ("transfer=nan", "from 0 to 1000"),
        ("faster", "not understood"),
        ("rank:clock=5", "not understood"),
        ("\n".join(f"rank={n}" for n in range(17)), "up to 16 edits"),
    ],
)
def test_an_edit_that_cannot_be_says_what_there_is(slow: tuple[Job, list[Member[RankSummary]]], edit: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        asked(slow[1], edit)


def test_without_an_edit_it_says_which_this_job_has_an_answer_to(slow: tuple[Job, list[Member[RankSummary]]]) -> None:
    reply = asked(slow[1])
    assert reply.rows == []
    assert reply.forms[:4] == ["rank=5", "ideal", "rank=all", "rank=0"]
    assert {"host=node1", "transfer:tensor=0"} <= set(reply.forms)
    assert not any(form.startswith(("stage", "links")) for form in reply.forms)
    told = [row.would_be_ns for form in reply.forms for row in asked(slow[1], form).rows]
    assert len(told) == len(reply.forms)
    assert None not in told
    assert "rank=5, ideal" in what_if_text(reply)


def test_without_matched_collectives_nothing_is_told(tmp_path: Path) -> None:
    Job(n_ranks=1).write(tmp_path)
    alone = [member(path) for path in tmp_path.iterdir()]
    assert "cannot be told" in what_if_text(asked(alone, "transfer=0"))
    assert "cannot be told" in shown(alone, 0).sentences[-1]


def test_the_shell_asks_both_by_options_of_ranks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Job(n_ranks=2, slow={1: 1.5}).write(tmp_path)
    assert main(["ranks", str(tmp_path), "--rank", "1"]) == 0
    assert "peers 0" in capsys.readouterr().out
    assert main(["ranks", str(tmp_path), "--what-if", "rank=1", "--what-if", "transfer=0", "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith("edit,was_ns,would_be_least_ns,would_be_ns,change_ns,slowdown\nrank=1,")
    assert main(["ranks", str(tmp_path), "--rank", "1", "--what-if", "rank=1"]) == 2
    assert "one at a time" in capsys.readouterr().err
