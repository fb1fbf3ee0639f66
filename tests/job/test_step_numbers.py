"""Ranks whose files number the steps otherwise: told by what they did together, named, and compared as the same step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.job.recordings.recordings import recordings
from tb_plugin.trace.rank.order import STEP
from tb_plugin.trace.rank.packed import packed, unpacked
from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import changed, members, real_job, recorded
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.job.ranks.ranks import RankProfile


def renumbered(profiles: list[RankProfile], more: dict[int, int]) -> list[RankProfile]:
    """As files are in which the steps of these ranks have numbers that are so much higher."""
    return [one if not (by := more.get(one.summary.rank or 0, 0)) else _renumbered(one, by) for one in profiles]


def _renumbered(one: RankProfile, by: int) -> RankProfile:
    tables = {name: unpacked(getattr(one.summary, name)) for name in ("steps", "collectives", "shapes", "order")}
    for table, column in (("steps", "number"), ("collectives", "step"), ("shapes", "step")):
        was = tables[table][column]
        tables[table][column] = np.where(was == -1, -1, was + by)
    tables["order"]["what"] = tables["order"]["what"] + by * (tables["order"]["kind"] == STEP)
    more: dict[str, Any] = {name: packed(table) for name, table in tables.items()}
    return changed(one, **more)


@pytest.mark.parametrize("more", [{2: 1}, {0: -1}, {1: 2, 6: -3}, {7: 5}])
def test_all_is_as_where_steps_are_numbered_alike_and_it_is_named(tmp_path: Path, more: dict[int, int]) -> None:
    right = recorded(Job(n_ranks=8, ranks_per_node=4, n_steps=6, slow={5: 1.3}).write(tmp_path))
    was, now = (join(members(each), RanksParams()) for each in (right, renumbered(right, more)))
    assert analysed(renumbered(right, more)).job.counted_more == more
    assert now.sentences == was.sentences
    assert now.ranks == was.ranks
    said = [doubt for doubt in now.doubts if doubt not in was.doubts]
    assert now.notes == was.notes
    assert sorted(said) == sorted(
        f"What is step {10 + by} in the file of rank {rank} is step 10 of the others, and is so compared."
        for rank, by in more.items()
    )


def test_of_two_ranks_the_last_is_compared_as_the_first_counts(tmp_path: Path) -> None:
    right = recorded(Job(n_ranks=2, n_steps=6).write(tmp_path))
    assert analysed(right).job.counted_more == {}
    for rank, by in ((0, 1), (1, 1)):
        assert analysed(renumbered(right, {rank: by})).job.counted_more == {1: by if rank == 1 else -by}


@pytest.mark.parametrize("more", [{1: 100}, {0: -5}, {2: 100, 3: 100}, {1: 100, 2: -7}])
def test_numbers_that_do_not_meet_at_all_are_told_by_their_time(tmp_path: Path, more: dict[int, int]) -> None:
    right = recorded(Job(n_ranks=8, ranks_per_node=4, n_steps=3, slow={5: 1.3}).write(tmp_path))
    found = renumbered(right, more)
    assert [len(job) for job in recordings(found)] == [8]
    assert analysed(found).job.counted_more == more
    assert join(members(found), RanksParams()).sentences == join(members(right), RanksParams()).sentences


def test_a_sentence_leads_to_the_step_as_the_file_numbers_it(tmp_path: Path) -> None:
    found = renumbered(recorded(Job(n_ranks=8, ranks_per_node=4, n_steps=3, slow={5: 1.3}).write(tmp_path)), {5: 100})
    lead = next(lead for lead in join(members(found), RanksParams()).leads if lead.ranks == [5])
    assert lead.step is not None
    own, step = unpacked(found[5].summary.steps), lead.step + 100
    start = own["start"][own["number"] == step]
    lasts = own["end"][own["number"] == step] - start
    assert [(one.rank, one.step, one.start_ns, one.lasts_ns) for one in lead.places] == [(5, step, start, lasts)]
    assert lead.places[0].called == f"step {step}\ncomputes 30 % longer at the same kernels"


def test_the_next_span_of_a_job_is_not_other_numbers_of_it(tmp_path: Path) -> None:
    """Neither of ranks that are missing before, nor where a clock is off by as long as a span lasts."""
    found = recorded(Job(n_ranks=4, ranks_per_node=2, n_steps=3).write(tmp_path))
    by = found[0].summary.end_ns - found[0].summary.start_ns
    after = [changed(one, base_ns=one.summary.base_ns + by) for one in renumbered(found, dict.fromkeys(range(4), 3))]
    assert [len(job) for job in recordings([*found[:2], *after[2:]])] == [2, 2]
    off = [changed(one, base_ns=one.summary.base_ns - by) for one in (found[2], found[3], after[2], after[3])]
    jobs = recordings([*found[:2], *after[:2], *off])
    assert [len(job) for job in jobs] == [4, 4]
    assert [len({unpacked(one.summary.steps)["number"][0] for one in job}) for job in jobs] == [1, 1]


@pytest.mark.parametrize("clock_is_off_ns", [0, 50_000])
def test_files_without_torchs_numbers_are_told_by_their_time_too(tmp_path: Path, clock_is_off_ns: int) -> None:
    def unnumbered(one: RankProfile) -> RankProfile:
        rows = unpacked(one.summary.collectives)
        rows["sequence"] = np.full_like(rows["sequence"], -1)
        return changed(one, collectives=packed(rows))

    right = [unnumbered(one) for one in recorded(Job(n_ranks=4, ranks_per_node=2, n_steps=3, slow={1: 1.3}).write(tmp_path))]
    found = renumbered(right, {2: 100})
    found[2] = changed(found[2], base_ns=found[2].summary.base_ns + clock_is_off_ns, host="alone")
    assert analysed(found).job.counted_more == {2: 100}
    right[2] = changed(right[2], base_ns=right[2].summary.base_ns + clock_is_off_ns, host="alone")
    assert join(members(found), RanksParams()).sentences == join(members(right), RanksParams()).sentences


@pytest.mark.parametrize("rank", [0, 2, 5])
def test_no_bubble_is_longer_than_its_step(rank: int) -> None:
    right = recorded(sorted(real_job("syn8_tp2_pp2_dp2_slow").glob("*.json.gz")))
    was, now = (join(members(each), RanksParams()) for each in (right, renumbered(right, {rank: 1})))
    assert now.ranks == was.ranks
    assert all((row.bubble_ns or 0) < (row.step_ns or 0) for row in now.ranks)


@pytest.mark.parametrize("name", ["rec_tp4_dp2", "syn64_tp4_pp4_dp4_link", "rec_pp4_dp2", "dlrm8_v100_2023"])
def test_of_a_job_as_it_was_recorded_none_counts_otherwise(name: str) -> None:
    assert analysed(recorded(sorted(real_job(name).glob("*.json.gz")))).job.counted_more == {}
