"""Few ranks on shared cores that recorded no steps: how far they are apart by chance, nobody can tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.on_host import operator
from tests.job.recorded import member
from tests.job_files import rank_file

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

N_CALLS = 20


def written(folder: Path, took_us: Sequence[float], stops_us: float = 0.0) -> list[Path]:
    """How long a call takes on each rank; rank 1 stands still for so long before its first one."""
    begins = [1000.0 + (stops_us if rank == 1 else 0.0) for rank in range(len(took_us))]
    ends = [begin + N_CALLS * (took + 10) for begin, took in zip(begins, took_us, strict=True)]
    ran = []
    for begin, took, end in zip(begins, took_us, ends, strict=True):
        mine: list[dict[str, Any]] = [operator("aten::empty", 1000.0, 1.0, [])]
        mine += [operator("aten::mm", begin + 5 + n * (took + 10), took, [[64, 64]]) for n in range(N_CALLS)]
        mine.append({**operator("gloo:all_reduce", end, max(ends) + 800 - end, []), "cat": "user_annotation", "tid": 10})
        ran.append(mine)
    return [rank_file(folder, rank, len(ran), mine) for rank, mine in enumerate(ran)]


@pytest.mark.parametrize("took_us", [(800, 820, 930), (900, 700, 940, 910), (500, 520)])
def test_few_that_differ_in_one_recording_are_not_blamed(tmp_path: Path, took_us: tuple[float, ...]) -> None:
    """All but the quickest were: 2 % of it was the limit."""
    assert join([member(path) for path in written(tmp_path, took_us)], RanksParams()).blamed == []


def test_who_stands_still_for_much_of_it_is(tmp_path: Path) -> None:
    (one,) = join([member(path) for path in written(tmp_path, (800, 820, 930), stops_us=12_000.0)], RanksParams()).blamed
    assert one.name == "rank 1"
