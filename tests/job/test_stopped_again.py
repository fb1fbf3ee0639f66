"""A rank on a CPU that is stopped for a few milliseconds again and again, as one that shares its core or is throttled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.on_host import operator
from tests.job.recorded import member
from tests.job_files import LOADER, rank_file

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from tb_plugin.views.ranks.result import Blamed

NAMES = ("aten::mm", "aten::add", "aten::relu", "aten::sum", "aten::mul", "aten::addmm")
RUNS_US, STANDS_US = 4000.0, 4000.0
STEPS = [10, 11, 12, 13, 14]


def after(now: float, works: float, phase: float | None) -> float:
    """When work is done that is begun now, us; `phase`: None runs always."""
    left = works
    while phase is not None:
        since = (now + phase) % (RUNS_US + STANDS_US)
        if since < RUNS_US and left <= RUNS_US - since:
            break
        left -= max(RUNS_US - since, 0.0)
        now += RUNS_US + STANDS_US - since
    return now + left


def blamed(folder: Path, stopped: Collection[int], seed: int, *, noise: float = 0.05, slow: str = "") -> list[Blamed]:
    """Of four ranks, by thirty operators of 1 to 2.7 ms a step; `slow`: an operator that takes rank 1 twice as long."""
    chance, begun = np.random.default_rng(seed), 1000.0
    phase = {rank: float(chance.uniform(0, RUNS_US + STANDS_US)) if rank in stopped else None for rank in range(4)}
    ran: dict[int, list[dict[str, Any]]] = {rank: [] for rank in phase}
    for step in STEPS:
        end = {}
        for rank, mine in ran.items():
            now = after(begun + 10, 1000.0, phase[rank])
            mine.append({**operator(LOADER, begun + 10, now - begun - 10, []), "cat": "user_annotation"})
            for nth in range(30):
                name, start = NAMES[nth % len(NAMES)], after(now, 8.0, phase[rank])
                works = (
                    1000.0 * (1 + (nth % len(NAMES)) / 3) * chance.lognormal(0, noise) * (2 if (rank, name) == (1, slow) else 1)
                )
                now = after(start, works, phase[rank])
                mine.append(operator(name, start, now - start, [[64, 64]]))
            end[rank] = now
        last = max(end.values()) + 2000
        for rank, mine in ran.items():
            mine.append({**operator("gloo:all_reduce", end[rank], last - end[rank], []), "cat": "user_annotation", "tid": 10})
            mine.append({**operator(f"ProfilerStep#{step}", begun, last + 230 - begun, []), "cat": "user_annotation"})
        begun = last + 240
    return join([member(rank_file(folder, rank, 4, mine)) for rank, mine in ran.items()], RanksParams()).blamed


@pytest.mark.parametrize("stopped", [(1,), (2, 3)])
@pytest.mark.parametrize("seed", range(4))
def test_it_takes_twice_as_long_for_all_that_its_host_does(tmp_path: Path, stopped: tuple[int, ...], seed: int) -> None:
    found = blamed(tmp_path, stopped, seed)
    assert sorted(one.name for one in found) == [f"rank {rank}" for rank in stopped]
    for one in found:
        assert (one.steps, one.also) == (STEPS, None)
        assert one.factor == pytest.approx((RUNS_US + STANDS_US) / RUNS_US, rel=0.1)
        assert "x as long for all that its host does (as on a slower processor" in one.sentence


def test_nobody_is_told_where_nobody_is_stopped_or_one_operator_is_slow(tmp_path: Path) -> None:
    for seed in range(4):
        assert blamed(tmp_path, (), seed, noise=0.15) == []
        (one,) = blamed(tmp_path, (), seed, slow="aten::addmm")
        assert (one.name, one.cause, one.kernels[0]) == ("rank 1", "some_kernels", "aten::addmm")
