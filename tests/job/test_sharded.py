"""Layers gathered ahead, and a host that is late: what a step would be without it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member, recorded
from tests.sharded_files import ShardedJob

if TYPE_CHECKING:
    from pathlib import Path

MS = 1_000_000
JOBS: list[tuple[dict[str, Any], tuple[int, ...], tuple[int, ...], int]] = [  # and steps, launches and ns of rank 1's pauses
    ({"n_layers": 4, "n_kernels": 6, "kernel_ns": 50_000, "gather_ns": 100_000}, (1,), (35, 44, 46), 4 * MS),
    ({"n_layers": 6, "kernel_ns": 50_000, "scatter_ns": 50_000, "n_ranks": 8}, (0, 1, 2), (38, 56), 2 * MS),
    ({"kernel_ns": 50_000, "gather_ns": 400_000, "n_ranks": 8}, (1, 2), (34,), 8 * MS),
    ({"n_kernels": 2, "kernel_ns": 50_000, "gather_ns": 400_000, "scatter_ns": 50_000}, (1, 2), (22,), 8 * MS),
    ({"n_layers": 6, "n_kernels": 2}, (1,), (13, 28, 35), 4 * MS),
    ({"n_kernels": 6, "kernel_ns": 50_000, "gather_ns": 400_000, "has_one_stream": False}, (1, 2), (3, 31, 46), 4 * MS),
]


@pytest.mark.parametrize(
    ("times", "job"),
    [
        (80, {"n_kernels": 2, "kernel_ns": 50_000, "scatter_ns": 555_000, "gather_ns": 555_000}),
        (80, {"n_kernels": 2, "scatter_ns": 570_000, "gather_ns": 200_000, "n_micro": 2}),
        (100, {"n_ranks": 8, "kernel_ns": 50_000, "scatter_ns": 900_000, "gather_ns": 400_000, "n_micro": 2}),
        (60, {"n_ranks": 8, "n_layers": 3, "scatter_ns": 400_000, "gather_ns": 900_000, "kernel_ns": 200_000, "n_micro": 2}),
    ],
    ids=[
        "a gather that a slow launch begins as a scatter ends",
        "and one of the next batch",
        "kernels that wait for a gather begin after a scatter, too",
        "and long after it",
    ],
)
def test_what_a_slow_host_begins_waits_for_no_scatter(tmp_path: Path, times: float, job: dict[str, Any]) -> None:
    late = ShardedJob(has_one_stream=False, launch={1: times}, **job)
    of = analysed(recorded(late.write(tmp_path)))
    healthy = replace(late, launch={}, step_ns=[])
    healthy.write(tmp_path)
    ((one, why, without),) = of.stragglers
    assert (one.number, why.id) == (1, "launches")
    assert without is not None
    assert of.ideal is not None
    for found in (without.would_be, without.least, of.ideal.would_be):
        assert [found[2], found[3]] == pytest.approx(healthy.step_ns[1:], rel=0.02)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("job", "steps", "launches", "pause_ns"), JOBS)
def test_kernels_wait_for_their_own_gather_only(
    tmp_path: Path, job: dict[str, Any], steps: tuple[int, ...], launches: tuple[int, ...], pause_ns: int, seed: int
) -> None:
    """After a pause kernels begin as they are launched, when all that was gathered ahead is there: they say nothing of whether
    they would have waited for it, and the other ranks do.
    """
    late = ShardedJob(**job, seed=seed, pause={(1, step, nth): pause_ns for step in steps for nth in launches})
    table = join([member(path) for path in late.write(tmp_path)], RanksParams())
    healthy = replace(late, pause={}, step_ns=[])
    healthy.write(tmp_path)
    (one,) = table.blamed
    assert (one.name, one.cause) == ("rank 1", "pause")
    assert one.step_without_ns is not None
    told = [step - 1 for step in one.steps if step > 1]  # how long the first one was nobody recorded
    assert one.step_without_ns == pytest.approx(np.mean([healthy.step_ns[place] for place in told]), rel=0.02)
    assert one.step_was_ns == pytest.approx(np.mean([late.step_ns[place] for place in told]), rel=0.02)
    assert table.ideal_ns == pytest.approx(np.mean(healthy.step_ns[1:]), rel=0.02)
