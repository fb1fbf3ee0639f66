"""Where the late rank's file is missing, who is longer in what they do with it than others in the same says whose to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import members, recorded
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path


def nobody(folder: Path, gone: set[int], slow: dict[int, float]) -> str:
    paths = Job(n_ranks=8, ranks_per_node=4, n_steps=4, slow=slow).write(folder)
    reply = join(members(recorded([path for rank, path in enumerate(paths) if rank not in gone])), RanksParams())
    return next(said for said in reply.sentences if said.startswith("No rank"))


@pytest.mark.parametrize("gone", [{3}, {3, 5}, {1, 3, 5, 7}])
def test_the_late_one_that_is_missing_is_to_be_looked_at_first(tmp_path: Path, gone: set[int]) -> None:
    said = nobody(tmp_path, gone, {3: 1.3})
    if gone == {1, 3, 5, 7}:  # no pair is whole: how long it takes to move data is not known
        assert "Look at" not in said
        return
    assert "is nearly all in collectives with rank 3, whose file is missing: rank 2 is in these 7" in said
    assert said.endswith(" us a step longer than others in theirs. Look at rank 3 first.")


@pytest.mark.parametrize("gone", [{3}, {3, 5}])
def test_who_is_missing_and_takes_as_long_as_others_is_not(tmp_path: Path, gone: set[int]) -> None:
    assert "Look at" not in nobody(tmp_path, gone, {})


def test_of_two_missing_ones_that_are_late_alike_neither_is(tmp_path: Path) -> None:
    assert "Look at" not in nobody(tmp_path, {3, 5}, {3: 1.3, 5: 1.3})
