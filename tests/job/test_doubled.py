"""A rank with two files of about the same time: the one that fits the others' clock is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.job.recordings.recordings import recordings
from tb_plugin.trace.collectives.groups import ProcessGroup
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import changed, members, recorded
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.job.ranks.ranks import RankProfile


def shifted(one: RankProfile, ns: int, worker: str | None = None) -> RankProfile:
    return changed(one, worker, base_ns=one.summary.base_ns + ns)


@pytest.mark.parametrize("by_ns", [-(10**10), -(10**6), 10**6, 10**10])
@pytest.mark.parametrize("worker", [None, "a_copy"])
def test_of_two_files_of_a_rank_the_one_that_ends_with_the_others_is_used(tmp_path: Path, by_ns: int, worker: str | None) -> None:
    found = recorded(Job().write(tmp_path))
    other = shifted(found[2], by_ns, worker)
    jobs = recordings([*found, other])
    assert [len(job) for job in jobs] == [4, 1]
    assert found[2] in jobs[0]
    assert jobs[1] == [other]


def test_files_of_another_run_of_some_ranks_stay_together(tmp_path: Path) -> None:
    """They begin first, and the rest of the job as soon after them as any."""
    found = recorded(Job(n_ranks=6).write(tmp_path))
    others = [shifted(one, -5 * 10**9) for one in found[:2]]
    jobs = recordings([*others, *found])
    assert [sorted(map(id, job)) for job in jobs] == [sorted(map(id, job)) for job in (found, others)]


def test_what_took_part_in_nothing_is_held_to_when_the_others_begin(tmp_path: Path) -> None:
    found = [changed(one, groups=[]) for one in recorded(Job().write(tmp_path))]
    other = shifted(found[1], -(10**10))
    jobs = recordings([other, *found])
    assert found[1] in jobs[0]
    assert jobs[1] == [other]


def test_two_whole_jobs_at_once_are_not_mixed(tmp_path: Path) -> None:
    found = recorded(Job().write(tmp_path))
    others = [shifted(one, 10**9) for one in found]
    jobs = recordings([*found, *others])
    assert [sorted(map(id, job)) for job in jobs] == [sorted(map(id, job)) for job in (others, found)]


@pytest.mark.parametrize("by_ns", [-1_000, 0, 1_000])
def test_of_two_files_of_a_rank_the_one_that_is_named_as_another_is_not_used(tmp_path: Path, by_ns: int) -> None:
    found = recorded(Job().write(tmp_path))
    unknown = [ProcessGroup(group.name, group.description, group.size, None) for group in found[1].summary.groups]
    false = changed(shifted(found[1], by_ns), rank=2, groups=unknown)
    jobs = recordings([false if one is found[1] else one for one in found])
    assert [len(job) for job in jobs] == [3, 1]
    assert jobs[1] == [false]
    table = join(members([one for job in jobs for one in job]), RanksParams())
    (said,) = (sentence for sentence in table.sentences if sentence.startswith("Missing ranks: 1 ("))
    why = "rank 2 is there twice: rank2 is used, and rank1 is not: it is named as rank 1, and says that it is rank 2"
    assert why in said
