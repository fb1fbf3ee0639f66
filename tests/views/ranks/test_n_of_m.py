"""Of how many ranks and collectives a sentence tells, where one member's record is missing."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

from tb_plugin.views.ranks.basis.names import who_of
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.paused import changed
from tests.job.recorded import member
from tests.simulated_files import SimulatedJob

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SLEEPS: Final = (6000.0, ("train.py(3): f", "<built-in function sleep>"))
STEPS: Final = range(10, 15)


def said_of(folder: Path, late: Sequence[int], *, cut: bool = False, broken: bool = False) -> str:
    """What is told of ranks that stand still. `cut`: rank 1 stops before its fourth step; `broken`: it has no profile."""
    job = SimulatedJob(data=4, pause={(rank, step, "middle"): SLEEPS for rank, step in product(late, STEPS)})
    paths = job.write(folder)
    if cut:
        changed(paths[1], _stop_before_the_fourth_step)
    members = [member(path) for path in paths]
    if broken:
        members[1] = replace(members[1], answer=None, state="failed", reason="not a profile")
    (said,) = [one for one in join(members, RanksParams()).sentences if " still in" in one]
    return said


def _stop_before_the_fourth_step(events: list[dict[str, Any]]) -> None:
    begins = sorted(one["ts"] for one in events if one["name"].startswith("ProfilerStep") and one["cat"] == "user_annotation")
    events[:] = [one for one in events if one["ph"] == "M" or one["ts"] < begins[3]]


def test_who_waits_in_some_of_them_is_not_said_to_wait_in_all(tmp_path: Path) -> None:
    assert "; ranks 0-1, 3 wait for it in 10 of 10 data all-reduces. " in said_of(tmp_path / "whole", [2])
    said = said_of(tmp_path / "cut", [2], cut=True)
    assert "; ranks 0, 3 wait for it in 10 of 10 data all-reduces (rank 1 in 6 of them). " in said


def test_all_ranks_of_which_it_is_known_are_all_with_those_of_which_it_is_not_beside(tmp_path: Path) -> None:
    assert said_of(tmp_path / "whole", range(4)).startswith("All 4 ranks stand still ")
    said = said_of(tmp_path / "cut", range(4), cut=True)
    assert said.startswith("All 4 ranks (not known of rank 1 in steps 13-14) stand still ")


def test_where_a_rank_is_not_here_all_are_those_that_are(tmp_path: Path) -> None:
    assert said_of(tmp_path, range(4), broken=True).startswith("All 3 ranks that are here stand still ")


NAN = np.nan


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ([[1, 1], [1, 1]], "both ranks"),
        ([[1, 1], [1, 1], [1, NAN]], "all 3 ranks (not known of rank 6 in step 8)"),
        ([[1, 1], [1, NAN], [NAN, 1]], "all 3 ranks (not known of ranks 5-6 in some steps)"),
        ([[1, 1], [1, 1], [NAN, NAN]], "both ranks (not known of rank 6)"),
        ([[1, 1], [1, NAN], [NAN, NAN]], "both ranks (not known of rank 6 and of rank 5 in step 8)"),
        ([[1, 1], [1, 1], [1, 1], [0, NAN]], "all 4 ranks but rank 7 (not known of rank 7 in step 8)"),
        ([[1, 1], [1, 0], [1, NAN]], "2 to 3 of 3 ranks (not known of rank 6 in step 8)"),
    ],
)
def test_what_is_not_known_of_a_rank_is_no_exception(does: list[list[float]], said: str) -> None:
    table = np.array(does)
    numbers = [4, 5, 6, 7][: len(does)]
    assert who_of(table == 1, np.isfinite(table), numbers, [7, 8], here="") == said
