"""Ranks on CPUs, as noisy as processes on few cores are: who has more to do is told by counts, in one step as in all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.job.why.by_counts import by_counts, expected_of
from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.on_host import operator
from tests.job.recorded import member, recorded
from tests.job_files import rank_file

if TYPE_CHECKING:
    from pathlib import Path

STEPS = (10, 11, 12, 13)
N_RANKS, N_CALLS = 3, 16
PER_ROW_US = 20.0


def written(folder: Path, rows: dict[tuple[int, int], int], seed: int = 1) -> list[Path]:
    """`rows` of a batch of a (rank, step), 50 elsewhere. A call takes 20 us a row, or up to a third more by chance; one of each
    step is held up for 5 to 20 ms.
    """
    rng, begun = np.random.default_rng(seed), 1000.0
    ran: dict[int, list[dict[str, Any]]] = {rank: [] for rank in range(N_RANKS)}
    for step in STEPS:
        end = {}
        for rank, mine in ran.items():
            now, n_rows = begun, rows.get((rank, step), 50)
            for call in range(N_CALLS):
                took = n_rows * PER_ROW_US * float(rng.uniform(1, 1.3)) + (float(rng.uniform(5000, 20_000)) if call == 3 else 0.0)
                mine.append(operator("aten::addmm", now, took, [[64], [n_rows, 512], [512, 64]]))
                now += took + 5
            end[rank] = now
        last = max(end.values()) + 800
        for rank, mine in ran.items():
            mine.append({**operator("gloo:all_reduce", end[rank], last - end[rank], []), "cat": "user_annotation", "tid": 10})
            mine.append({**operator(f"ProfilerStep#{step}", begun, last + 30 - begun, []), "cat": "user_annotation"})
        begun = last + 40
    return [rank_file(folder, rank, N_RANKS, ran[rank]) for rank in ran]


def test_an_uneven_last_batch_is_told_in_its_step(tmp_path: Path) -> None:
    table = join([member(path) for path in written(tmp_path, {(0, 13): 6, (1, 13): 1500, (2, 13): 6})], RanksParams())
    told = next(one for one in table.blamed if one.name == "rank 1")
    assert told.steps == [13]
    assert told.cause == "more_work"
    assert "more work" in told.sentence


@pytest.mark.parametrize("seed", range(6))
def test_more_rows_in_all_steps_are_no_chance(tmp_path: Path, seed: int) -> None:
    paths = written(tmp_path, {(0, step): 150 for step in STEPS}, seed)
    table = join([member(path) for path in paths], RanksParams())
    told = next(one for one in table.blamed if one.name == "rank 0")
    assert told.steps == list(STEPS)
    of = analysed(recorded(paths))
    more = by_counts(of.job, of.own, of.layout)
    naive = N_CALLS * PER_ROW_US * (150 - 50) * 1000  # ns, of calls that are not held up
    assert more[0] == pytest.approx(np.full(len(STEPS), naive), rel=0.35)
    assert (more[1:] == 0).all()


@pytest.mark.parametrize("seed", range(6))
def test_even_batches_and_inputs_of_any_length_tell_of_nobody(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    anyhow = {(rank, step): int(rng.integers(30, 90)) for rank in range(N_RANKS) for step in STEPS}
    for rows in ({}, {(rank, 13): 6 for rank in range(N_RANKS)}, anyhow):
        of = analysed(recorded(written(tmp_path, rows, seed)))
        assert (by_counts(of.job, of.own, of.layout) == 0).all()
        assert np.isfinite(expected_of(of.job, of.own)).all()
