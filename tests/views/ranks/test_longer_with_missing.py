"""Where the late rank's file is missing, who is longer in what they do with it than others in the same says whose to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import members, real_job, recorded
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

    from tb_plugin.job.ranks.ranks import RankProfile


def first_said(profiles: list[RankProfile]) -> tuple[str, str]:
    """(what stands before that nobody is late, that)."""
    said = join(members(profiles), RanksParams()).sentences
    at = next(nth for nth, each in enumerate(said) if each.startswith("No rank"))
    return said[at - 1], said[at]


def of_job(folder: Path, gone: set[int], job: Job) -> tuple[str, str]:
    paths = job.write(folder)
    return first_said(recorded([path for rank, path in enumerate(paths) if rank not in gone]))


def in_pairs(folder: Path, gone: set[int], slow: dict[int, float]) -> tuple[str, str]:
    return of_job(folder, gone, Job(n_ranks=8, ranks_per_node=4, n_steps=4, slow=slow))


def one_group(slow: dict[int, float], steps: list[int] | None = None) -> Job:
    return Job(n_ranks=8, ranks_per_node=4, tensor=8, n_steps=4, slow=slow, slow_steps=steps)


@pytest.mark.parametrize("gone", [{3}, {3, 5}])
def test_the_late_one_that_is_missing_is_to_be_looked_at_first(tmp_path: Path, gone: set[int]) -> None:
    first, nobody = in_pairs(tmp_path, gone, {3: 1.3})
    assert "is nearly all in collectives with rank 3, whose file is missing: rank 2 is in these 7" in first
    assert first.endswith(" us a step longer than others in theirs. Look at rank 3 first.")
    assert "Look at" not in nobody


def test_nor_where_half_of_all_files_are_missing(tmp_path: Path) -> None:
    """No pair is whole: how long it takes to move data is not known."""
    assert not any("Look at" in said for said in in_pairs(tmp_path, {1, 3, 5, 7}, {3: 1.3}))


@pytest.mark.parametrize("gone", [{3}, {3, 5}])
def test_who_is_missing_and_takes_as_long_as_others_is_not(tmp_path: Path, gone: set[int]) -> None:
    assert not any("Look at" in said for said in in_pairs(tmp_path, gone, {}))


def test_of_two_missing_ones_that_are_late_alike_both_are(tmp_path: Path) -> None:
    first, _ = in_pairs(tmp_path, {3, 5}, {3: 1.3, 5: 1.3})
    assert "in collectives with ranks 3, 5, whose files are missing" in first
    assert first.endswith("Look at ranks 3, 5 first.")


@pytest.mark.parametrize("gone", [[3], [3, 5]])
def test_in_one_group_of_all_a_step_that_is_longer_is_said_against_the_others(tmp_path: Path, gone: list[int]) -> None:
    first, _ = of_job(tmp_path, set(gone), one_group({3: 3.0}, [12]))
    whom, whose, its = ("rank 3", "file is", "its file") if len(gone) == 1 else ("ranks 3, 5", "files are", "their files")
    about = f"waiting for {whom} or moving data, is nearly all in collectives with {whom}, whose {whose} missing: rank "
    assert first.startswith(f"What is not told apart, {about}")
    assert first.endswith(f" ms longer in step 12 than in other steps. Look at {its} first.")


def test_in_one_group_of_all_what_is_as_long_in_each_step_may_be_either(tmp_path: Path) -> None:
    first, nobody = of_job(tmp_path, {3}, one_group({3: 1.6}))
    assert first.startswith("What is not told apart, waiting for rank 3 or moving data, is nearly all in collectives with rank 3")
    assert "% of the mean step). Look at its file first." in first
    assert "the others wait most" not in nobody


def test_in_one_group_of_all_short_transfers_are_no_lead(tmp_path: Path) -> None:
    job = Job(n_ranks=8, ranks_per_node=4, tensor=8, n_steps=4, n_layers=1)
    assert not any("Look at" in said for said in of_job(tmp_path, {3}, job))


def test_of_a_stage_that_is_missing_its_ranks_are_named_together(tmp_path: Path) -> None:
    profiles = recorded(sorted(real_job("syn8_pp4_dp2_stage").glob("rank[0-5].*.json.gz")))
    first, nobody = first_said(profiles)
    assert "is nearly all in collectives with ranks 6-7, whose files are missing: rank 5 is in these for 8.74 ms a step" in first
    assert first.endswith("Look at their files first.")
    assert "last in" not in nobody


@pytest.mark.parametrize(("slow", "is_said"), [({2: 1.3}, True), ({}, False)])
def test_it_is_to_be_looked_at_beside_a_slow_link_too(tmp_path: Path, slow: dict[int, float], is_said: bool) -> None:
    paths = Job(n_ranks=8, slow_groups={(4, 5): 4.0}, slow=slow).write(tmp_path)
    said = join(members(recorded(path for rank, path in enumerate(paths) if rank != 2)), RanksParams()).sentences
    link = next(nth for nth, each in enumerate(said) if each.startswith("Links inside host node2 (ranks 4-5) are 4.0 x slower"))
    lead = "Waiting that is not told apart is nearly all in collectives with rank 2, whose file is missing: rank 3 is in these 7"
    assert said[link + 1].startswith(lead) == is_said
    assert said[link + 1 + is_said].startswith("Apart from what slow links cost, no rank")


def test_who_is_late_and_a_slow_link_are_both_told_with_their_gains(tmp_path: Path) -> None:
    paths = Job(n_ranks=8, slow_groups={(4, 5): 4.0}, slow={4: 1.3}).write(tmp_path)
    said = join(members(recorded(paths)), RanksParams()).sentences
    link, late = (next(each for each in said if each.startswith(who)) for who in ("Links inside host node2", "Rank 4 (node2)"))
    assert "With links like the others a step would take about 3.69 ms instead of 4.77 ms (-23 %)." in link
    assert "Without it a step would take about 4.05 ms instead of 4.77 ms (-15 %)." in late
    assert late.endswith("Without it and slow links together a step would take about 2.97 ms instead of 4.77 ms (-38 %).")
