"""What the first screen of Ranks says of a job."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import Lead, RanksParams
from tb_plugin.views.ranks.text import text
from tb_plugin.views.ranks.what_if import RanksWhatIfParams, what_if
from tests.job.recorded import member, real_job
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.views.ranks.result import RanksTable


def table_of(folder: Path) -> RanksTable:
    return join([member(path) for path in sorted(folder.glob("*.trace.json.gz"))], RanksParams())


def said_of(folder: Path) -> list[str]:
    return table_of(folder).sentences


def test_a_step_of_the_job_is_told_from_a_rank_s_own() -> None:
    step, link, nobody = said_of(real_job("syn64_tp4_pp4_dp4_link"))[:3]
    assert step.startswith("A rank's step is 71.3 ms in the mean, ")
    assert " (the job's, from last rank to last rank, 73.5 ms); " in step
    assert "such a step of the job would take about 49.8 ms instead of 73.5 ms" in link
    assert nobody.startswith("Apart from what slow links cost, no rank, stage, replica or host needs longer")


def test_where_nobody_is_blamed_who_is_waited_for_most_is_said() -> None:
    nobody = said_of(real_job("dlrm8_v100_2023"))[1]
    _, who = nobody.split(" The others wait most for ")
    assert who == "rank 7 to come: it was last in 4 of its 8 collectives, and held them up by 1.31 ms a step at least."


def test_each_sentence_leads_to_whom_and_what_it_tells_of() -> None:
    slow = table_of(real_job("syn8_tp2_pp2_dp2_slow"))
    step, rank5, bubbles, path = slow.leads
    assert "(step 10, rank 5)" in slow.sentences[0]
    assert step == Lead(ranks=[5], step=10, table="collective")
    assert rank5 == Lead(ranks=[5], step=10)
    assert (bubbles, path) == (Lead(table="stage"), Lead(table="path"))
    assert table_of(real_job("syn64_tp4_pp4_dp4_link")).leads[1] == Lead(table="link")
    nobody = table_of(real_job("dlrm8_v100_2023"))
    assert nobody.leads[1] == Lead(ranks=[5, 7], table="collective")


def test_where_ranks_hardly_wait_nobody_is_said_to_be_waited_for(tmp_path: Path) -> None:
    Job(n_ranks=4).write(tmp_path)
    step, nobody = said_of(tmp_path)[:2]
    assert "the job's" not in step
    assert nobody.startswith("No rank, stage, ")
    assert "wait most" not in nobody


def test_one_rank_has_nobody_to_wait_for(tmp_path: Path) -> None:
    Job(n_ranks=1).write(tmp_path)
    assert said_of(tmp_path)[1:] == ["There is one rank, and nobody to wait for."]


def test_of_two_that_came_last_as_often_none_is_named_but_the_share_of_each(tmp_path: Path) -> None:
    """One of each group of two is late in all that it takes part in."""
    Job(n_ranks=4, slow={1: 1.5, 3: 1.5}).write(tmp_path)
    small, _ = sorted(table_of(tmp_path).collectives, key=lambda row: row.n_ranks or 0)
    assert (small.last_rank, small.last_share) == (None, 0.5)


def test_what_is_more_than_the_peers_says_what_it_does_not_count(tmp_path: Path) -> None:
    Job(n_ranks=4, slow={1: 1.5}).write(tmp_path)
    assert " a step more than its peers (all others), not counting what moves data. " in said_of(tmp_path)[1]


def test_who_needs_most_is_said_where_that_may_be_chance(tmp_path: Path) -> None:
    """Each by another amount: who is usual?"""
    Job(n_ranks=8, slow={rank: 1 + 0.05 * (3 * rank % 8) for rank in range(8)}).write(tmp_path)
    table = table_of(tmp_path)
    assert table.blamed == []
    nobody = table.sentences[1]
    assert nobody.startswith("No rank, stage, ")
    assert " Most needs rank 5, " in nobody
    assert nobody.count("to tell that from chance") == 1


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("ar16_of_64_kineto", "the files hold no events of the host"),
        ("rec_ddp_slow5", "this job runs on CPUs"),
        ("dlrm8_v100_2023", "those of more than 1 % of the kernels are not in the files of ranks 1, 3"),
    ],
)
def test_without_a_critical_path_the_one_reason_is_said(name: str, why: str) -> None:
    folder = real_job(name)
    members = [member(path) for path in sorted(folder.glob("*.trace.json*"))]
    because = f"cannot be told: what waits for what is told by launches of kernels, and {why}."
    notes = join(members, RanksParams()).notes
    assert f"The critical path and what a step would be {because}" in notes
    assert what_if(members, RanksWhatIfParams(what_if="rank=1")).reason == f"What a step would be {because}"


def test_where_there_is_a_critical_path_no_reason_is_looked_for() -> None:
    assert not any("The critical path" in note for note in table_of(real_job("syn8_tp2_pp2_dp2_slow")).notes)


def test_a_cause_that_is_likely_is_said_to_be_so_and_what_cannot_be_told_apart(tmp_path: Path) -> None:
    Job(n_ranks=4, slow={1: 1.5}).write(tmp_path)
    table = table_of(tmp_path)
    assert [(one.cause, one.confidence) for one in table.blamed] == [("slow_kernels", "likely")]
    doubt = "A slower device is likely; why, no profile tells (its clock lowered by heat or a power cap, "
    assert table.sentences[1].count(doubt) == 1


def test_a_cause_that_events_tell_is_not_doubted(tmp_path: Path) -> None:
    Job(n_ranks=4, late_input={1: 30_000_000}).write(tmp_path)
    table = table_of(tmp_path)
    assert [(one.cause, one.confidence) for one in table.blamed] == [("input", "sure")]
    assert "likely" not in table.sentences[1]


def test_what_others_wait_for_it_is_told_from_what_follows_from_that() -> None:
    """One rank is the whole fault, and most waiting is for those that it made late."""
    said = said_of(real_job("syn8_tp2_pp2_dp2_slow"))[1]
    assert " of all waiting is for it directly, not counting that for others who waited for it first. " in said


def test_what_all_to_alls_bring_is_said_to_be_rows() -> None:
    table = join([member(path) for path in sorted(real_job("syn8_ep4_dp8_input").glob("rank*.gz"))], RanksParams())
    assert "  received rows  " in text(table)
