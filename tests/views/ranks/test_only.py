"""Rows of some ranks and steps: the tables lose the others, and nothing else changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.base.errors import NotFoundError, UsageError
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tb_plugin.views.ranks.text import table, text
from tests.job.recorded import member
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.question.joint import Member
    from tb_plugin.trace.rank.summary import RankSummary


@pytest.fixture
def job(tmp_path: Path) -> list[Member[RankSummary]]:
    Job(n_ranks=4, slow={1: 1.5}).write(tmp_path)
    return [member(path) for path in sorted(tmp_path.glob("*.trace.json.gz"))]


def test_some_ranks_and_steps(job: list[Member[RankSummary]]) -> None:
    whole = join(job, RanksParams())
    first, *_, last = (row.number for row in whole.steps)
    some = join(job, RanksParams(ranks="1,3-9", steps=f"{last}-99"))
    assert some.ranks == [row for row in whole.ranks if row.rank in (1, 3)]
    (step,) = some.steps
    assert (step.number, step.longest_ns) == (last, whole.steps[-1].longest_ns)
    assert step.own_ns == [whole.steps[-1].own_ns[place] for place in (1, 3)]
    assert first != last
    assert {row.rank for row in some.path} <= {None, 1, 3}
    assert (some.sentences, some.parts, some.dimensions) == (whole.sentences, whole.parts, whole.dimensions)


def test_what_names_nothing_says_what_there_is(job: list[Member[RankSummary]]) -> None:
    with pytest.raises(NotFoundError, match="ranks=7-9: this job has ranks 0-3"):
        join(job, RanksParams(ranks="7-9"))
    with pytest.raises(NotFoundError, match=r"steps=999: this job has steps \d"):
        join(job, RanksParams(steps="999"))
    with pytest.raises(UsageError, match="ranks: 'a' is no number"):
        join(job, RanksParams(ranks="a"))


@pytest.mark.parametrize(("asked", "gone"), [("2-99", "4-99"), ("0,9,2-5", "4-5, 9"), ("1-9999999999", "4-9999999999")])
def test_of_a_range_those_that_are_not_here_are_named(job: list[Member[RankSummary]], asked: str, gone: str) -> None:
    assert join(job, RanksParams(ranks=asked)).notes[0] == f"ranks={gone}: not in this job, which has ranks 0-3."
    assert not any("not in this job" in note for note in join(job, RanksParams(ranks="1-3")).notes)


def test_a_dimension_has_the_name_that_people_call_it_by(job: list[Member[RankSummary]]) -> None:
    assert [(row.name, row.short) for row in join(job, RanksParams()).dimensions if row.name == "tensor"] == [("tensor", "tp")]


def test_hosts_may_be_asked_for_as_nodes(job: list[Member[RankSummary]]) -> None:
    nodes, hosts = join(job, RanksParams(by="node")), join(job, RanksParams(by="host"))
    assert table(nodes).rows == table(hosts).rows != []
    assert text(nodes) == text(hosts)
