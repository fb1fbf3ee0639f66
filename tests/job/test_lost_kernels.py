"""Of collectives whose kernel a few files have lost a replay knows as much as with it: their peers have theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from tb_plugin.job.replay.lost_kernels import with_lost_kernels
from tb_plugin.views.ranks.basis.analysed import Analysed, analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import members, recorded
from tests.job_files import Job

if TYPE_CHECKING:
    from pathlib import Path

LAYERS = 40
A_STEP = LAYERS + 1
"""Collectives of a rank: of its tensor group one a layer, then one of all. One is not 2 % of them, nor 1 % of the step: with it
lost that is whole."""

OF_TENSOR = {(4, 2), (5, A_STEP + 1), (0, 3), (7, 2 * A_STEP + 4)}
OF_ALL = {(4, A_STEP - 1), (5, 2 * A_STEP - 1)}


def a_job(lost: set[tuple[int, int]]) -> Job:
    offset = {0: 0, 1: -5_000_000, 2: 30_000, 3: 700_000}
    return Job(n_ranks=8, n_layers=LAYERS, slow={5: 1.05}, offset_ns=offset, lost=lost)


def told(folder: Path, lost: set[tuple[int, int]]) -> Analysed:
    folder.mkdir()
    return analysed(recorded(a_job(lost).write(folder)))


def without_rank_5(of: Analysed) -> dict[int, float]:
    ((one, _, without),) = of.stragglers
    assert one.number == 5
    assert without is not None
    assert without.least == without.would_be
    return without.would_be


@pytest.mark.parametrize("lost", [OF_TENSOR, OF_ALL])
def test_a_step_without_whom_is_waited_for_is_as_with_all_kernels(tmp_path: Path, lost: set[tuple[int, int]]) -> None:
    whole, lacking = (told(tmp_path / name, its) for name, its in (("whole", set[tuple[int, int]]()), ("lacking", lost)))
    assert (~lacking.job.rows.is_there).sum() == len(lost)
    assert lacking.job_in_replay.rows.is_there.all()
    assert without_rank_5(lacking) == pytest.approx(without_rank_5(whole), rel=0.001)


def test_what_they_have_is_where_it_was(tmp_path: Path) -> None:
    lost = OF_TENSOR | OF_ALL
    whole, lacking = (told(tmp_path / name, its) for name, its in (("whole", set[tuple[int, int]]()), ("lacking", lost)))
    was, now = whole.job.rows, with_lost_kernels(lacking.job).rows
    rows = np.flatnonzero(~lacking.job.rows.is_there)
    assert now.start[rows] == pytest.approx(was.start[rows], abs=6_000)  # 5 us after the kernel before
    assert now.end[rows] == pytest.approx(was.end[rows], abs=1_000)


def test_tables_say_what_is_recorded(tmp_path: Path) -> None:
    profiles = recorded(a_job(OF_TENSOR).write(tmp_path))
    reply = join(members(profiles), RanksParams())
    assert reply.n_incomplete == len(OF_TENSOR)


def test_what_no_member_has_stays_lost(tmp_path: Path) -> None:
    lacking = told(tmp_path / "lacking", {(4, 2), (5, 2)})
    assert lacking.job_in_replay is lacking.job
