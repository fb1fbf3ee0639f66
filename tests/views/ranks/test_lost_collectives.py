"""Who lacks kernels of its collectives may have been in them: that it stands still, or waits for launches, is not told."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, Any

import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.paused import changed
from tests.job.recorded import member
from tests.job_files import Job

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

STOPS = {(rank, step, 2): 2_000_000 for rank in range(16) for step in range(10, 14)}


def said_of(folder: Path, losing: Sequence[int], share: float = 1.0, **fault: Any) -> list[str]:
    """Four hosts of four ranks; of `losing` so many of the kernels of collectives are not in the files."""
    paths = Job(n_ranks=16, ranks_per_node=4, n_steps=4, **fault).write(folder)
    chance = random.Random(3)

    def lose(events: list[dict[str, Any]]) -> None:
        def is_lost(event: dict[str, Any]) -> bool:
            return event.get("cat") == "kernel" and "nccl" in event["name"] and chance.random() < share

        events[:] = [event for event in events if not is_lost(event)]

    for rank in losing:
        changed(paths[rank], lose)
    said = join([member(path) for path in paths], RanksParams()).sentences
    return [each for each in said if "stand still" in each or "the device waits for launches" in each]


@pytest.mark.parametrize("tensor", [4, 16])
def test_where_one_host_alone_has_them_all_others_do_not_stand_still(tmp_path: Path, tensor: int) -> None:
    """They wait in what is not in their files for rank 9, which computes longer."""
    others = [rank for rank in range(16) if rank // 4 != 2]
    assert said_of(tmp_path, others, tensor=tensor, slow={9: 1.6}) == []


def test_who_has_them_and_stands_still_is_told(tmp_path: Path) -> None:
    (whole,) = said_of(tmp_path, [], tensor=4, stops=STOPS)
    assert whole.startswith("All 16 ranks stand still in one gap in all 4 steps: 2.0")
    (lacking,) = said_of(tmp_path, [5], tensor=4, stops=STOPS)
    assert lacking.startswith("All 15 ranks (not known of rank 5) stand still in one gap in all 4 steps: 2.0")


def test_who_needs_most_is_said_with_the_steps_that_are_left_out_for_a_lost_kernel(tmp_path: Path) -> None:
    slow = {rank: 1 + 0.05 * (3 * rank % 8) for rank in range(8)}
    paths = Job(n_ranks=8, n_layers=40, slow=slow, lost={(5, 60)}).write(tmp_path)  # one in the second of three steps
    said = " ".join(join([member(path) for path in paths], RanksParams()).sentences)
    left_out = "without step 11, where kernels of collectives are not in the files"
    assert re.search(rf"Most needs rank 5, [\d.]+ ms more a step than its peers \({left_out}\)[,;]", said), said
