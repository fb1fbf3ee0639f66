"""A rank without figures is a row of the table of ranks, with the reason; many of one reason are one row."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import pytest

from tb_plugin.base.errors import NotFoundError
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.one_rank.one_rank import OneRankParams, one_rank
from tb_plugin.views.ranks.result import AbsentRank, RanksParams
from tb_plugin.views.ranks.text import table, text
from tests.job.recorded import member
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.question.joint import Member
    from tb_plugin.trace.rank.summary import RankSummary

EMPTY = "rank2.1.pt.trace.json.gz: not a PyTorch profile: the file is empty"


def broken(one: Member[RankSummary], reason: str | None) -> Member[RankSummary]:
    return replace(one, answer=None, state="failed", reason=reason)


@pytest.fixture
def job(tmp_path: Path) -> list[Member[RankSummary]]:
    """Of eight ranks 2 has an empty file, and 5 none."""
    found = [member(path) for path in Job(n_ranks=8).write(tmp_path)]
    return [broken(one, EMPTY) if at == 2 else one for at, one in enumerate(found) if at != 5]


def test_who_has_no_file_or_a_broken_one_is_a_row_with_the_reason(job: list[Member[RankSummary]]) -> None:
    reply = join(job, RanksParams())
    assert [row.rank for row in reply.ranks] == [0, 1, 3, 4, 6, 7]
    assert reply.absent == [AbsentRank(ranks=[2], reason="file is empty"), AbsentRank(ranks=[5], reason="no file")]
    shown = [line.split() for line in text(reply).splitlines() if line.endswith(("file is empty", "no file"))]
    assert [(line[0], line[-1]) for line in shown] == [("2", "empty"), ("5", "file")]
    rows = table(reply)
    assert [(row[0], row[-1]) for row in rows.rows[-2:]] == [(2, "file is empty"), (5, "no file")]
    assert {value for row in rows.rows[-2:] for value in row[1:-1]} == {None}


def test_the_panel_of_such_a_rank_says_why(job: list[Member[RankSummary]]) -> None:
    with pytest.raises(NotFoundError, match=r"rank 2 is not here \(file is empty\); there is 0-1, 3-4, 6-7"):
        one_rank(job, OneRankParams(rank=2))
    with pytest.raises(NotFoundError, match=r"rank 5 is not here \(no file\)"):
        one_rank(job, OneRankParams(rank=5))
    with pytest.raises(NotFoundError, match="rank 99 is not here; there is"):
        one_rank(job, OneRankParams(rank=99))


def test_asked_for_it_alone_the_row_is_there(job: list[Member[RankSummary]]) -> None:
    reply = join(job, RanksParams(ranks="2"))
    assert (reply.ranks, reply.absent) == ([], [AbsentRank(ranks=[2], reason="file is empty")])
    assert "   2  file is empty" in text(reply)
    with pytest.raises(NotFoundError):
        join(job, RanksParams(ranks="99"))


def test_many_of_one_reason_are_one_row_and_each_is_in_csv(tmp_path: Path) -> None:
    job = [member(path) for path in Job(n_ranks=24).write(tmp_path)][:6]
    reply = join([*job[:5], broken(job[5], "disk: gone")], RanksParams())
    assert reply.absent == [AbsentRank(ranks=[5], reason="disk: gone"), AbsentRank(ranks=list(range(6, 24)), reason="no file")]
    assert "18 ranks" in text(reply)
    assert [row[0] for row in table(reply).rows] == list(range(24))
    assert "5 ranks" in text(join(job, RanksParams(ranks="19-23")))


def test_who_is_still_read_is_no_row(job: list[Member[RankSummary]]) -> None:
    reply = join([replace(one, state="queued", reason=None) if one.answer is None else one for one in job], RanksParams())
    assert [row.ranks for row in reply.absent] == [[5]]


def test_no_number_in_a_file_is_counted_out(tmp_path: Path) -> None:
    """Of a job that says that it has 10^9 ranks those that are not here are ranges: sets of them took 1.8 GB of 10^7."""
    found = [member(path) for path in Job(n_ranks=4).write(tmp_path)]
    job = [replace(one, answer=msgspec.structs.replace(one.answer, world_size=10**9)) for one in found if one.answer is not None]
    began = time.process_time()
    reply = join(job, RanksParams())
    said = text(reply)
    assert time.process_time() - began < 1
    assert reply.missing_ranks == "4-999999999"
    assert "Missing ranks: 4-999999999." in said
    assert [(row.ranks[0], row.ranks[-1], row.n_more) for row in reply.absent] == [(4, 10_003, 10**9 - 10_004)]
    assert "999999996 ranks" in said
    assert table(reply).rows[-1][-1] == "999989996 ranks more: no file"
    with pytest.raises(NotFoundError, match=r"rank 123456789 is not here \(no file\)"):
        one_rank(job, OneRankParams(rank=123_456_789))
