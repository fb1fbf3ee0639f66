"""A rank whose rows of gloo are not in its file: it may be waiting where it idles, or be who is waited for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tb_plugin.views.ranks.basis.analysed import analysed
from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.on_host import operator
from tests.job.recorded import member, recorded
from tests.job_files import rank_file

if TYPE_CHECKING:
    from pathlib import Path

STEPS = (10, 11, 12, 13)
LATE = 1


def written(folder: Path, lacking: int) -> list[Path]:
    """Four ranks, of which rank 1 stands still for 40 ms of each step before the all-reduce."""
    ran, begun = {rank: list[dict[str, Any]]() for rank in range(4)}, 1000.0
    for step in STEPS:
        came = {rank: begun + 10_000 + 20 * rank + 10 * (step % 3) + (40_000 if rank == LATE else 0) for rank in ran}
        end = max(came.values()) + 3000
        for rank, mine in ran.items():
            mine.append(operator("aten::mm", begun + 5, 9000.0 + 10 * rank, [[64, 64]]))
            row = {**operator("gloo:all_reduce", came[rank], end - came[rank], []), "cat": "user_annotation", "tid": 10}
            mine += [] if rank == lacking else [row]
            mine.append({**operator(f"ProfilerStep#{step}", begun, end + 30 - begun, []), "cat": "user_annotation"})
        begun = end + 40
    return [rank_file(folder, rank, 4, mine) for rank, mine in ran.items()]


@pytest.mark.parametrize("lacking", [0, LATE, 3])
def test_only_who_is_waited_for_is_blamed_whosever_rows_are_lost(tmp_path: Path, lacking: int) -> None:
    table = join([member(path) for path in written(tmp_path, lacking)], RanksParams())
    assert [one.name for one in table.blamed] == [f"rank {LATE}"]
    note = f"Collectives: not recorded of rank {lacking} (no row of gloo's threads)"
    assert any(one.startswith(note) for one in table.notes)


@pytest.mark.parametrize("lacking", [0, 3])
def test_what_it_may_be_waiting_is_not_told_apart_and_steps_add_up(tmp_path: Path, lacking: int) -> None:
    found = analysed(recorded(written(tmp_path, lacking)))
    own = found.own
    assert (own.untold[lacking] > 38e6).all()
    assert (own.parts["idle"][lacking] == 0).all()
    parts = np.sum([own.parts[name] for name in ("computation", "transfer", "copy", "idle")], axis=0)
    np.testing.assert_array_equal(parts + own.wait + own.untold, own.step)
    np.testing.assert_array_equal(found.exposed.shares[lacking].sum(axis=(1, 2)), own.untold[lacking])
