"""Parts of a job whose clocks lie minutes apart, and no group that is named ties them: one group without a name, or sends."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.job.recordings.recordings import recordings
from tb_plugin.trace.rank.packed import packed, unpacked
from tb_plugin.views.ranks.basis.analysed import analysed
from tests.job.recorded import changed, real_job, recorded
from tests.job_files import Job
from tests.pipeline_files import PipelineJob

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.job.ranks.ranks import RankProfile

HOUR_NS = 3600 * 10**9


def later(one: RankProfile) -> RankProfile:
    return changed(one, base_ns=one.summary.base_ns + HOUR_NS)


def sizes(found: list[RankProfile]) -> list[int]:
    return [len(job) for job in recordings(found)]


def two(tmp_path: Path, second: Job | PipelineJob, first: Job | PipelineJob) -> tuple[list[RankProfile], list[RankProfile]]:
    found = []
    for name, job in (("a", first), ("b", second)):
        (tmp_path / name).mkdir()
        found.append(recorded(job.write(tmp_path / name)))
    return found[0], found[1]


def test_ranks_that_name_no_group_are_one_job_where_all_ends_together(tmp_path: Path) -> None:
    mine, other = two(tmp_path, *(Job(form="2023", n_ranks=2, slow={1: slow}) for slow in (1.02, 1.0)))
    assert mine[0].summary.groups == []
    assert sizes([mine[0], later(mine[1])]) == [2]
    assert sizes([mine[0], later(other[1])]) == [1, 1]  # its steps last 2 % longer


def test_pairs_that_name_no_group_are_not_held_to_be_one(tmp_path: Path) -> None:
    """Six of seven collectives are of two ranks alone: on ranks 0 and 2 they end at other times."""
    found = recorded(Job(form="2023", slow={1: 1.1}).write(tmp_path))
    assert sizes([*found[:2], *map(later, found[2:])]) == [2, 2]


@pytest.mark.parametrize("hours", list(permutations(range(4))))
def test_stages_are_one_job_whichever_clock_is_ahead(tmp_path: Path, hours: tuple[int, ...]) -> None:
    """Neighbours alone send to each other: the first and the last by their clocks may share nothing."""
    found = recorded(PipelineJob(n_stages=4).write(tmp_path))
    shifted = [changed(one, base_ns=one.summary.base_ns + hour * HOUR_NS) for one, hour in zip(found, hours, strict=True)]
    assert sizes(shifted) == [4]


@pytest.mark.parametrize("schedule", ["1F1B", "GPipe"])
def test_stages_that_only_sends_tie_are_one_job_where_these_end_together(tmp_path: Path, schedule: str) -> None:
    first, second = (PipelineJob(schedule=schedule, slow={2: slow}) for slow in (1.0, 1.02))
    mine, other = two(tmp_path, second, first)
    assert sizes([*mine[:2], later(mine[2])]) == [3]
    assert sizes([*mine[:2], later(other[2])]) == [2, 1]


@pytest.mark.parametrize("what", ["lost", "small", "larger"])
def test_a_message_that_only_one_side_has_is_no_proof(tmp_path: Path, what: str) -> None:
    mine = recorded(PipelineJob().write(tmp_path))
    rows = unpacked(mine[2].summary.collectives)
    size = rows["size"].copy()
    if what == "lost":
        rows = {name: np.delete(column, 0) for name, column in rows.items()}
    elif what == "small":
        rows["size"] = np.full(len(size), 1000)
    else:
        rows["size"] = 2 * size
    assert sizes([*mine[:2], later(changed(mine[2], collectives=packed(rows)))]) == [2, 1]


@pytest.mark.parametrize("name", ["dlrm8_v100_2023", "syn8_fsdp8_gc_2023", "syn8_pp4_dp2_stage"])
def test_of_half_a_job_an_hour_later_the_same_is_said(name: str) -> None:
    found = recorded(sorted(real_job(name).glob("*.json.gz")))
    if found[0].summary.host is None:  # else eight devices are of one host, and it has one clock
        found = [changed(one, device_index=place % 4) for place, one in enumerate(found)]
    half = [*found[:4], *map(later, found[4:])]
    (joined,) = recordings(half)
    assert len(joined) == 8
    whole, of = analysed(found), analysed(joined)
    known = whole.job.waits.is_known
    assert (of.job.waits.is_known == known).all()
    assert np.abs(of.job.waits.wait - whole.job.waits.wait)[known].max() < 3000
