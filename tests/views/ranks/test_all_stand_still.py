"""All ranks stand still together: the user's own line is named, not what it calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tb_plugin.views.ranks.compute import join
from tb_plugin.views.ranks.result import RanksParams
from tests.job.recorded import member
from tests.simulated_files import SimulatedJob

if TYPE_CHECKING:
    from pathlib import Path

OWN = "train.py(20): log"


@pytest.mark.parametrize(
    ("inner", "said"),
    [
        ([["<built-in function sleep>"]] * 4, f"in `{OWN}` (`<built-in function sleep>`),"),
        ([["logging/__init__.py(1011): handle", f"<built-in method write of {rank}>"] for rank in range(4)], f"in `{OWN}`,"),
    ],
    ids=["alike", "each in another call"],
)
def test_it_is_named_by_the_frame_of_the_user_s_own_code(tmp_path: Path, inner: list[list[str]], said: str) -> None:
    still = {(rank, step, "norm"): (30_000.0, (OWN, *inner[rank])) for rank in range(4) for step in (10, 11, 12)}
    job = SimulatedJob(n_steps=3, gemm_us=200.0, pause=still)
    table = join([member(path) for path in job.write(tmp_path)], RanksParams())
    assert not table.blamed
    (one,) = (each for each in table.sentences if "stand still in one gap" in each)
    assert f"All 4 ranks stand still in one gap, {said} in all 3 steps" in one
