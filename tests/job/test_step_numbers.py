"""Ranks whose files number the steps otherwise: told by what they did together, named, and compared as the same step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.trace.rank.order import STEP
from tb_plugin.trace.rank.packed import packed, unpacked
from tb_plugin.views.ranks.analysed import analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import changed, members, real_job, recorded
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.job.ranks import RankProfile


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


@pytest.mark.parametrize("rank", [0, 2, 5])
def test_no_bubble_is_longer_than_its_step(rank: int) -> None:
    right = recorded(sorted(real_job("syn8_tp2_pp2_dp2_slow").glob("*.json.gz")))
    was, now = (join(members(each), RanksParams()) for each in (right, renumbered(right, {rank: 1})))
    assert now.ranks == was.ranks
    assert all((row.bubble_ns or 0) < (row.step_ns or 0) for row in now.ranks)


@pytest.mark.parametrize("name", ["rec_tp4_dp2", "syn64_tp4_pp4_dp4_link", "rec_pp4_dp2", "dlrm8_v100_2023"])
def test_of_a_job_as_it_was_recorded_none_counts_otherwise(name: str) -> None:
    assert analysed(recorded(sorted(real_job(name).glob("*.json.gz")))).job.counted_more == {}
